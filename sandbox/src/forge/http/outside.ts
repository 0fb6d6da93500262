import type { IncomingHttpHeaders } from 'node:http';
import { findUser } from '../state/find.js';
import type { State } from '../state/state.js';
import { type Answer, Refusal } from './answer.js';
import { authenticate } from './auth.js';
import { runnerRpc } from './runner-rpc.js';

/** A generic package file: /api/packages/{owner}/generic/{name}/{version}/{file} */
const upload = /^\/api\/packages\/([^/]+)\/generic\/([^/]+)\/([^/]+)\/[^/]+$/;

function publish(state: State, path: string, headers: IncomingHttpHeaders): Answer | undefined {
  const [, ownerName = '', name = '', version = ''] = upload.exec(path) ?? [];
  if (ownerName === '') return undefined;
  const creator = authenticate(state, headers, undefined).user;
  const owner = findUser(state, ownerName);
  if (creator === undefined || owner === undefined) return { status: creator === undefined ? 401 : 404 };
  state.packages.push({
    id: state.nextId('package'),
    owner,
    repo: undefined,
    creator,
    type: 'generic',
    name,
    version,
    created: state.now(),
  });
  return { status: 201 };
}

/** What a forge serves beside /api/v1; undefined means a page. */
export function outside(
  state: State,
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  raw: string,
): Answer | undefined {
  try {
    return method === 'PUT' ? publish(state, path, headers) : runnerRpc(state, method, path, headers, raw);
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { message: error.message } };
    throw error;
  }
}
