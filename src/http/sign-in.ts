import { createHash } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html, raw } from 'hono/html';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Offered, type SignIn, SignInRefused } from '../chat/sign-in.js';
import { reasonOf } from '../errors.js';
import type { Log } from '../log.js';
import { growTo } from '../memory.js';

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

function secureHeaders(context: Context): void {
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

function offeredPage(offered: Offered): Html {
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

const refusedPage = (says: string): Html => page('Sign-in not finished', html`<p>${says}</p>`);

interface SignInOptions {
  readonly signIn: SignIn;
  readonly publicUrl: string;
  readonly log: Log;
  readonly now?: () => number;
}

const cookie = 'bellows_sign_in';
const tenMinutes = 600;
/** Far more than real sign-ins need, for one address (perhaps a proxy's) and for one ticket. */
const perAddress = { atOnce: 50, perSecond: 5 };
const perTicket = { atOnce: 20, perSecond: 0.1 };

const Start = z.object({ for: z.string().min(1).max(1_000) });
const word = z.string().max(2_000).optional();
const Callback = z.object({
  state: z.string().regex(/^[\w-]{43}$/),
  code: word,
  error: word,
  error_description: word,
});

/** The pages for signing in at the forge. No token is ever in a URL here. */
export function mountSignIn(app: Hono, { signIn, publicUrl, log, now = Date.now }: SignInOptions): void {
  const { pathname, protocol } = new URL(publicUrl);
  const place = {
    path: `${pathname.replace(/\/+$/, '')}/oauth`,
    httpOnly: true,
    sameSite: 'Lax',
    secure: protocol === 'https:',
  } as const;
  const buckets = new LRUCache<string, () => boolean>(growTo(10_000));

  function isAdmitted(key: string, pace: typeof perAddress): boolean {
    const take = buckets.get(key) ?? bucket(now, pace);
    buckets.set(key, take);
    return take();
  }

  async function answer(context: Context, work: () => Promise<Response>): Promise<Response> {
    secureHeaders(context);
    try {
      return await work();
    } catch (error) {
      if (error instanceof SignInRefused) return context.html(refusedPage(error.message), 400);
      log.error({ reason: reasonOf(error) }, 'a sign-in failed');
      return context.html(
        refusedPage('The sign-in failed because of a problem in Bellows. Run the sign-in command in Slack again.'),
        500,
      );
    }
  }

  const unknown = () => new SignInRefused('This address is incomplete. Start again from the button in Slack.');

  app.get('/oauth/start', (context) =>
    answer(context, async () => {
      const asked = Start.safeParse(context.req.query());
      if (!asked.success) throw unknown();
      const { for: ticket } = asked.data;
      // guesses are refused by `begin` and charged to nobody: they often share a proxy's address with honest people
      if (signIn.knows(ticket)) {
        const from = getConnInfo(context).remote.address ?? 'unknown';
        if (!isAdmitted(`ticket ${ticket}`, perTicket) || !isAdmitted(`address ${from}`, perAddress))
          return context.html(refusedPage('Too many requests. Wait a minute and try again.'), 429);
      }
      const { to, state } = await signIn.begin(ticket);
      setCookie(context, cookie, state, { ...place, maxAge: tenMinutes });
      return context.redirect(to, 303);
    }),
  );

  app.get('/oauth/callback', (context) =>
    answer(context, async () => {
      const asked = Callback.safeParse(context.req.query());
      if (!asked.success) throw unknown();
      // needs no limit of its own: only states of ours reach the forge, once each, and a person can start ten in ten minutes
      const begun = getCookie(context, cookie);
      setCookie(context, cookie, '', { ...place, maxAge: 0 });
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(asked.data)) if (value !== undefined) query.set(name, value);
      return context.html(offeredPage(await signIn.finish({ state: asked.data.state, query, begun })));
    }),
  );
}

/** A token bucket: a burst, then a steady rate. */
function bucket(now: () => number, { atOnce, perSecond }: typeof perAddress): () => boolean {
  let left = atOnce;
  let filled = now();
  return () => {
    left = Math.min(atOnce, left + ((now() - filled) / 1_000) * perSecond);
    filled = now();
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
