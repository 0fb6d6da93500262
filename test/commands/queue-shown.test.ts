import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { messaged } = decideIn(() => bellows);
const world = () => bellows.forge.world;
const messages = (channel: string) => bellows.slack.state.messages(channel).filter(({ byBot }) => byBot);
const says = (channel: string, part: string) =>
  bellows.slack.until(() => messages(channel).find((each) => words(each).includes(part)));

let opened = 0;
function open(title: string, base = 'main') {
  opened += 1;
  const head = `shown-${opened}`;
  const commits = [{ message: title, files: [`${head}.go`] }];
  const sha = world().push({ as: 'grace', repo, branch: head, from: base, commits });
  const { index } = world().openPull({ as: 'grace', repo, title, head, base });
  const report = (state: string, at = sha.at(0)?.sha ?? '') =>
    world().commitStatus({ as: 'grace', repo, sha: at, context: 'ci', state });
  return { index, name: `${repo}#${index}`, report };
}

/** Updated and green at its new head. */
async function turnGreen({ index, report }: ReturnType<typeof open>): Promise<void> {
  const before = world().issue(repo, index)?.pull?.headSha;
  await expect.poll(() => world().issue(repo, index)?.pull?.headSha).not.toBe(before);
  report('success', world().issue(repo, index)?.pull?.headSha);
}

let broken: ReturnType<typeof open>;
beforeAll(async () => {
  bellows = await startBellows({
    policy: [
      'roles: { admin: { users: [U0ADA00001] } }\napprovals: { risky: { count: 0 } }',
      'queues:\n  - { repository: acme/vault, channel: C0ENGINE01 }',
      '  - { repository: acme/website, branch: aside, channel: C0ENGINE01 }\n',
    ].join('\n'),
    pollMs: 500,
    tempo: { queueMs: 30 },
  });
  await bellows.link('ada');
  await bellows.link('grace');
  await type('ada', `subscribe ${repo} pulls`, 'engine');
  await type('ada', 'subscribe acme/* queue', 'general');
  await type('ada', `subscribe acme/* queue -${repo}`, 'private');
  // its card comes while the first test waits for others
  world().push({ as: 'ada', repo, branch: 'gears', commits: ['Gears'] });
  broken = open('Broken gear', 'gears');
  broken.report('pending');
});
afterAll(() => bellows.close());

describe('what people see of a merge queue', () => {
  it('is one card in the channels that subscribed to it, and one message in the pull request’s thread', async () => {
    const [first, second] = [open('Belt'), open('Drum')];
    for (const { report } of [first, second]) report('pending');
    const [card] = await Promise.all([says('engine', 'Belt'), says('engine', 'Drum')]);
    await type('ada', `queue ${first.name}`);
    await type('grace', `queue ${second.name}`);
    const inThread = await says('engine', 'added by ada: waiting for ci');
    expect(inThread.threadTs).toBe(card.ts);
    await says('engine', 'added by grace: 2nd in line');
    const shown = await says('general', '2 queued');
    expect(words(shown)).toContain('Belt');

    first.report('success');
    await messaged('ada', `Merged ${first.name}`);
    await says('engine', 'Merged into main, tested at');
    await turnGreen(second);
    await messaged('grace', `Merged ${second.name}`);
    await says('engine', `on top of #${first.index}`);
    await expect.poll(() => messages('general').filter((each) => words(each).includes('queued'))).toHaveLength(1);
    const inThreads = messages('engine').filter(
      ({ threadTs, ...each }) => threadTs && /queue|Merged into/.test(words(each)),
    );
    expect(inThreads).toHaveLength(2);
    const others = [...messages('engine'), ...messages('private')].filter((each) => words(each).includes(' queued'));
    expect(others).toEqual([]);
    expect(bellows.slack.failures.all).toEqual([]);
  });

  it('says in the thread why one was taken out', async () => {
    await says('engine', 'Broken gear');
    await type('ada', `queue ${broken.name}`);
    await says('engine', 'added by ada: waiting for ci');
    broken.report('failure');
    expect(words(await messaged('ada', 'was taken out of the queue'))).toContain('Open in Gitea');
    await says('engine', 'Taken out of the queue for `gears`');
  });

  it('is explained by why, and has no past to preview', async () => {
    const pull = open('Explained');
    pull.report('pending');
    await type('ada', `queue ${pull.name}`);
    await says('general', 'Explained');
    expect(words(await type('ada', `why ${pull.name}`, 'general'))).toContain(
      'Posted when it was added to the queue (matches `queue`)',
    );
    expect(words(await type('ada', `why ${pull.name}`, 'engine'))).toMatch(/Not posted when it was added to the queue/);
    expect(words(await type('ada', `subscribe ${repo} queue --preview`, 'general'))).toContain('no past to show');
    expect(words(await type('ada', 'subscribe features'))).toContain('`queue`: what is being merged in turn');
    await type('ada', `queue remove ${pull.name}`);
  });

  it('is shown to those who follow the owner even if it was required first', async () => {
    const repository = 'acme/website';
    world().protect({ repo: repository, branch: 'main', rules: { requiredApprovals: 0 } });
    expect(words(await type('ada', `queue require ${repository}`))).toContain('now requires');
    const [made] = world().push({ as: 'ada', repo: repository, branch: 'ready', commits: ['Ready at once'] });
    world().commitStatus({ as: 'ada', repo: repository, sha: made?.sha ?? '', context: 'ci', state: 'success' });
    const { index } = world().openPull({ as: 'ada', repo: repository, title: 'Ready at once', head: 'ready' });
    await type('ada', `queue ${repository}#${index}`);
    await says('general', `#${index} merged after`);
  });

  it('is shown to those who follow the owner even if it was paused first', async () => {
    world().push({ as: 'ada', repo: 'acme/website', branch: 'later', commits: ['Later'] });
    await type('ada', 'queue pause acme/website later --reason "Moving house"');
    await says('general', 'Paused: Moving house');
  });

  it('is on the Home of those who queued something, and of nobody else', async () => {
    const pull = open('At home');
    pull.report('pending');
    await type('ada', `queue ${pull.name}`);
    const homes = await Promise.all(
      ['ada', 'grace'].map(async (user) => {
        const actor = bellows.slack.as(user);
        await actor.openHome();
        return bellows.slack.until(() => {
          const text = JSON.stringify(actor.home()?.blocks ?? []);
          return text.includes('Your settings') ? text : undefined;
        });
      }),
    );
    expect(homes[0]).toMatch(/In the merge queue \(1\).*At home.*`main`/);
    expect(homes[1]).not.toContain('In the merge queue');
    await type('ada', `queue remove ${pull.name}`);
  });

  it('shows a hidden repository’s queue in no open channel', async () => {
    const vault = 'acme/vault';
    expect(world().repo(vault).private).toBe(true);
    const [made] = world().push({ as: 'ada', repo: vault, branch: 'secret', commits: ['Secret plans'] });
    // without one it would leave the queue at once
    world().commitStatus({ as: 'ada', repo: vault, sha: made?.sha ?? '', context: 'ci', state: 'pending' });
    const { index } = world().openPull({ as: 'ada', repo: vault, title: 'Secret plans', head: 'secret', base: 'main' });
    await type('ada', `queue ${vault}#${index}`, 'private');
    await says('private', 'Secret plans');
    const after = open('Not secret');
    after.report('pending');
    await type('ada', `queue ${after.name}`);
    await says('general', 'Not secret');
    // the queue's own channel, too
    world().push({ as: 'ada', repo: 'acme/website', branch: 'aside', commits: ['Aside'] });
    await type('ada', 'queue pause acme/website aside --reason "In the open"');
    await says('engine', 'Paused: In the open');
    expect(['general', 'engine'].flatMap(messages).filter((each) => /Secret|vault/.test(words(each)))).toEqual([]);
  });
});
