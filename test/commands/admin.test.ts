import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn, form } = talkTo(() => bellows);
const served = (route: string) => bellows.forge.requests.of(route);
const crons = 'POST /admin/cron/{task}';
const hooks = 'POST /admin/hooks';

beforeAll(async () => {
  const policy =
    'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\napprovals:\n  commands:\n    hook create: { count: 0 }\n';
  bellows = await startBellows({ policy, publicUrl: 'https://bellows.example.org/', logLevel: 'debug' });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists jobs of the whole forge, newest first', async () => {
  const answer = await type('ada', 'admin jobs --status queued,in_progress');
  expect(served('GET /admin/actions/jobs').at(-1)?.query).toMatchObject({ sort: 'id', order: 'desc' });
  expect(words(answer)).toContain('train');
});

it('lists runs of the whole forge with filters', async () => {
  const answer = await type('ada', 'admin runs --status failure --actor grace --branch main --event push');
  expect(served('GET /admin/actions/runs').at(-1)?.query).toMatchObject({
    status: 'failure',
    actor: 'grace',
    branch: 'main',
    event: 'push',
  });
  expect(words(answer)).toContain('Add a printer');
});

it('recognizes an unknown actor before the forge fails on it', async () => {
  expect((await type('ada', 'admin runs --actor nobody')).text).toContain('can’t find nobody on the forge');
  expect(served('GET /admin/actions/runs')).toEqual([]);
});

it('lists and searches email addresses', async () => {
  expect(words(await type('ada', 'admin emails'))).toContain('ada');
  const found = words(await type('ada', 'admin emails grace'));
  expect(found).toContain('grace');
  expect(found).not.toContain('linus');
});

describe('cron', () => {
  it('lists the tasks and pages', async () => {
    const first = await type('ada', 'cron list');
    expect(words(first)).toContain('update_mirrors');
    expect(words(await turn('ada', first, 'Show more'))).toContain('11–20 of 28');
  });

  it('names the nearest task instead of requesting approval', async () => {
    expect((await type('ada', 'cron run git_gc_repo')).text).toContain('Did you mean git_gc_repos?');
    expect((await type('ada', 'cron run nosuch')).text).not.toContain('Did you mean');
    expect(served(crons)).toEqual([]);
  });

  it('starts one after an approval that shows its last run', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    await ada.command('engine', '/forge', 'cron run update_mirrors');
    const card = await slack.until(() => ada.sees('engine').find((shown) => words(shown).includes('@every 10m')));
    expect(words(card)).toContain('not yet');
    await slack.as('grace').click(card, 'Approve');
    await slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('Started')));
    expect(served(crons)).toMatchObject([{ who: 'ada', path: '/admin/cron/update_mirrors' }]);
  });
});

describe('hook', () => {
  it('wakes Bellows by one system hook', async () => {
    const answer = await type('ada', 'hook create --wake');
    expect(served(hooks).at(-1)?.body).toMatchObject({
      type: 'gitea',
      active: true,
      config: {
        url: 'https://bellows.example.org/hooks/forge',
        secret: bellows.config.forge.webhookSecret,
        is_system_webhook: 'true',
        content_type: 'json',
      },
      events: expect.arrayContaining(['push', 'issues', 'pull_request', 'workflow_run', 'status']),
    });
    expect(words(answer)).toContain('bellows.example.org');
    expect(words(answer)).not.toContain(bellows.config.forge.webhookSecret);
  });

  it('does so only once', async () => {
    expect((await type('ada', 'hook create --wake')).text).toContain('already calls that address');
    expect(served(hooks)).toEqual([]);
  });

  it('shows hooks of both kinds', async () => {
    expect(words(await type('ada', 'hook list'))).toContain('bellows.example.org');
    expect((await type('ada', 'hook list --kind default')).text).toContain('No matching webhooks');
  });

  it.each([
    ['slack', 'https://hooks.slack.com/services/T0/B0/SECRETSLACK', 'hooks.slack.com'],
    ['discord', 'https://discord.com/api/webhooks/1/SECRETDISCORD', 'discord.com'],
    ['telegram', 'https://api.telegram.org/bot1:SECRETTELEGRAM/sendMessage?chat_id=1', 'api.telegram.org'],
  ])('lists a hook of type %s without its address, which is a secret', async (hookType, url, host) => {
    const config = { url, content_type: 'json', is_system_webhook: 'true', channel: '#builds' };
    const made = await fetch(`${bellows.forge.url}/api/v1/admin/hooks`, {
      method: 'POST',
      headers: {
        authorization: `token ${bellows.forge.users['ada']?.token()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ type: hookType, active: true, events: ['push'], config }),
    });
    expect(made.status).toBe(201);
    const before = bellows.slack.calls.all.length;
    expect(words(await type('ada', 'hook list'))).toContain(host);
    const sent = JSON.stringify(bellows.slack.calls.all.slice(before));
    expect(sent + JSON.stringify(bellows.slack.as('ada').sees('engine')) + bellows.logged.join('')).not.toContain(
      'SECRET',
    );
  });

  it('keeps a secret address out of the line', async () => {
    const answer = await type('ada', 'hook create https://hooks.example.org/T0/B0/x --type slack --channel builds');
    expect(answer.text).toContain('webhook is a secret');
    expect(served(hooks)).toEqual([]);
  });

  it('asks with a form when nothing is typed', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'hook create');
    expect(words(await form('ada'))).toContain('Signing secret');
    await ada.close();
  });
});
