import type { ForgeOptions } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { createLatch } from '../support/latch.js';
import { testKeys } from '../support/redis.js';
import { talkTo } from './talk.js';

const repo = 'acme/engine';
const { stringify } = JSON;

/** A Bellows of its own, so that the others' polls are not waited for. */
function scene(forge: ForgeOptions = {}) {
  let bellows: Bellows | undefined;
  const here = () => {
    if (!bellows) throw new Error('scene() gives its Bellows inside tests only.');
    return bellows;
  };
  beforeAll(async () => {
    bellows = await startBellows({ policy: '', pollMs: 200, forge });
    await bellows.link('ada');
  });
  afterAll(() => bellows?.close());
  return {
    here,
    /** From the answer to one notifications request to the next request. */
    async polled(): Promise<void> {
      for (let times = 0; times < 2; times++) await here().forge.requests.next(/^GET \/notifications$/);
    },
  };
}

describe.concurrent('what Bellows marked as unread', () => {
  let ahead = 0;
  const { here, polled } = scene({ clock: () => Date.now() + ahead });
  const { type, click } = talkTo(here);

  /** What was posted about an item with an old comment while Ada did this, up to what is news. */
  async function postedWhile(title: string, act: (item: string) => Promise<unknown>): Promise<string[]> {
    const { slack, forge, redisUrl } = here();
    const redis = connect(redisUrl);
    const store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    // or nobody is notified of a change that nobody made
    await store.settings.put({ team: slack.teamId, user: 'U0ADA00001' }, { kinds: { activity: true }, quiet: null });
    await close(redis);
    const texts = () =>
      [...slack.state.channels.values()]
        .filter(({ kind }) => kind === 'im')
        .flatMap(({ id }) => slack.state.messages(id).map(({ text }) => text))
        .filter((text) => text.includes(title));
    await polled();
    const { index } = forge.world.openIssue({ as: 'ada', repo, title });
    // long before she marks it, or marking it would count as the same comment
    forge.world.at(Math.floor(Date.now() / 1_000) - 120, () =>
      forge.world.comment({ as: 'grace', repo, index, body: 'It sticks' }),
    );
    await slack.until(() => texts().length === 1);
    await act(`${repo}#${index}`);
    await polled();
    forge.world.openIssue({ as: 'grace', repo, title: `Another ${title}`, assignees: ['ada'] });
    await slack.until(() => texts().some((text) => text.includes('Another')));
    return texts();
  }

  it.sequential('is not announced after the command', async () => {
    expect(await postedWhile('Valve', (item) => type('ada', `inbox mark ${item} unread`))).toEqual([
      expect.stringMatching('commented on #.* Valve'),
      expect.stringContaining('Another Valve'),
    ]);
  });

  it.sequential('is not announced after Undo', async () => {
    const posted = await postedWhile('Gasket', async (item) => {
      const done = await type('ada', `inbox mark ${item} done`);
      // the forge counts whole seconds
      ahead += 2_000;
      await click('ada', done, 'Undo');
    });
    expect(posted).toEqual([
      expect.stringMatching('commented on #.* Gasket'),
      expect.stringContaining('Another Gasket'),
    ]);
  });
});

describe.concurrent('the card of a notification', () => {
  const { here, polled } = scene();

  /** The next poll of notifications reads the forge now and gets its answer when that is released. */
  async function heldPoll(meanwhile = () => {}) {
    const [read, release] = [createLatch(), createLatch()];
    const hold = () => {
      read.open();
      return release.opened;
    };
    here().forge.faults.add({ on: 'GET /notifications', trouble: { hold } });
    meanwhile();
    await read.opened;
    return release.open;
  }

  it.sequential('does not show as done what was undone while a poll was on its way', async () => {
    const { slack, forge } = here();
    const ada = slack.as('ada');
    const cardOf = (title: string) => ada.sees(ada.dm).find(({ text }) => text.includes(title));
    const isOpen = (title: string) => stringify(cardOf(title)?.blocks ?? []).includes('Mark as done');
    forge.world.openIssue({ as: 'grace', repo, title: 'Piston', assignees: ['ada'] });
    await slack.until(() => isOpen('Piston'));
    const undo = () => ada.sees(ada.dm).filter(({ blocks }) => stringify(blocks).includes('"Undo"'));
    const before = undo().length;
    const sawItOpen = await heldPoll();
    const card = cardOf('Piston');
    if (!card) throw new Error('no card');
    await ada.click(card, 'Mark as done');
    await slack.until(() => !isOpen('Piston'));
    const answer = await slack.until(() => undo()[before]);
    const sawItDone = await heldPoll(sawItOpen);
    await ada.click(answer, 'Undo');
    await slack.until(() => isOpen('Piston'));
    sawItDone();
    await polled();
    // whatever that poll queued is drawn before this
    forge.world.openIssue({ as: 'grace', repo, title: 'Cylinder', assignees: ['ada'] });
    await slack.until(() => isOpen('Cylinder'));
    expect(isOpen('Piston')).toBe(true);
  });

  it.sequential('updates its card after the click on it, and after undoing that', async () => {
    const { slack, forge } = here();
    const ada = slack.as('ada');
    const { index } = forge.world.openIssue({ as: 'grace', repo, title: 'Gauge', assignees: ['ada'] });
    const cards = () => ada.sees(ada.dm).filter(({ text }) => text.includes('Gauge') && text.includes('assigned'));
    const card = () => stringify(cards()[0]?.blocks);
    await slack.until(() => card()?.includes('Mark as done'));
    const [shown] = cards();
    if (!shown) throw new Error('no card');

    await ada.click(shown, 'Mark as done');
    await slack.until(() => !card().includes('Mark as done'));
    const answer = await slack.until(() => ada.sees(ada.dm).find(({ blocks }) => stringify(blocks).includes('"Undo"')));
    await ada.click(answer, 'Undo');
    await slack.until(() => card().includes('Mark as done'));

    await ada.click(cards()[0] ?? shown, 'Close issue');
    await slack.until(() => !card().includes('"button"'));
    expect(forge.world.issue(repo, index)?.state).toBe('closed');
    await polled();
    expect(cards()).toHaveLength(1);
  });
});
