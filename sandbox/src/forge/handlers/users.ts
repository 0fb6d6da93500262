import { createToken } from '../acts/people.js';
import { created, forbidden, invalid, notFound, ok, refuse } from '../http/answer.js';
import type { Handlers } from '../http/call.js';
import { signedIn, userAt } from '../http/guard.js';
import { list } from '../http/paging.js';
import { registerApp } from '../oauth/grants.js';
import { userJson } from '../render/people.js';
import { type Json, stamp, type View } from '../render/view.js';
import { ownerShown } from '../state/access.js';
import { isForgejo } from '../state/site.js';

const scopeNames =
  /^(all|public-only|(read|write):(activitypub|admin|misc|notification|organization|package|issue|repository|user))$/;

function tokenDates(view: View, created: number): Json {
  const { site } = view.state;
  if (!isForgejo(site)) return { created_at: stamp(view, created), last_used_at: stamp(view, 0) };
  return {
    ...(isForgejo(site, 15) ? { repositories: null } : {}),
    ...(isForgejo(site, 16) ? { created_at: stamp(view, created) } : {}),
  };
}

export const users = {
  me: (call) => ok(userJson(call.view, signedIn(call))),

  get: (call) => ok(userJson(call.view, userAt(call, call.params.username))),

  search: (call) => {
    const q = (call.query.text('q') ?? '').toLowerCase();
    const uid = call.query.number('uid');
    const found = [...call.state.users.values()].filter(
      (user) =>
        user.kind !== 'Organization' &&
        ownerShown(call.state, call.caller.user, user) &&
        (uid === undefined || user.id === uid) &&
        (user.login.toLowerCase().includes(q) ||
          user.fullName.toLowerCase().includes(q) ||
          (call.caller.user !== undefined && user.email.toLowerCase() === q)),
    );
    return list(call, found, (user) => userJson(call.view, user), { wrap: (data) => ({ ok: true, data }) });
  },

  createToken: (call) => {
    const { state, view, caller } = call;
    // Needs Basic, with the password or a token in its place.
    const passwordOnly = isForgejo(state.site, 15);
    if (caller.via !== 'basic' || (passwordOnly && caller.token !== undefined)) {
      throw refuse(401, passwordOnly ? 'auth method not allowed' : 'auth required');
    }
    const user = userAt(call, call.params.username);
    if (caller.user !== user && caller.user?.admin !== true)
      throw forbidden('user should be the site admin or the user itself');
    const body = call.body();
    const name = body.requiredText('name');
    const scopes = body.texts('scopes') ?? [];
    if (scopes.length === 0) throw refuse(400, 'access token must have a scope');
    const unknown = scopes.find((scope) => !scopeNames.test(scope));
    if (unknown !== undefined)
      throw refuse(400, `invalid access token scope provided: invalid access token scope: ${unknown}`);
    if ([...state.tokens.values()].some((token) => token.user === user && token.name === name)) {
      throw refuse(400, 'access token name has been used already');
    }
    const token = createToken(state, user, name, scopes);
    return created({
      id: token.id,
      name,
      sha1: token.secret,
      token_last_eight: token.secret.slice(-8),
      scopes,
      ...tokenDates(view, token.created),
    });
  },

  createOAuthApp: (call) => {
    const { state, view } = call;
    const owner = signedIn(call);
    const body = call.body();
    const name = body.requiredText('name');
    const redirectUris = body.texts('redirect_uris') ?? [];
    if (redirectUris.length === 0) throw invalid('[RedirectURIs]: Required');
    const app = registerApp(state, owner, {
      name,
      redirectUris,
      confidential: body.flag('confidential_client') ?? false,
    });
    return created({
      id: app.id,
      name,
      client_id: app.clientId,
      client_secret: app.secret,
      ...(isForgejo(state.site) ? {} : { skip_secondary_authorization: false }),
      confidential_client: app.confidential,
      redirect_uris: redirectUris,
      created: stamp(view, app.created),
    });
  },

  currentToken: ({ caller, view }) => {
    const { token } = caller;
    // an application's token is not among the person's own
    if (token === undefined || token.grant !== undefined) throw notFound();
    return ok({
      id: token.id,
      name: token.name,
      scopes: token.scopes,
      created_at: stamp(view, token.created),
      last_used_at: stamp(view, view.state.now()),
      user: { id: token.user.id, login: token.user.login },
    });
  },
} satisfies Handlers['users'];
