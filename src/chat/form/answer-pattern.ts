import { Worker } from 'node:worker_threads';
import { z } from 'zod';

/** An answer, the block it stands in, and what the whole of it has to match. */
export interface Patterned {
  readonly id: string;
  readonly text: string;
  readonly pattern: string;
}

/** Slack waits three seconds for all of a form. */
const patienceMs = 1_000;
const Mismatch = z.string().max(255);

/** Each by itself: one that never ends leaves those before it judged. */
const code = `
const { parentPort, workerData } = require('node:worker_threads');
for (const { id, text, pattern } of workerData) {
  try {
    if (!new RegExp('^(?:' + pattern + ')$', 'u').test(text)) parentPort.postMessage(id);
  } catch {}
}`;

/**
 * The blocks whose answers do not match, as a browser judges a field by its pattern. Patterns are someone's file: they run in a
 * thread of their own, and where one is none or takes too long, its answer fits.
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
