// Changes the rules one small step at a time and checks whether a test notices. While working, only some files and tests:
// npm run test:mutation -- src/store/seal.ts --tests test/store/seal.test.ts
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const least = JSON.parse(readFileSync('stryker.config.json', 'utf8')).thresholds.break;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string', multiple: true } },
});
const some = {
  ...(positionals.length > 0 && { mutate: positionals }),
  ...(values.tests && { inProcess: { tests: values.tests } }),
};
const mutants = await new Stryker(some).runMutationTest();

const mutated = new Set(mutants.filter(({ status }) => status !== 'Ignored').map(({ fileName }) => fileName));
const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
const noticed = of('Killed', 'Timeout');
const counted = noticed + of('Survived', 'NoCoverage');
const score = (100 * noticed) / Math.max(1, counted);
for (const [name, value] of Object.entries({
  files: mutated.size,
  mutants: counted,
  timeouts: of('Timeout'),
  score: score.toFixed(1),
}))
  process.stdout.write(`figure mutation.${name} ${value}\n`);
process.exitCode = score < least ? 1 : 0;
