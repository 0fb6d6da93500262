import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@bellows/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/log.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

describe('the page’s server', () => {
  let sandbox: Sandbox;
  let assets = '';

  beforeAll(async () => {
    assets = await mkdtemp(join(tmpdir(), 'bellows-assets-'));
    await writeFile(join(assets, 'index.html'), '<!doctype html><title>here</title>');
    sandbox = await startSandbox({ port: 0, log: createLog({ level: 'silent' }), assets });
  });
  afterAll(async () => {
    await sandbox.stop();
    await rm(assets, { recursive: true });
  });

  const ask = (path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${sandbox.address}${path}`,
        { method: body === undefined ? 'GET' : 'POST', headers },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });

  const json = { 'content-type': 'application/json' };
  const act = (as: string, what: object) => ask('/api/act', json, JSON.stringify({ as, act: what }));
  const happen = (verb: string, repo = 'acme/engine', as = 'grace') =>
    ask('/api/forge', json, JSON.stringify({ verb, as, repo }));

  it('listens on this machine only', () => {
    expect(sandbox.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('serves the page under a policy that allows nothing from elsewhere', async () => {
    const answer = await ask('/');
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('here') });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('refuses other hosts, other sites and plain forms', async () => {
    expect((await ask('/', { host: 'evil.example' })).status).toBe(403);
    expect((await ask('/api/act', { ...json, origin: 'http://evil.example' }, '{}')).status).toBe(403);
    expect((await ask('/api/act', { 'content-type': 'text/plain' }, '{}')).status).toBe(415);
  });

  it('refuses unknown requests', async () => {
    expect((await act('U0NOBODY', { kind: 'home' })).status).toBe(400);
    expect((await act('U0ADA00001', { kind: 'become-admin' })).status).toBe(400);
    expect((await ask('/api/live?as=U0NOBODY')).status).toBe(400);
  });

  it('does not let a person into someone else’s channel', async () => {
    const { text } = await act('U0LINUS001', { kind: 'say', channel: 'C0CORE0001', text: 'hello' });
    expect(JSON.parse(text)).toEqual({ ok: false, error: 'linus is not in core.' });
  });

  it.each([
    ['issue', /^grace opened acme\/engine#\d+ /],
    ['comment', /^grace commented on /],
    ['push', /^grace pushed to acme\/engine$/],
    ['pull', /^grace opened acme\/engine#\d+ /],
    ['review', /^grace asked \w+ to review /],
    ['merge', /^grace merged /],
    ['fail', /^Run \d+ of acme\/engine failed$/],
    ['pass', /^Run \d+ of acme\/engine passed$/],
    ['stick', /^Run \d+ of acme\/engine is stuck/],
  ])('makes it happen on the forge: %s', async (verb, said) => {
    const answer = JSON.parse((await happen(verb)).text);
    expect(answer).toEqual({ ok: true, said: expect.stringMatching(said) });
  });

  it('says what to do first if something cannot happen', async () => {
    const answer = JSON.parse((await happen('merge', 'linus/notes')).text);
    expect(answer).toEqual({ ok: false, error: 'linus/notes has no open pull request. Open one first.' });
  });

  it('shows where links lead, with the forge’s text escaped', async () => {
    const { world } = sandbox.forge;
    const { index } = world.openIssue({ as: 'ada', repo: 'acme/engine', title: '<script>alert(1)</script>' });
    const page = await ask(`/forge/acme/engine/issues/${index}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text).not.toContain('<script>');
    expect((await ask('/forge/acme/engine')).text).toContain('acme/engine');
    expect((await ask('/forge/acme/nothing')).status).toBe(404);
    const run = [...world.state.runs.values()].at(-1);
    expect((await ask(`/forge/acme/engine/actions/runs/${run?.id}`)).text).toContain(run?.title);
  });
});
