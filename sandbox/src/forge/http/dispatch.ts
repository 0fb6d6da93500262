import type { IncomingHttpHeaders } from 'node:http';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { type Answer, forbidden, Refusal } from './answer.js';
import { authenticate } from './auth.js';
import { Body } from './body.js';
import type { Caller } from './call.js';
import { shaped } from './flavor.js';
import { signedIn, siteAdmin } from './guard.js';
import { Query } from './query.js';
import type { Match } from './router.js';
import { missingScope } from './scopes.js';

export interface Incoming {
  readonly method: string;
  /** Below /api/v1, still encoded. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
}

export interface Outcome {
  readonly answer: Answer;
  readonly caller: Caller | undefined;
  readonly error?: unknown;
}

export const htmlPage = (status: number, title: string): Answer => ({
  status,
  text: {
    type: 'text/html; charset=utf-8',
    content: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  },
});

export const pageNotFound: Answer = {
  status: 404,
  text: { type: 'text/plain; charset=utf-8', content: '404 page not found\n' },
};

function refusalAnswer(state: State, method: string, refusal: Refusal): Answer {
  const { status, message, location } = refusal;
  if (location !== undefined) {
    if (method !== 'GET') return { status, headers: { location } };
    const content = `<a href="${location}">${status === 301 ? 'Moved Permanently' : 'Temporary Redirect'}</a>.\n`;
    return { status, headers: { location }, text: { type: 'text/html; charset=utf-8', content } };
  }
  if (refusal.kind === 'empty') return { status };
  if (refusal.kind === 'page') return htmlPage(status, message);
  const body = refusal.kind === 'bare' ? { message } : { message, url: `${state.site.url}/api/swagger` };
  return { status, body: { ...body, ...refusal.detail } };
}

/** In the forge's order: credential, scope, site admin; then the handler's own permissions; then the body. */
function admit(state: State, incoming: Incoming, caller: Caller): void {
  if (caller.token !== undefined) {
    const missing = missingScope(caller.token.scopes, incoming.method, incoming.path, !isForgejo(state.site));
    if (missing !== undefined) throw forbidden(missing);
    if (caller.token.scopes.includes('public-only') && incoming.path.startsWith('/notifications')) {
      throw forbidden('token scope is limited to public');
    }
  }
  if (incoming.path.startsWith('/admin/')) siteAdmin({ caller });
  if (incoming.method !== 'GET') signedIn({ caller });
}

export async function dispatch(state: State, match: Match, incoming: Incoming): Promise<Outcome> {
  const { route } = match.endpoint;
  let caller: Caller | undefined;
  try {
    const query = new Query(incoming.search);
    const known = authenticate(state, incoming.headers, query.text('sudo'));
    caller = known;
    admit(state, incoming, known);
    let bound: Body | undefined;
    const answer = await match.endpoint.handler({
      state,
      view: { state, viewer: known.user },
      caller: known,
      path: incoming.path,
      params: match.params,
      query,
      range: incoming.headers.range,
      body: () => {
        bound ??= Body.read(incoming.headers['content-type'], incoming.raw, incoming.method);
        return bound;
      },
    });
    return { answer: shaped(state.site, route, answer), caller };
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, '');
    const answer = shaped(state.site, route, refusalAnswer(state, incoming.method, refusal));
    return refusal === error ? { answer, caller } : { answer, caller, error };
  }
}
