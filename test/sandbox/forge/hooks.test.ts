import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ask, forges } from './ask.js';

const start = forges();
const close: (() => void)[] = [];
afterEach(() => {
  for (const stop of close.splice(0)) stop();
});

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function receiver(): Promise<{ url: string; received: Delivery[] }> {
  const received: Delivery[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    received.push({ headers: request.headers, text });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close.push(() => server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/hooks`, received };
}

const hook = (url: string, events: string[], more: object = {}) => ({
  type: 'gitea',
  active: true,
  events,
  config: { url, content_type: 'json', secret: 'shared', is_system_webhook: 'true', ...more },
});

it('delivers signed events of every repository to a system hook', async () => {
  const forge = await start();
  const { url, received } = await receiver();
  const made = await ask(forge, 'ada', 'POST /admin/hooks', hook(url, ['issues', 'push']));
  expect(JSON.stringify(made.answer)).not.toContain('shared');
  forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Wake up' });
  forge.world.push({ as: 'grace', repo: 'acme/vault', branch: 'main', commits: ['Quietly'] });
  forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'not asked for' });
  await forge.world.delivered();
  expect(received.map(({ headers }) => headers['x-gitea-event']).sort()).toEqual(['issues', 'push']);
  for (const { headers, text } of received) {
    const signature = createHmac('sha256', 'shared').update(text).digest('hex');
    expect(headers).toMatchObject({ 'x-gitea-signature': signature, 'x-hub-signature-256': `sha256=${signature}` });
  }
  const opened = received.find(({ headers }) => headers['x-gitea-event'] === 'issues');
  expect(JSON.parse(opened?.text ?? '')).toMatchObject({
    action: 'opened',
    issue: { title: 'Wake up' },
    repository: { full_name: 'acme/engine' },
    sender: { login: 'grace' },
  });
});

it('copies a default hook into later repositories, and lists it only on request', async () => {
  const forge = await start();
  const { url, received } = await receiver();
  await ask(forge, 'ada', 'POST /admin/hooks', hook(url, ['issues'], { is_system_webhook: 'false' }));
  expect((await ask(forge, 'ada', 'GET /admin/hooks')).answer).toEqual([]);
  expect((await ask(forge, 'ada', 'GET /admin/hooks?type=default')).answer).toHaveLength(1);
  forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Old' });
  forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'fresh' });
  forge.world.openIssue({ as: 'grace', repo: 'acme/fresh', title: 'New' });
  await forge.world.delivered();
  expect(received.map(({ text }) => JSON.parse(text).issue.title)).toEqual(['New']);
});

it('sends reviews and runs under their exact kinds', async () => {
  const forge = await start();
  const { url, received } = await receiver();
  await ask(forge, 'ada', 'POST /admin/hooks', hook(url, ['pull_request_review', 'workflow_run']));
  forge.world.review({ as: 'ada', repo: 'acme/engine', index: 8, verdict: 'approve', body: 'yes' });
  const run = forge.world.startRun({ as: 'grace', repo: 'acme/engine' });
  forge.world.finishRun({ run: run.id, conclusion: 'success' });
  await forge.world.delivered();
  expect(received.map(({ headers }) => headers['x-gitea-event-type']).sort()).toEqual([
    'pull_request_review_approved',
    'workflow_run',
    'workflow_run',
    'workflow_run',
  ]);
});

it('tries an unreachable receiver only once', async () => {
  const forge = await start();
  await ask(forge, 'ada', 'POST /admin/hooks', hook('http://127.0.0.1:1/', ['issues']));
  forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Hello?' });
  expect(await forge.world.delivered()).toMatchObject([{ event: 'issues', status: undefined }]);
});
