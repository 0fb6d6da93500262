import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../http/answer.js';
import type { Faults } from '../http/faults.js';
import { find, instead } from '../http/trouble.js';
import type { Session } from '../state/oauth.js';
import type { State } from '../state/state.js';
import { authorize, decide, redirect } from './consent.js';
import { random } from './grants.js';
import { configuration, introspect, userinfo } from './information.js';
import { errorPage, loginPage } from './pages.js';
import { formOf, tokenEndpoint } from './token.js';

export interface WebRequest {
  readonly method: string;
  /** Below the forge's own path. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  /** That path, without trailing slash. */
  readonly base: string;
}

const ours = /^\/(login|user\/login|\.well-known)\b/;

/** Undefined for every other page; only plain faults are supported here. */
export async function signingIn(state: State, faults: Faults, page: WebRequest): Promise<Answer | 'lost' | undefined> {
  if (state.site.flavor === 'document' || !ours.test(page.path)) return undefined;
  const troubles = faults.hit(undefined, `${page.method} ${page.path}`);
  const wait = find(troubles, (each) => ('delay' in each ? each.delay : undefined));
  if (wait !== undefined) await sleep(wait);
  const lost = find(troubles, (each) => ('drop' in each ? each.drop : undefined));
  if (lost === 'before') return 'lost';
  const answer = find(troubles, (each) => instead(state, each)) ?? (await oauthWeb(state, page));
  return lost === undefined ? answer : 'lost';
}

async function oauthWeb(state: State, request: WebRequest): Promise<Answer | undefined> {
  const { method, path, headers, raw, base } = request;
  switch (`${method} ${path}`) {
    case 'GET /.well-known/openid-configuration':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: configuration(state) };
    case 'POST /login/oauth/access_token':
      return tokenEndpoint(state, raw, headers);
    case 'GET /login/oauth/userinfo':
      return userinfo(state, headers);
    case 'POST /login/oauth/introspect':
      return introspect(state, raw, headers);
    case 'GET /login/oauth/authorize': {
      const { session, cookie } = sessionOf(state, headers);
      const shown = await authorize(state, base, session, request.search);
      if (shown) return shown;
      session.next = `${base}${path}?${request.search}`;
      return { status: 303, headers: { location: `${base}/user/login`, 'set-cookie': cookie } };
    }
    case 'POST /login/oauth/grant':
      if (isForeign(headers)) return errorPage('Forbidden', 'cross-origin request detected');
      return decide(state, sessionOf(state, headers).session, formOf(raw, headers));
    case 'GET /user/login':
      return loginPage(base, people(state), false);
    case 'POST /user/login':
      return isForeign(headers) ? errorPage('Forbidden', 'cross-origin request detected') : login(state, request);
    default:
      return undefined;
  }
}

const people = (state: State) => [...state.users.values()].filter(({ password }) => password !== undefined);

/** Browsers say where a form came from; other sites' are refused. */
const isForeign = ({ origin, host }: IncomingHttpHeaders): boolean =>
  origin !== undefined && origin !== 'null' && new URL(origin).host !== host;

function sessionOf(state: State, headers: IncomingHttpHeaders): { session: Session; cookie: string } {
  const { sessions } = state.oauth;
  const given = /(?:^|;\s*)i_like_gitea=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
  const known = sessions.get(given);
  const id = known ? given : random();
  const session = known ?? {};
  sessions.set(id, session);
  return { session, cookie: `i_like_gitea=${id}; Path=/; HttpOnly; SameSite=Lax` };
}

function login(state: State, { headers, raw, base }: WebRequest): Answer | Promise<Answer> {
  const form = formOf(raw, headers);
  const user = people(state).find(
    (each) => each.login === form.get('user_name') && each.password === form.get('password'),
  );
  const { session, cookie } = sessionOf(state, headers);
  if (!user) return loginPage(base, people(state), true);
  session.user = user;
  const { headers: to } = redirect(session.next ?? `${base}/`);
  return { status: 303, headers: { ...to, 'set-cookie': cookie } };
}
