import { z } from 'zod';
import { authorization, send } from '../../contract/forge/server.js';
import { fresh } from '../../contract/forge/things.js';
import type { Running } from './process.js';

/** `LIVE_FORGE_URL`, and name and password of a site admin there; a token is created for the tests and deleted afterwards. */
export async function given(env: NodeJS.ProcessEnv): Promise<Running> {
  const [login = '', secret = ''] = [env['LIVE_FORGE_ADMIN'], env['LIVE_FORGE_PASSWORD']];
  if (!login || !secret) {
    throw new Error('LIVE_FORGE_URL is set: set LIVE_FORGE_ADMIN and LIVE_FORGE_PASSWORD of a site admin too');
  }
  const url = (env['LIVE_FORGE_URL'] ?? '').replace(/\/+$/, '');
  const auth = authorization({ kind: 'basic', login, secret });
  const path = `/users/${encodeURIComponent(login)}/tokens`;
  const name = fresh('bellows-live');
  const { status, text } = await send(url, auth, 'POST', path, { name, scopes: ['all'] });
  if (status !== 201) throw new Error(`LIVE_FORGE_ADMIN could not make a token at ${url}: status ${status}`);
  const { sha1 } = z.object({ sha1: z.string() }).parse(JSON.parse(text));
  return {
    url,
    login,
    credential: { kind: 'token', token: sha1 },
    async close() {
      await send(url, auth, 'DELETE', `${path}/${name}`);
    },
  };
}
