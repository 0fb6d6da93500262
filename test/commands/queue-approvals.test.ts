import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bellows } from '../support/bellows.js';
import { servers } from '../support/servers.js';
import { decideIn } from './deciding.js';
import {
  bellows,
  contest,
  headOf,
  isMerged,
  messaged,
  of,
  open,
  queue,
  repo,
  report,
  sent,
  start,
  turnGreen,
  type,
  world,
} from './queue-scene.js';
import { talkTo, words } from './talk.js';

describe.each(servers)('an approval that the queue’s own update cost on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());
  const requests = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

  it('is asked for again where the branch withdraws it, or ignores it; its place is kept', async () => {
    const begin = (title: string, base: string, rules: object) => {
      const first = contest(`First ${title}`, base, rules);
      const second = open(`Second ${title}`, base);
      world().review({ as: 'ada', repo, index: second.index, verdict: 'approve' });
      second.report('success');
      return { title, base, first, second };
    };
    const withdraws = begin('withdraws', 'a', { dismissStale: true });
    const ignores = begin('ignores', 'b', { ignoreStale: true });
    const scenes = [withdraws, ignores];
    const all = <T>(act: (scene: (typeof scenes)[number]) => Promise<T>) => Promise.all(scenes.map(act));
    for (const { first } of scenes) await queue(first.name, '', 'grace');
    // what was withdrawn is seen before its checks are over, what is ignored only by the refused merge
    await turnGreen(ignores.first);
    const shown = await all(({ first, title }) =>
      messaged('grace', `${first.name} First ${title} needs an approval again`),
    );
    for (const each of shown) expect(words(each)).toContain('The forge no longer counts that of ada');
    const listed = words(await type('ada', `queue list ${repo}`));
    for (const { title } of scenes)
      expect(listed).toMatch(new RegExp(`First ${title}(?:(?!First|Second).)*waiting for approval by ada`));
    for (const { second } of scenes) await queue(second.name, '', 'grace');
    await all(({ second }) => messaged('grace', `Merged ${second.name}`));
    expect(scenes.some(({ first }) => isMerged(first.index))).toBe(false);
    const tried = scenes.map(({ first }) => sent(first.index).length);
    for (const each of shown) await bellows.slack.as('grace').click(each, 'Ask again');
    await all(({ first }) =>
      expect.poll(() => of(requests, first.index)).toMatchObject([{ who: 'grace', body: { reviewers: ['ada'] } }]),
    );
    const reads = (index: number) => of('GET /repos/{owner}/{repo}/pulls/{index}/reviews', index).length;
    await all(async ({ first: { index } }) => {
      const read = reads(index);
      await expect.poll(() => reads(index)).toBeGreaterThan(read);
    });
    expect(scenes.map(({ first }) => sent(first.index).length)).toEqual(tried);
    await all(async ({ first: { index } }) => {
      const before = headOf(index);
      world().review({ as: 'ada', repo, index, verdict: 'approve' });
      // on top of the second one
      await turnGreen({ index, sha: before });
    });
    await all(({ first }) => messaged('grace', `Merged ${first.name}`));
    for (const { base } of scenes) world().protect({ repo, branch: base });
  });
});

describe('a place that is kept', () => {
  const hours = (days: readonly string[]) =>
    `workingHours: { days: [${days.join(', ')}], from: "00:00", to: "24:00" }\n`;
  /** Its approval is asked for again; from then on it waits. */
  const keep = async (title: string) => {
    const pull = contest(title, 'brief', { dismissStale: true });
    await queue(pull.name, '', 'grace');
    await messaged('grace', `${pull.name} ${title} needs an approval again`);
    return pull;
  };
  let working: Bellows;
  let forgotten: Awaited<ReturnType<typeof keep>>;
  let atNight: Awaited<ReturnType<typeof keep>>;
  /** When the place would be lost if anyone worked. */
  let end = 0;

  beforeAll(async () => {
    await start('gitea-1.28', hours(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), 15);
    working = bellows;
    forgotten = await keep('Forgotten');
    const later = new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    await start('gitea-1.28', hours([later.toLowerCase()]), 15);
    atNight = await keep('At night');
    end = Date.now() + 1_000;
  });
  afterAll(() => Promise.all([working.close(), bellows.close()]));

  it('is lost after the time for it, with a word', async () => {
    await decideIn(() => working).messaged(
      'grace',
      `ada did not approve ${forgotten.name} again within 1s of working time`,
    );
    expect(working.forge.world.issue(repo, forgotten.index)?.pull?.merged).toBeUndefined();
    const listed = words(await talkTo(() => working).type('ada', `queue list ${repo}`));
    expect(listed).not.toContain('waiting for approval');
  });

  it('is not lost while nobody works, until new commits end it', async () => {
    const looks = () => of('GET /repos/{owner}/{repo}/pulls/{index}/reviews', atNight.index).length;
    await expect.poll(Date.now).toBeGreaterThan(end);
    const looked = looks();
    await expect.poll(looks).toBeGreaterThan(looked);
    expect(words(await type('ada', `queue list ${repo}`))).toContain('waiting for approval by ada');
    report(atNight.push('Unseen'), 'success');
    world().review({ as: 'ada', repo, index: atNight.index, verdict: 'approve' });
    await messaged('grace', `${atNight.name} has new commits`);
    expect(sent(atNight.index)).toEqual([]);
  });
});
