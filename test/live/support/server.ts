// A real forge for the live tests: a given one, or our own Gitea in a temporary folder.
import { type OpenServer, openServer } from '../../contract/forge/open.js';
import { findBinary, NoServer } from './binary.js';
import { given } from './given.js';
import { startProcess } from './process.js';
import { tidyLater } from './tidy.js';

export type LiveForge = OpenServer;

/** Undefined, with the reason printed, if no server is available; `LIVE=required` makes that a failure. */
export async function startLive(env: NodeJS.ProcessEnv = process.env): Promise<LiveForge | undefined> {
  try {
    return await open(env);
  } catch (problem) {
    if (!(problem instanceof NoServer) || env['LIVE'] === 'required') throw problem;
    console.log(`not run: ${problem.message}`);
    return undefined;
  }
}

export const nameOf = (live: LiveForge | undefined): string => (live ? `${live.product} ${live.version}` : 'no server');

async function open(env: NodeJS.ProcessEnv): Promise<LiveForge> {
  const isGiven = Boolean(env['LIVE_FORGE_URL']);
  const running = isGiven ? await given(env) : await startProcess(await findBinary(env));
  const server = await openServer(running.url, running.login, running.credential);
  // Our own server is deleted with its folder; someone else's is left as it was.
  const tidy = isGiven ? await tidyLater(server) : undefined;
  return {
    ...server,
    async close() {
      await tidy?.after(server);
      await server.close();
      await running.close();
    },
  };
}
