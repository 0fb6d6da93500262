import { createToken } from '../acts/people.js';
import { created, forbidden, notFound, ok, refuse } from '../http/answer.js';
import type { Handlers } from '../http/call.js';
import { signedIn, userAt } from '../http/guard.js';
import { list } from '../http/paging.js';
import { userJson } from '../render/people.js';
import { stamp } from '../render/view.js';

const scopeNames =
  /^(all|public-only|(read|write):(activitypub|admin|misc|notification|organization|package|issue|repository|user))$/;

export const users = {
  me: (call) => ok(userJson(call.view, signedIn(call))),

  get: (call) => ok(userJson(call.view, userAt(call, call.params.username))),

  search: (call) => {
    const q = (call.query.text('q') ?? '').toLowerCase();
    const uid = call.query.number('uid');
    const found = [...call.state.users.values()].filter(
      (user) =>
        user.kind !== 'Organization' &&
        (uid === undefined || user.id === uid) &&
        (user.login.toLowerCase().includes(q) ||
          user.fullName.toLowerCase().includes(q) ||
          (call.caller.user !== undefined && user.email.toLowerCase() === q)),
    );
    return list(call, found, (user) => userJson(call.view, user), { wrap: (data) => ({ ok: true, data }) });
  },

  createToken: (call) => {
    const { state, view, caller } = call;
    // The Basic form is asked for, with the password or a token in its place.
    if (caller.via !== 'basic') throw refuse(401, 'auth required');
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
      created_at: stamp(view, token.created),
      last_used_at: stamp(view, 0),
    });
  },

  currentToken: ({ caller, view }) => {
    const { token } = caller;
    if (token === undefined) throw notFound();
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
