import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { z } from 'zod';
import { UserError } from '../../../src/errors.js';
import { people } from '../seed.js';
import { ActShape, perform } from './act.js';
import { HappeningShape } from './activity.js';
import { forgePages } from './forge-pages.js';
import { createLive, type Live } from './live.js';
import type { Scene } from './pieces.js';

const packageFile = createRequire(import.meta.url).resolve('@bellows/sandbox/package.json');

/** Where `npm run build` puts the page; this file is elsewhere once it is bundled. */
export const builtAssets = join(dirname(packageFile), '../dist/page');

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/app.js': ['app.js', 'text/javascript; charset=utf-8'],
  '/app.css': ['app.css', 'text/css; charset=utf-8'],
  '/forge.css': ['forge.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};

/** Links of the sandbox forge start here. */
export const forgePath = '/forge';

export interface PageOptions {
  readonly assets: string;
}

export interface Page {
  routes(app: Hono): void;
  /** Everything behind the page is up; earlier requests have waited. */
  show(scene: Scene): void;
  close(): Promise<void>;
}

const Me = z.enum(people.map(({ id }) => id));
const Request = z.object({ as: Me, act: ActShape });

/** The page, its requests and its updates. */
export function createPage({ assets }: PageOptions): Page {
  let show: (scene: Scene) => void = () => {};
  const scene = new Promise<Scene>((resolve) => {
    show = resolve;
  });
  const live = scene.then(createLive);
  return {
    show: (ready) => show(ready),
    routes(app) {
      app.use('*', onlyHere, headers);
      for (const [path, [name, type]] of Object.entries(files)) {
        app.get(path, async (context) => context.body(await asset(assets, name), 200, { 'content-type': type }));
      }
      app.get('/api/live', (context) => follow(live, context));
      app.post('/api/act', async (context) => {
        const asked = Request.safeParse(await body(context));
        if (!asked.success) return context.json({ ok: false, error: 'The page asked for something unknown.' }, 400);
        const { slack } = await scene;
        return answered(context, () => perform(slack, asked.data.as, asked.data.act));
      });
      app.post('/api/forge', async (context) => {
        const asked = HappeningShape.safeParse(await body(context));
        if (!asked.success) return context.json({ ok: false, error: 'The page asked for something unknown.' }, 400);
        const { activity } = await scene;
        return answered(context, async () => ({ ok: true, said: activity.make(asked.data) }));
      });
      forgePages(app, forgePath, scene);
    },
    close: async () => (await live).close(),
  };
}

async function follow(live: Promise<Live>, context: Context): Promise<Response> {
  const me = Me.safeParse(context.req.query('as'));
  return me.success ? (await live).follow(context, me.data) : context.text('Who?', 400);
}

const body = (context: Context): Promise<unknown> => context.req.json().catch(() => undefined);

/** Sentences for people are returned as such; anything else is a defect and becomes a 500. */
async function answered(context: Context, work: () => Promise<object>): Promise<Response> {
  try {
    return context.json(await work());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return context.json({ ok: false, error: error.message });
  }
}

async function asset(folder: string, name: string): Promise<string> {
  try {
    return await readFile(`${folder}/${name}`, 'utf8');
  } catch {
    throw new UserError(`The page is not built. Run: npm run build`);
  }
}

const local = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** Other sites in the same browser must not reach the sandbox, neither by host name nor by form. */
async function onlyHere(context: Context, next: () => Promise<void>): Promise<Response | undefined> {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin');
  const foreign = origin !== undefined && origin !== `http://${host}`;
  if (!local.test(host) || foreign) return context.text('Only for this machine.', 403);
  if (context.req.method === 'POST' && !context.req.header('content-type')?.startsWith('application/json')) {
    return context.text('Only JSON.', 415);
  }
  await next();
  return undefined;
}

const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  strictTransportSecurity: false,
  referrerPolicy: 'no-referrer',
});
