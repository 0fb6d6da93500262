// Changes the rules one small step at a time and checks whether a test notices. One part of stryker.config.json:
// npm run test:mutation -- deploy
// While working, only some files and tests:
// npm run test:mutation -- src/store/seal.ts --tests test/store/seal.test.ts
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const { inProcess, thresholds } = JSON.parse(readFileSync('stryker.config.json', 'utf8'));
const { parts } = inProcess;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string', multiple: true } },
});

function chosen() {
  if (values.tests) return [['some', { mutate: positionals, tests: values.tests }]];
  const names = positionals.length > 0 ? positionals : Object.keys(parts);
  const other = names.find((name) => !Object.hasOwn(parts, name));
  if (other === undefined) return names.map((name) => [name, parts[name]]);
  process.stderr.write(
    `There is no part ${other}: name ${Object.keys(parts).join(', ')}, or files and their --tests.\n`,
  );
  process.exit(2);
}

/** Prints the figures of these changes and returns the percentage that a test noticed. */
function report(name, mutants) {
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const mutated = new Set(mutants.filter(({ status }) => status !== 'Ignored').map(({ fileName }) => fileName));
  const noticed = of('Killed', 'Timeout');
  const counted = noticed + of('Survived', 'NoCoverage');
  const score = (100 * noticed) / Math.max(1, counted);
  const figures = { files: mutated.size, mutants: counted, timeouts: of('Timeout'), score: score.toFixed(1) };
  for (const [what, value] of Object.entries(figures)) process.stdout.write(`figure ${name}.${what} ${value}\n`);
  return score;
}

const all = [];
const scores = [];
for (const [name, { mutate, tests }] of chosen()) {
  const incrementalFile = `node_modules/.cache/mutation-${name}.json`;
  const mutants = await new Stryker({ mutate, inProcess: { tests }, incrementalFile }).runMutationTest();
  scores.push(report(`mutation.${name}`, mutants));
  all.push(...mutants);
}
if (scores.length > 1) report('mutation', all);
process.exitCode = Math.min(...scores) < thresholds.break ? 1 : 0;
