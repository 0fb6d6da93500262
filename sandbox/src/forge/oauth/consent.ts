import type { Answer } from '../http/answer.js';
import type { Asked, Session } from '../state/oauth.js';
import type { State } from '../state/state.js';
import { createCode, createGrant, grantOf, knowsRedirect } from './grants.js';
import { consentPage, errorPage } from './pages.js';

export const redirect = (location: string): Answer => ({ status: 303, headers: { location } });

function back(to: string, answer: Readonly<Record<string, string>>): Answer {
  const url = new URL(to);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  return redirect(url.href);
}

const denied = ({ redirectUri, state }: Asked, error: string, description: string): Answer =>
  back(redirectUri, { error, error_description: description, state });

/** GET /login/oauth/authorize, for signed-in people. */
export async function authorize(
  state: State,
  base: string,
  session: Session,
  query: URLSearchParams,
): Promise<Answer | undefined> {
  const { user } = session;
  if (user === undefined) return undefined;
  const field = (name: string) => query.get(name) ?? '';
  const asked: Asked = {
    clientId: field('client_id'),
    redirectUri: field('redirect_uri'),
    state: field('state'),
    challenge: field('code_challenge'),
    method: field('code_challenge_method'),
  };
  const app = state.oauth.apps.get(asked.clientId);
  if (app === undefined) return errorPage('Authorization failed', 'Client ID not registered');
  if (!knowsRedirect(app, asked.redirectUri)) return errorPage('Authorization failed', 'Unregistered Redirect URI');
  if (field('response_type') !== 'code')
    return denied(asked, 'unsupported_response_type', 'Only code response type is supported.');
  if (asked.method === '' && !app.confidential)
    return denied(asked, 'invalid_request', 'PKCE is required for public clients');
  if (!['', 'S256', 'plain'].includes(asked.method))
    return denied(asked, 'invalid_request', 'unsupported code challenge method');
  const grant = grantOf(state, app, user);
  // someone who consented before is sent straight back, with the earlier scopes
  if (grant && app.confidential)
    return back(asked.redirectUri, { code: createCode(state, grant, asked), state: asked.state });
  session.asked = asked;
  return consentPage(base, app, user, asked, field('scope'));
}

/** POST /login/oauth/grant, from the consent page. */
export async function decide(state: State, session: Session, form: ReadonlyMap<string, string>): Promise<Answer> {
  const { asked, user } = session;
  const app = state.oauth.apps.get(asked?.clientId ?? '');
  const isSame =
    asked?.clientId === form.get('client_id') &&
    asked?.state === form.get('state') &&
    asked?.redirectUri === form.get('redirect_uri');
  if (!asked || !user || !app || !isSame) return errorPage('Bad Request', 'The request does not fit the session.');
  if (form.get('granted') !== 'true') return denied(asked, 'access_denied', 'the request is denied');
  const scope = form.get('scope') ?? '';
  const existing = grantOf(state, app, user);
  if (existing && existing.scope !== scope) return denied(asked, 'server_error', 'a grant exists with different scope');
  const grant = existing ?? createGrant(state, app, user, scope);
  return back(asked.redirectUri, { code: createCode(state, grant, asked), state: asked.state });
}
