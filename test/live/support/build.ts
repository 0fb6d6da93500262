import { findBinary, NoServer } from './binary.js';

/** Before any file starts, or two of them would build it at the same time; each reports if there is none. */
export async function setup(): Promise<void> {
  if (process.env['LIVE_FORGE_URL']) return;
  await findBinary().catch((problem: unknown) => {
    if (!(problem instanceof NoServer)) throw problem;
  });
}
