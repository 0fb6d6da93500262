// Changes the rules one small step at a time and sees whether a test notices. While working, only some files and tests:
// npm run test:mutation -- src/store/seal.ts --tests test/store/seal.test.ts
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const least = 85;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string', multiple: true } },
});
const some = {
  ...(positionals.length > 0 && { mutate: positionals }),
  ...(values.tests && { testFiles: values.tests }),
};
const mutants = await new Stryker(some).runMutationTest();

const noticed = new Set(['Killed', 'Timeout', 'RuntimeError']);
const counted = mutants.filter(({ status }) => noticed.has(status) || status === 'Survived' || status === 'NoCoverage');
const score = (100 * counted.filter(({ status }) => noticed.has(status)).length) / Math.max(1, counted.length);
process.stdout.write(`figure mutation.mutants ${counted.length}\nfigure mutation.score ${score.toFixed(1)}\n`);
process.exitCode = score < least ? 1 : 0;
