import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Offered } from '../chat/sign-in.js';

type Html = ReturnType<typeof html>;

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: #1d1c1d; background: #fff }
dl { display: grid; grid-template-columns: auto 1fr; gap: .3rem 1.2rem }
dt { color: #616061 }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere }
output { font: 600 2.4rem/1 ui-monospace, monospace; letter-spacing: .12em }
@media (prefers-color-scheme: dark) { body { color: #f8f8f8; background: #1a1d21 } dt { color: #b5b6b7 } }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** Loads nothing, cannot be framed, and sends no referrer. */
const headers = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

export function secured(context: Context): void {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
}

const page = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>${raw(style)}</style>
  </head>
  <body><main><h1>${title}</h1>${body}</main></body>
</html>`;

const accounts = ({ slackName, workspace, login, forge }: Offered): Html =>
  html`<dl>
    <dt>Slack person</dt>
    <dd>${slackName}</dd>
    <dt>Slack workspace</dt>
    <dd>${workspace}</dd>
    <dt>Forge account</dt>
    <dd>${login} on ${forge}</dd>
  </dl>`;

export function offeredPage(offered: Offered): Html {
  const { slackName, login, code } = offered;
  if (code === undefined)
    return page(
      'Already linked',
      html`<p>These two accounts stay linked. You can close this page.</p>${accounts(offered)}`,
    );
  return page(
    'Confirm in Slack',
    html`<p>These two accounts are about to be linked:</p>
      ${accounts(offered)}
      <p>Open the message from Bellows in Slack, choose “Link as ${login}” and enter this number:</p>
      <p><output>${code.slice(0, 3)} ${code.slice(3)}</output></p>
      <p><strong>Are you not ${slackName}?</strong> Then someone sent you their link. Close this page and don’t share the number. Nothing is linked.</p>`,
  );
}

export const refusedPage = (says: string): Html => page('Sign-in not finished', html`<p>${says}</p>`);
