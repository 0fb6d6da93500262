import { afterAll, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { runningJob, testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
const world = () => bellows.forge.world;
let branches = 0;

function open(title: string, reviewers: readonly string[], repo = 'acme/engine', as = 'grace') {
  branches += 1;
  const head = `nudge-${branches}`;
  world().push({ as, repo, branch: head, commits: [title] });
  const { index } = world().openPull({ as, repo, title, head });
  if (reviewers.length > 0) world().requestReview({ as, repo, index, from: reviewers });
  return { name: `${repo}#${index}`, index };
}
function closeAll() {
  for (const { owner, name, issues } of world().state.repos.values())
    for (const { index, pull, state } of issues.values())
      if (pull && state === 'open') world().close({ as: 'ada', repo: `${owner.login}/${name}`, index });
}
const direct = (user: string) =>
  bellows.slack.state
    .messages(bellows.slack.state.dm(user).id)
    .filter(({ text }) => text.includes('waiting for your review'));
const told = (user: string, title: string) =>
  bellows.slack.until(() => direct(user).find((each) => words(each).includes(title)));

beforeAll(async () => {
  const users = ['ada', 'grace', 'alan'].map((name) => ({ id: `U0${name.toUpperCase()}`, name }));
  bellows = await startBellows({
    policy: 'roles:\n  admin:\n    users: [U0ADA]\npeople:\n  gone: U0GONE0001\n',
    slack: { seed: { users: [...users, { id: 'U0GONE0001', name: 'gone', deleted: true }] } },
  });
  await bellows.link('grace');
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());

it('sends one kind message a day to each reviewer, from the person who asks', async () => {
  const { name } = open('Widen the belt', ['ada', 'linus']);
  const answer = await type('grace', `pr nudge ${name}`);
  expect(answer.text).toContain(`Nudged ada, linus about ${name}`);
  const message = await told('ada', 'Widen the belt');
  expect(words(message)).toContain(`<@${bellows.slack.as('grace').id}> is waiting for your review of`);
  expect(words(message)).toMatch(/"Review".*"Open in Gitea"/);
  await told('alan', 'Widen the belt');
  const again = words(await type('grace', `pr nudge ${name}`));
  expect(again).toContain('Nobody was nudged about');
  expect(again).toContain('ada: already nudged in the last 24 hours');
  // another pull request is another matter
  await type('grace', `pr nudge ${open('Oil it', ['ada']).name}`);
  await told('ada', 'Oil it');
  expect(direct('ada').filter((each) => words(each).includes('Widen the belt'))).toHaveLength(1);
});

it('says who gets no message, and why', async () => {
  for (const login of ['unlinked', 'gone']) world().createUser({ login });
  world().createTeam({ org: 'acme', name: 'nudged', units: { pulls: 'read' }, members: ['ada'] });
  const { name, index } = open('For many', ['unlinked', 'gone']);
  world().requestReview({ as: 'grace', repo: 'acme/engine', index, teams: ['nudged'] });
  const answer = words(await type('grace', `pr nudge ${name}`));
  expect(answer).toContain('team nudged: teams get no direct messages');
  expect(answer).toContain('gone: not linked in Slack');
  expect(answer).toMatch(/unlinked: (?:not linked in Slack|can’t see this repository)/);
});

it('still sends it if its job was cut off right before', async () => {
  const store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  const { name, index } = open('Cut off', ['ada']);
  const { id = 0 } = world().repo('acme/engine').issues.get(index)?.pull ?? {};
  const begun = async () => {
    const job = await runningJob(store.redis);
    await store.jobs.mark(`nudge-${id}-${bellows.slack.as('ada').id}`, 'sent', job);
  };
  bellows.forge.faults.add({ on: /^GET .*\/pulls\/\d+$/, trouble: { hold: begun } });
  expect((await type('grace', `pr nudge ${name}`)).text).toContain('Nudged ada');
  await told('ada', 'Cut off');
  await close(store.redis);
});

it('sends nothing about a repository that the reviewer can no longer see', async () => {
  world().createRepo({ as: 'grace', owner: 'grace', name: 'diary', private: true });
  world().setCollaborator({ repo: 'grace/diary', login: 'linus', level: 'write' });
  const { name } = open('Secret plans', ['linus'], 'grace/diary');
  world().setCollaborator({ repo: 'grace/diary', login: 'linus', level: 'none' });
  expect(words(await type('grace', `pr nudge ${name}`))).toContain('linus: can’t see this repository');
  expect(direct('alan').some((each) => words(each).includes('Secret plans'))).toBe(false);
});

it('respects who turned these messages off', async () => {
  await type('ada', 'settings --messages assigned');
  const { name } = open('Quietly', ['ada']);
  expect(words(await type('grace', `pr nudge ${name}`))).toContain('ada: turned these messages off');
  await type('ada', 'settings --messages assigned,review_requested');
});

it('waits for the end of a reviewer’s quiet hours', async () => {
  await type('ada', 'settings --quiet 00:00-23:59');
  const { name } = open('At night', ['ada', 'linus']);
  expect((await type('grace', `pr nudge ${name}`)).text).toContain('Nudged ada, linus');
  await told('alan', 'At night');
  expect(direct('ada').some((each) => words(each).includes('At night'))).toBe(false);
  await type('ada', 'settings --quiet off');
  await told('ada', 'At night');
});

it('sends nothing in the morning about what no longer waits, or may no longer be seen', async () => {
  await type('alan', 'settings --quiet 00:00-23:59');
  world().createRepo({ as: 'grace', owner: 'grace', name: 'plans', private: true });
  world().setCollaborator({ repo: 'grace/plans', login: 'linus', level: 'write' });
  const reviewed = open('Reviewed at night', ['linus']);
  const closed = open('Closed at night', ['linus']);
  const secret = open('Hidden at night', ['linus'], 'grace/plans');
  world().createRepo({ as: 'grace', owner: 'grace', name: 'moved' });
  const moved = open('Moved at night', ['linus'], 'grace/moved');
  const refused = open('Refused at night', ['linus'], 'acme/engine', 'ada');
  const still = open('Still waiting', ['linus']);
  for (const { name } of [reviewed, closed, secret, moved])
    expect((await type('grace', `pr nudge ${name}`)).text).toContain('Nudged linus');
  expect((await type('ada', `pr nudge ${refused.name}`)).text).toContain('Nudged linus');
  expect((await type('grace', `pr nudge ${still.name}`)).text).toContain('Nudged linus');
  world().review({ as: 'linus', repo: 'acme/engine', index: reviewed.index, verdict: 'approve' });
  world().close({ as: 'grace', repo: 'acme/engine', index: closed.index });
  world().setCollaborator({ repo: 'grace/plans', login: 'linus', level: 'none' });
  // the name and number now mean another one that waits for him too
  world().renameRepo({ as: 'grace', repo: 'grace/moved', name: 'elsewhere' });
  world().createRepo({ as: 'grace', owner: 'grace', name: 'moved' });
  expect(open('Another', ['linus'], 'grace/moved').name).toBe(moved.name);
  const reviews = new RegExp(`^GET .*/pulls/${refused.index}/reviews`);
  const stop = bellows.forge.faults.add({ on: reviews, times: 50, trouble: { status: 403 } });
  await type('alan', 'settings --quiet off');
  await told('alan', 'Still waiting');
  expect(direct('alan').filter((each) => words(each).includes('at night'))).toEqual([]);
  stop();
});

it('sends nothing for someone who signed out since', async () => {
  await type('alan', 'settings --quiet 00:00-23:59');
  const gone = open('Signed out since', ['linus'], 'acme/engine', 'ada');
  const after = open('After that', ['linus']);
  await type('ada', `pr nudge ${gone.name}`);
  await type('grace', `pr nudge ${after.name}`);
  await type('ada', 'signout');
  await type('alan', 'settings --quiet off');
  await told('alan', 'After that');
  expect(direct('alan').filter((each) => words(each).includes('Signed out since'))).toEqual([]);
  await bellows.link('ada');
});

it('is for the author, of what waits for a review', async () => {
  const { name, index } = open('Mine', ['ada']);
  expect((await type('ada', `pr nudge ${name}`)).text).toContain('Only its author can nudge the reviewers');
  expect((await type('grace', `nudge ${open('Nobody yet', []).name}`)).text).toContain('is not waiting for a review');
  world().merge({ as: 'ada', repo: 'acme/engine', index });
  expect((await type('grace', `pr nudge ${name}`)).text).toContain('is already merged: it needs no review');
});

it('is a click in the list of what waits for others', async () => {
  closeAll();
  const { name } = open('Clicked', ['ada']);
  const todo = await type('grace', 'todo');
  expect(words(todo)).toContain('Clicked');
  expect((await click('grace', todo, 'Nudge')).text).toContain(`Nudged ada about ${name}`);
});

it('is a click on Home', async () => {
  closeAll();
  const { name } = open('From Home', ['linus']);
  const grace = bellows.slack.as('grace');
  await grace.openHome();
  const view = await bellows.slack.until(() => grace.home());
  expect(words(view)).toMatch(/Waiting for others \(1\).*From Home.*Waiting for linus/);
  await grace.click(view, 'Nudge');
  await told('alan', 'From Home');
  await bellows.slack.until(() => words(grace.home()).includes(name));
});
