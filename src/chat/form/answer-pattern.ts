import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** An answer, its block, and the pattern all of it must match. */
export interface Patterned {
  readonly id: string;
  readonly text: string;
  readonly pattern: string;
}

/** Slack waits three seconds for the whole form. */
const patienceMs = 1_000;
const Mismatch = z.string().max(255);

/** One at a time: if one never ends, those before it still count. */
const code = `
const { parentPort, workerData } = require('node:worker_threads');
for (const { id, text, pattern } of workerData) {
  try {
    if (!new RegExp('^(?:' + pattern + ')$', 'u').test(text)) parentPort.postMessage(id);
  } catch {}
}`;

/**
 * The blocks whose answers do not match, by the rules of a browser's pattern attribute. Patterns come from someone's file:
 * they run in their own thread, and if one is invalid or takes too long, its answer passes.
 */
export async function mismatches(given: readonly Patterned[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (given.length === 0) return found;
  const worker = new Worker(code, { eval: true, workerData: given, resourceLimits: { maxOldGenerationSizeMb: 32 } });
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, patienceMs);
    const end = () => {
      clearTimeout(late);
      resolve();
    };
    worker.on('message', (id: unknown) => found.add(Mismatch.parse(id)));
    worker.once('exit', end);
    worker.once('error', end);
  });
  await worker.terminate();
  return found;
}
