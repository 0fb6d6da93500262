import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
let store: Store;
const { type } = talkTo(() => bellows);
const team = 'T0BELLOWS1';
const ada = { team, user: 'U0ADA00001' };
const inbox = `inbox-${team}-${ada.user}`;

beforeAll(async () => {
  bellows = await startBellows({ policy: 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n' });
  store = createStore({
    redis: connect(bellows.redisUrl),
    forgeId: 'main',
    seal: createSeal(testKeys),
  });
  await bellows.link('ada');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

/** A direct message that quiet hours hold back. */
async function hold(
  id: string,
  channel = bellows.slack.as('ada').dm,
): Promise<{ readonly team: string; readonly channel: string }> {
  const dm = { team, channel };
  await store.outbox.pause(dm, 'quiet hours', Date.now() + 3_600_000);
  await store.outbox.append(dm, [{ id, body: { type: 'message', message: { text: 'kept back', blocks: [] } } }]);
  return dm;
}

it('says in a dry run what it would delete and keep', async () => {
  const shown = words(await type('ada', 'signout --dry-run'));
  for (const part of ['It would unlink', 'your token, settings and agents', 'It would keep', '0 subscriptions'])
    expect(shown).toContain(part);
  expect(shown).not.toContain('It would send nothing');
  expect((await type('ada', 'whoami')).text).toContain('ada');
});

it('removes pending and open work, and says which subscriptions the person still owns', async () => {
  const dm = await hold(`${inbox}:1@2`);
  await store.outbox.append(dm, [{ id: 'notice:1', body: { type: 'message', message: { text: 'news', blocks: [] } } }]);
  const notices = await hold(`relink:${ada.user}:1`, ada.user);
  await type('ada', 'subscribe acme/engine issues');
  await type('ada', 'remind reviews daily 9:30');
  await type('ada', 'remind reviews daily 8:00 --me');
  for (const { id, personal, channel } of await store.reminders.ownedBy(ada))
    await hold(`remind:${id}:today`, personal ? dm.channel : channel);
  const run = bellows.forge.world.startRun({ as: 'ada', repo: 'acme/engine', title: 'Stuck' });
  bellows.forge.world.freezeRun({ run: run.id });
  expect((await type('ada', `run force-cancel acme/engine#${run.id}`)).text).toContain('Waiting for approval by');
  await store.sources.ensure(inbox, { owner: '-' });

  const answer = words(await type('ada', 'signout', 'general'));
  expect(answer).toContain('Signed out');
  expect(answer).toContain('You still own 1 subscription: acme/engine in <#C0ENGINE01>');
  expect(answer).toContain('Their updates will pause soon unless someone else takes over.');
  expect(answer).toContain('/forge subscribe owner acme/engine @person');
  expect(answer).toContain('Your channel reminder stays active');
  expect(answer).toContain('1 open request for approval withdrawn');
  const ids = async (place: typeof dm) => (await store.outbox.view(place, 10)).entries.map(({ id }) => id);
  expect(await ids(dm)).toEqual(['notice:1']);
  expect(await ids(notices)).not.toContain(`relink:${ada.user}:1`);
  const channel = { team, channel: 'C0ENGINE01' };
  expect((await store.outbox.view(channel, 10)).entries).toMatchObject([{ id: expect.stringMatching(/^remind:/) }]);
  expect((await store.sources.list()).map(({ source }) => source)).not.toContain(inbox);
  expect(await store.marks.get(inbox)).toBeUndefined();
  expect(await store.approvals.askedBy(ada)).toEqual([]);
  await bellows.slack.until(() =>
    bellows.slack
      .as('ada')
      .sees('engine')
      .find((shown) => words(shown).includes('signed out')),
  );
});

it('still names the subscriptions when typed again', async () => {
  const answer = await type('ada', 'signout', 'general');
  expect(answer.text).toContain('You are not linked');
  expect(answer.text).not.toContain('stores nothing about you');
  expect(words(answer)).toContain('You still own 1 subscription');
});
