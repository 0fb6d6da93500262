import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { onServers } from '../support/servers.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, form, result } = talkTo(() => bellows);
const repo = 'acme/engine';
const policy = `
roles:
  admin:
    users: [U0ADA00001]
approvals:
  commands:
    hook create: { count: 0 }
`;
const now = () => Math.floor(Date.now() / 1000);
const hooks = () => bellows.forge.requests.of('POST /admin/hooks').map(({ body }) => body);
/** The review requests on the App Home. */
async function reviewsAtHome(user: string): Promise<string> {
  const actor = bellows.slack.as(user);
  const before = actor.home()?.hash;
  await actor.openHome();
  return bellows.slack.until(() => {
    const view = actor.home();
    const [, part] = view && view.hash !== before ? JSON.stringify(view.blocks).split('Waiting for your review') : [];
    return part?.split('"divider"')[0];
  });
}
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const servers = onServers(['forgejo-11', 'forgejo-15', 'forgejo-16'], ['forgejo-15']);

describe.each(servers)('%s', (flavor) => {
  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor }, policy, publicUrl: 'https://bellows.example.org' });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('loses no edit even though its issues have no content version', async () => {
    const { world } = bellows.forge;
    const { index } = world.openIssue({ as: 'grace', repo, title: 'Contested', body: 'First text' });
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', `issue edit ${repo}#${index}`);
    await form('ada');
    await ada.fill({ body: 'My text' });
    world.edit({ as: 'grace', repo, index, body: 'Her text' });
    await ada.submit();
    const again = words(await result('ada', 'Her text'));
    expect(again).toContain('"initial_value":"My text"');
    expect(world.issue(repo, index)?.body).toBe('Her text');
    await ada.submit();
    await result('ada', 'Changed');
    expect(world.issue(repo, index)?.body).toBe('My text');
  });

  it('counts a review as requested only until it is given', async () => {
    const { world } = bellows.forge;
    world.push({ as: 'grace', repo, branch: 'asked', commits: [{ message: 'x', files: ['asked.go'] }] });
    const { index } = world.openPull({ as: 'grace', repo, title: 'Asked of Ada', head: 'asked' });
    world.requestReview({ as: 'grace', repo, index, from: ['ada'] });
    const search = 'issue search --review-requested --type pulls';
    expect(words(await type('ada', search))).toContain('Asked of Ada');
    expect(words(await type('ada', 'todo'))).toContain('Waiting for your review');
    expect(await reviewsAtHome('ada')).toContain('Asked of Ada');
    world.review({ as: 'ada', repo, index, verdict: 'comment', body: 'Looks fine' });
    expect(words(await type('ada', search))).not.toContain('Asked of Ada');
    expect(words(await type('ada', 'todo'))).not.toContain('Waiting for your review');
    expect(await reviewsAtHome('ada')).not.toContain('Asked of Ada');
    expect(words(await type('ada', `pr show ${repo}#${index}`))).not.toMatch(/requested[^"]*ada/i);
  });

  it('is asked to wake Bellows by the names of its own events', async () => {
    await type('ada', 'hook create --wake');
    const [body] = hooks();
    const { events } = body as { events: readonly string[] };
    expect(events).toEqual(expect.arrayContaining(['push', 'issues', 'action_run_failure', 'action_run_success']));
    for (const unknown of ['workflow_run', 'workflow_job', 'status']) expect(events).not.toContain(unknown);
  });

  it('gets no hook for events that it would silently drop', async () => {
    bellows.forge.requests.clear();
    const job = await type('ada', 'hook create https://ci.example.org/a --events workflow_job');
    expect(job.text).toContain('Forgejo has no webhook event workflow_job');
    const run = await type('ada', 'hook create https://ci.example.org/b --events workflow_run');
    if (flavor === 'forgejo-11') {
      expect(run.text).toBe('Forgejo 11.0.1 sends no webhooks for runs; it needs Forgejo 12 or later.');
      expect(hooks()).toEqual([]);
    } else expect(hooks()).toMatchObject([{ events: expect.arrayContaining(['action_run_failure']) }]);
  });

  it('imports from another Forgejo', async () => {
    bellows.forge.requests.clear();
    const line = 'repo migrate https://example.org/ada/wheel acme/wheel --service forgejo --with issues';
    expect((await type('ada', line)).text).toContain('Imported');
    expect(bellows.forge.requests.of('POST /repos/migrate')).toMatchObject([{ body: { service: 'forgejo' } }]);
  });

  it('is called by its own name', async () => {
    const ada = bellows.slack.as('ada');
    expect(words(await type('ada', `issue show ${repo}#2`))).toContain('Open in Forgejo');
    await ada.openHome();
    const home = await bellows.slack.until(() => {
      const shown = words(ada.home());
      return shown.includes('Forgejo') ? shown : undefined;
    });
    expect(home).not.toContain('Gitea');
    expect(home).not.toContain('Open on the forge');
  });

  it.skipIf(flavor === 'forgejo-11')('finds runs that are stuck', async () => {
    const { world } = bellows.forge;
    const run = world.at(now() - 90_000, () => world.startRun({ as: 'ada', repo, title: 'Hangs for a day' }));
    world.freezeRun({ run: run.id });
    const shown = words(await type('ada', `run stuck ${repo}`));
    expect(shown).toContain('Hangs for a day');
    expect(shown).not.toContain('"Force-cancel"');
    expect(shown.includes('"text":"Cancel"')).toBe(flavor === 'forgejo-16');
  });
});
