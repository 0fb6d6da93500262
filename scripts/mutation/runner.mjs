// Runs the bundled tests inside one process: a change costs only the tests that reach it, not a full start.
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { build } from 'esbuild';

const longestMs = 30_000;

class InProcessRunner {
  static inject = tokens(commonTokens.options);
  #ns = {};
  #vitest;
  #options;

  constructor(options) {
    this.#options = options;
    globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] = this.#ns;
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    const files = (await Promise.all(this.#options.inProcess.tests.map(testsIn))).flat();
    const shim = path.resolve('scripts/mutation/vitest.mjs');
    const steps = files.map((file) => `enter(${JSON.stringify(file)}); await import(${JSON.stringify(file)});`);
    const entry = path.resolve('mutation-entry.mjs');
    await writeFile(entry, `import { enter } from 'vitest';\n${steps.join('\n')}\nexport * from 'vitest';\n`);
    const outfile = path.resolve('mutation-tests.mjs');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      alias: { vitest: shim },
      plugins: [ours],
    });
    this.#vitest = await import(pathToFileURL(outfile).href);
    for (const { hooks } of this.#vitest.suites) for (const run of hooks.beforeAll) await run();
  }

  async dryRun() {
    this.#ns.activeMutant = undefined;
    const tests = await this.#run(this.#vitest.tests, false);
    return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#ns.mutantCoverage };
  }

  async mutantRun({ testFilter, activeMutant, hitLimit }) {
    const wanted = testFilter && new Set(testFilter);
    Object.assign(this.#ns, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 });
    const chosen = wanted ? this.#vitest.tests.filter((test) => wanted.has(idOf(test))) : this.#vitest.tests;
    const tests = await this.#run(chosen, true);
    this.#ns.activeMutant = undefined;
    const reached = determineHitLimitReached(this.#ns.hitCount, hitLimit);
    return toMutantRunResult(reached ?? { status: DryRunStatus.Complete, tests });
  }

  async dispose() {
    for (const { hooks } of this.#vitest?.suites ?? []) for (const run of hooks.afterAll) await run().catch(() => {});
  }

  async #run(tests, bail) {
    const results = [];
    for (const test of tests) {
      this.#ns.currentTestId = idOf(test);
      const began = performance.now();
      const failure = await runOne(test);
      this.#ns.currentTestId = undefined;
      const common = { id: idOf(test), name: test.name, fileName: test.file, timeSpentMs: performance.now() - began };
      results.push(
        failure === undefined
          ? { ...common, status: TestStatus.Success }
          : { ...common, status: TestStatus.Failed, failureMessage: failure },
      );
      if (bail && failure !== undefined) break;
    }
    return results;
  }
}

/** A test file, or all files of a folder. */
async function testsIn(name) {
  const place = path.resolve(name);
  if ((await stat(place)).isFile()) return [place];
  const names = (await readdir(place)).filter((each) => each.endsWith('.test.ts')).sort();
  return names.map((each) => path.join(place, each));
}

const idOf = ({ file, name }) => `${path.relative(process.cwd(), file)}#${name}`;

/** Returns why it failed. */
async function runOne({ suite, run }) {
  const line = [];
  for (let each = suite; each; each = each.parent) line.unshift(each);
  let failure;
  const attempt = async (step) => {
    try {
      await inTime(step);
    } catch (error) {
      failure ??= error instanceof Error ? error.message || error.name : String(error);
    }
  };
  for (const { hooks } of line) for (const step of hooks.beforeEach) if (failure === undefined) await attempt(step);
  if (failure === undefined) await attempt(run);
  for (const { hooks } of line.reverse()) for (const step of hooks.afterEach) await attempt(step);
  return failure;
}

async function inTime(step) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The test takes too long.')), longestMs);
  });
  try {
    await Promise.race([step(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Packages stay outside the bundle; the sandbox is ours. */
const ours = {
  name: 'ours',
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
      name === 'vitest' || name.startsWith('@bellows/') ? undefined : { path: name, external: true },
    );
  },
};

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)];

export const strykerValidationSchema = {
  type: 'object',
  properties: { inProcess: { type: 'object' } },
};
