// A real forge for the live tests: one that is given, or a Gitea of our own in a temporary folder.
import type { Credential } from '../../../src/forge/index.js';
import { type OpenServer, openServer } from '../../contract/forge/open.js';
import { findBinary, NoServer } from './binary.js';
import { type Running, startProcess } from './process.js';

export type LiveForge = OpenServer;

/** Undefined, with the reason printed, where no server can be had; `LIVE=required` makes that a failure. */
export async function startGitea(env: NodeJS.ProcessEnv = process.env): Promise<LiveForge | undefined> {
  try {
    return await open(env);
  } catch (problem) {
    if (!(problem instanceof NoServer) || env['LIVE'] === 'required') throw problem;
    console.log(`not run: ${problem.message}`);
    return undefined;
  }
}

async function open(env: NodeJS.ProcessEnv): Promise<LiveForge> {
  const running = env['FORGE_URL'] ? given(env) : await startProcess(await findBinary(env));
  const server = await openServer(running.url, running.login, running.credential);
  return {
    ...server,
    async close() {
      await server.close();
      await running.close();
    },
  };
}

/** `FORGE_ADMIN=login:token-or-password` of a site admin of `FORGE_URL`. */
function given(env: NodeJS.ProcessEnv): Running {
  const [login = '', secret = ''] = (env['FORGE_ADMIN'] ?? '').split(/:(.*)/s);
  if (!login || !secret) throw new Error('FORGE_URL is set: set FORGE_ADMIN=login:token of a site admin too');
  const credential: Credential = { kind: 'basic', login, secret };
  return { url: (env['FORGE_URL'] ?? '').replace(/\/+$/, ''), login, credential, close: async () => undefined };
}
