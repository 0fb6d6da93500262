import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servers } from '../support/servers.js';
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
import { words } from './talk.js';

describe.each(servers)('an approval that the queue’s own update cost on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());
  const requests = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

  it.each([
    ['withdraws', 'a', { dismissStale: true }],
    ['ignores', 'b', { ignoreStale: true }],
  ] as const)('is asked for again where the branch %s it; its place is kept', async (title, base, rules) => {
    const first = contest(`First ${title}`, base, rules);
    const second = open(`Second ${title}`, base);
    world().review({ as: 'ada', repo, index: second.index, verdict: 'approve' });
    second.report('success');
    await queue(first.name, '', 'grace');
    // what was withdrawn is seen before its checks are over, what is ignored only by the refused merge
    if ('ignoreStale' in rules) await turnGreen(first);
    const shown = await messaged('grace', `${first.name} First ${title} needs an approval again`);
    expect(words(shown)).toContain('The forge no longer counts that of ada');
    expect(words(await type('ada', `queue list ${repo}`))).toContain('waiting for approval by ada');
    await queue(second.name, '', 'grace');
    await messaged('grace', `Merged ${second.name}`);
    expect(isMerged(first.index)).toBe(false);
    const tried = sent(first.index).length;
    await bellows.slack.as('grace').click(shown, 'Ask again');
    await expect.poll(() => of(requests, first.index)).toMatchObject([{ who: 'grace', body: { reviewers: ['ada'] } }]);
    const reads = () => of('GET /repos/{owner}/{repo}/pulls/{index}/reviews', first.index).length;
    const read = reads();
    await expect.poll(reads).toBeGreaterThan(read);
    expect(sent(first.index)).toHaveLength(tried);
    const before = headOf(first.index);
    world().review({ as: 'ada', repo, index: first.index, verdict: 'approve' });
    // on top of the second one
    await turnGreen({ index: first.index, sha: before });
    await messaged('grace', `Merged ${first.name}`);
    world().protect({ repo, branch: base });
  });
});

describe('a place that is kept', () => {
  afterAll(() => bellows.close());
  const hours = (days: readonly string[]) =>
    `workingHours: { days: [${days.join(', ')}], from: "00:00", to: "24:00" }\n`;

  it('is lost after the time for it, with a word', async () => {
    await start('gitea-1.28', hours(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']));
    const pull = contest('Forgotten', 'brief', { dismissStale: true });
    await queue(pull.name, '', 'grace');
    await messaged('grace', `${pull.name} Forgotten needs an approval again`);
    await messaged('grace', `ada did not approve ${pull.name} again within 1s of working time`);
    expect(isMerged(pull.index)).toBe(false);
    expect(words(await type('ada', `queue list ${repo}`))).not.toContain('waiting for approval');
    await bellows.close();
  });

  it('is not lost while nobody works, until new commits end it', async () => {
    const later = new Date(Date.now() + 3 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
    await start('gitea-1.28', hours([later.toLowerCase()]));
    const pull = contest('At night', 'brief', { dismissStale: true });
    await queue(pull.name, '', 'grace');
    await messaged('grace', `${pull.name} At night needs an approval again`);
    const end = Date.now() / 1_000 + 1;
    const looks = () => bellows.forge.requests.all.filter(({ path }) => path.endsWith(`/pulls/${pull.index}/reviews`));
    await expect.poll(() => looks().at(-1)?.at, { timeout: 10_000 }).toBeGreaterThan(end);
    expect(words(await type('ada', `queue list ${repo}`))).toContain('waiting for approval by ada');
    report(pull.push('Unseen'), 'success');
    world().review({ as: 'ada', repo, index: pull.index, verdict: 'approve' });
    await messaged('grace', `${pull.name} has new commits`);
    expect(sent(pull.index)).toEqual([]);
  });
});
