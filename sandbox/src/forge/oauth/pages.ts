import { html } from 'hono/html';
import type { Answer } from '../http/answer.js';
import type { Asked, OAuthApp } from '../state/oauth.js';
import type { User } from '../state/people.js';

type Html = ReturnType<typeof html>;

const style =
  'body{font:16px/1.5 system-ui;max-width:32rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.4rem .9rem;margin:.2rem .3rem .2rem 0}input{font:inherit}';

async function page(status: number, title: string, body: Html): Promise<Answer> {
  const content = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body><main><h1>${title}</h1>${body}</main></body>
</html>`;
  return { status, text: { type: 'text/html; charset=utf-8', content: String(content) } };
}

export const errorPage = (title: string, says: string): Promise<Answer> => page(400, title, html`<p>${says}</p>`);

/** The usual form; below it everyone in the sandbox, with their passwords. */
export function loginPage(base: string, people: readonly User[], wrong: boolean): Promise<Answer> {
  const quick = people.map(
    ({ login, password = '' }) => html`<form method="post" action="${base}/user/login">
      <input type="hidden" name="user_name" value="${login}" />
      <input type="hidden" name="password" value="${password}" />
      <button type="submit">Sign in as ${login}</button>
    </form>`,
  );
  return page(
    200,
    'Sign in to the sandbox forge',
    html`${wrong ? html`<p role="alert">Username or password is incorrect.</p>` : ''}
      <form method="post" action="${base}/user/login">
        <p><label>Username <input name="user_name" autocomplete="username" /></label></p>
        <p><label>Password <input name="password" type="password" autocomplete="current-password" /></label></p>
        <button type="submit">Sign in</button>
      </form>
      <h2>Sandbox accounts</h2>
      ${quick}`,
  );
}

export function consentPage(base: string, app: OAuthApp, user: User, asked: Asked, scope: string): Promise<Answer> {
  return page(
    200,
    `Authorize “${app.name}” to access your account?`,
    html`<p>You are signed in as <b>${user.login}</b>. This application was created by @${app.owner.login}.</p>
      <p>It asks for: <b>${scope}</b></p>
      <p>You will be redirected to <b>${asked.redirectUri}</b> if you authorize it.</p>
      <form method="post" action="${base}/login/oauth/grant">
        <input type="hidden" name="client_id" value="${app.clientId}" />
        <input type="hidden" name="state" value="${asked.state}" />
        <input type="hidden" name="scope" value="${scope}" />
        <input type="hidden" name="nonce" value="" />
        <input type="hidden" name="redirect_uri" value="${asked.redirectUri}" />
        <button type="submit" name="granted" value="true">Authorize application</button>
        <button type="submit" name="granted" value="false">Cancel</button>
      </form>`,
  );
}
