import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { nativeModules } from './test/support/native.js';

const otherProjects = ['test/live/**', 'test/chaos/**', 'test/browser/**', 'test/layers.test.ts'];

// Each worker optimizes the same functions anew: a tenth of a run's processor time went into code that it hardly used after.
setFlagsFromString('--interrupt-budget=300000');

/** A machine that stops for a minute is no failure; the report names what needed another try. */
const patient = {
  retry: process.env['CI'] ? 2 : 1,
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
};

/** What waits together takes longest, though its file is small. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isWaiting = ({ moduleId }: TestSpecification) => moduleId.endsWith('/waiting.test.ts');
    return (await super.sort(files)).sort((a, b) => Number(isWaiting(b)) - Number(isWaiting(a)));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    testTimeout: 15_000,
    hookTimeout: 30_000,
    // With fewer, two cores rest while tests wait; each more takes half a minute of the processor to compile everything anew.
    maxWorkers: Math.max(3, availableParallelism()),
    projects: [
      {
        plugins: [nativeModules],
        test: {
          name: 'suite',
          // Nothing here keeps state in a module, so files share what they import: most of the time was importing.
          isolate: false,
          // Threads need a tenth less of the processor than processes.
          pool: 'threads',
          globalSetup: ['test/support/program.ts', 'test/support/native.ts'],
          include: ['test/**/*.test.ts'],
          exclude: otherProjects,
          maxConcurrency: 30,
          ...patient,
        },
      },
      { test: { name: 'layers', include: ['test/layers.test.ts'] } },
      {
        test: {
          name: 'live',
          include: ['test/live/**/*.test.ts'],
          globalSetup: ['test/live/support/build.ts'],
          ...patient,
          hookTimeout: 1_200_000,
          // Each file starts a server of its own; a given one is shared.
          maxWorkers: process.env['LIVE_FORGE_URL'] ? 1 : 2,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          globalSetup: ['test/support/program.ts', 'test/chaos/support/figures.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
