import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn } = talkTo(() => bellows);
const engine = 'acme/engine';
const policy =
  'roles:\n  admin:\n    users: [U0ADA00001]\napprovals:\n  commands:\n    runner add: { count: 0 }\n    runner token: { count: 0 }\n    hook create: { count: 0 }\n';

const start = (flavor: 'forgejo-11' | 'forgejo-15' | 'forgejo-16', pageMax?: number) => async () => {
  const forge = { flavor, ...(pageMax !== undefined && { pageMax }) };
  bellows = await startBellows({ forge, policy, logLevel: 'debug' });
  await bellows.link('ada');
};
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('Forgejo 16', () => {
  beforeAll(start('forgejo-16'));
  afterAll(() => bellows.close());

  it('cancels the run at a pasted address and never the one whose id is in it', async () => {
    const { world } = bellows.forge;
    const queue = (title: string) => world.queueRun({ as: 'grace', repo: engine, title });
    const first = queue('The first');
    let second = queue('The second');
    while (second.number < first.id) second = queue('The second');
    const answer = await type('ada', `run cancel ${bellows.forge.url}/${engine}/actions/runs/${first.id}`);
    expect(answer.text).toContain(`Canceled The second, run ${second.number}`);
    expect([world.run(first.id)?.status, world.run(second.id)?.status]).toEqual(['waiting', 'cancelled']);
  });

  it('shows a run with its jobs and links to its page', async () => {
    const run = bellows.forge.world.queueRun({ as: 'grace', repo: engine, title: 'To be shown' });
    const shown = words(await type('ada', `run show ${bellows.forge.url}/${engine}/actions/runs/${run.number}`));
    expect(shown).toContain('To be shown');
    expect(shown).toContain('Open in Forgejo');
    expect(shown).toContain('"text":"Cancel"');
  });

  it('says that no Forgejo can force-cancel, and names no release of another product', async () => {
    const { world } = bellows.forge;
    const dayAgo = Math.floor(Date.now() / 1_000) - 90_000;
    const run = world.at(dayAgo, () => world.startRun({ as: 'ada', repo: engine, title: 'Hangs for a day' }));
    world.freezeRun({ run: run.id });
    const shown = words(await type('ada', 'run stuck'));
    expect(shown).toContain('Hangs for a day');
    expect(shown).toContain('"text":"Cancel"');
    expect(shown).toContain('force-cancel is not available: no Forgejo release supports it');
    expect(shown).not.toContain('"Force-cancel"');
    expect(shown).not.toContain('Gitea');
  });
});

describe('Forgejo 15', () => {
  beforeAll(start('forgejo-15'));
  afterAll(() => bellows.close());

  it('lists runs in the same words as every other server', async () => {
    const failed = words(await type('ada', `run list ${engine} --status failure --branch main`));
    expect(failed).toContain('❌ Failed');
    expect(failed).not.toContain('✅ Passed');
    expect(failed).not.toContain('"text":"Cancel"');
  });

  it('says which Forgejo can cancel', async () => {
    expect((await type('ada', `run cancel ${engine}#7`)).text).toMatch(
      /^Forgejo 15\.0\.3 does not support run cancel: it needs Forgejo 16 or later\.$/,
    );
  });

  it('registers a runner by name, and shows its token once and only to the requester', async () => {
    const answer = await type('ada', 'runner add builder-9 --ephemeral');
    const made = [...bellows.forge.world.state.runners.values()].find(({ name }) => name === 'builder-9');
    expect(words(answer)).toContain(made?.token);
    expect(words(answer)).toContain(made?.uuid);
    expect(made?.ephemeral).toBe(true);
    expect(bellows.logged.join('')).not.toContain(made?.token);
    expect(words(await type('ada', 'runner token'))).toContain('register one by name: /forge runner add');
  });

  it('says so when a runner was registered and its token was lost', async () => {
    bellows.forge.faults.add({ on: 'POST /admin/actions/runners', trouble: { drop: 'after' } });
    const answer = words(await type('ada', 'runner add builder-10'));
    expect(answer).toContain('Its token was lost');
    const made = [...bellows.forge.world.state.runners.values()].filter(({ name }) => name === 'builder-10');
    expect(made).toHaveLength(1);
    expect(answer).toContain(`runner remove ${made[0]?.id}`);
  });

  it('shows runners that cannot be disabled', async () => {
    const listed = words(await type('ada', 'runner list'));
    expect(listed).toContain('builder-1');
    expect(listed).not.toContain('Disable');
    expect((await type('ada', 'runner list --only disabled')).text).toContain('Forgejo 15.0.3 cannot disable runners');
  });

  it('pages scheduled tasks, though the server returns all of them at once', async () => {
    const first = await type('ada', 'cron list');
    expect(words(first)).toContain('update_mirrors');
    const second = words(await turn('ada', first, 'Show more'));
    expect(second).toMatch(/11–20 of \d{2}/);
    expect(second).not.toContain('update_mirrors');
  });

  it('names itself', async () => {
    const me = await type('ada', 'whoami');
    expect(me.text).toContain('on Forgejo 15.0.3');
  });
});

describe('Forgejo 11', () => {
  beforeAll(start('forgejo-11', 5));
  afterAll(() => bellows.close());

  it('offers nothing about runs', async () => {
    const help = words(await type('ada', 'help run'));
    expect(help).not.toContain('run show');
    expect((await type('ada', `run show ${engine}#1`)).text).toContain(
      'Forgejo 11.0.1 does not support run show: it needs Forgejo 12 or later.',
    );
  });

  it('refuses to follow runs, and polls none', async () => {
    const answer = await type('ada', `subscribe ${engine} issues runs`);
    expect(answer.text).toContain('Forgejo 11.0.1 does not list workflow runs');
    await type('ada', `subscribe ${engine} issues`);
    expect(bellows.forge.requests.of('GET /repos/{owner}/{repo}/actions/runs')).toEqual([]);
  });

  it('gets no hook for runs, of which it would send none', async () => {
    const run = await type('ada', 'hook create https://ci.example.org/b --events workflow_run');
    expect(run.text).toBe('Forgejo 11.0.1 sends no webhooks for runs; it needs Forgejo 12 or later.');
    expect(bellows.forge.requests.of('POST /admin/hooks')).toEqual([]);
  });

  it('says that nobody has that name, though the server only finds nothing', async () => {
    expect((await type('ada', 'issue search --author nosuch')).text).toContain('I can’t find nosuch on the forge');
  });

  it('finds the issues of one author, though the server ignores that filter', async () => {
    const found = words(await type('ada', 'issue search --author grace --state all'));
    expect(found).toContain('grace');
    expect(found).not.toMatch(/by (ada|linus)\b/);
  });

  describe('a long list that the server does not filter', () => {
    beforeAll(() => {
      const { world } = bellows.forge;
      for (let at = 1; at <= 60; at += 1)
        world.openIssue({ as: at % 20 === 0 ? 'grace' : 'ada', repo: engine, title: `Leak ${at}` });
    });

    it.each([
      ['found', 'grace', 'Leak 60'],
      ['missing', 'margaret', 'No issues.'],
    ])('says how far it looked if something was %s', async (_what, author, part) => {
      const shown = words(await type('ada', `issue list ${engine} --author ${author} --state all`));
      expect(shown).toContain(part);
      expect(shown).toContain('Only the first 50 were searched.');
    });
  });
});
