import { beforeEach, describe, expect, it } from 'vitest';
import { type Acceptance, type ActJob, jobIdOf } from '../../src/chat/act-job.js';
import { threadAgree } from '../../src/features/threads/agree.js';
import { threadComment } from '../../src/features/threads/comment.js';
import { threadDelete } from '../../src/features/threads/delete.js';
import { threadEdit } from '../../src/features/threads/edit.js';
import { parseFilter } from '../../src/feed/filter.js';
import type { DoorDeps } from '../../src/slack/door-deps.js';
import { createReplyDoor } from '../../src/slack/doors/replies.js';
import type { Changed } from '../../src/slack/doors/written.js';
import { plainJson } from '../../src/store/index.js';
import type { Message } from '../../src/view/message.js';
import { readable } from '../../src/view/text.js';
import { team, useApprovals } from '../chat/approval/scene.js';

const scene = useApprovals();
const { at } = scene;
const ada = 'U0ADA00001';
const person = { team, user: ada };
const channel = 'C0ROOM0001';
const place = { team, channel };
const bot = 'U0BELLOWS1';
const accepted: { job: ActJob; id: string }[] = [];
const told: { to: object; text: string; message: Message }[] = [];
let outcome: Acceptance;
let card: string;
let repoId: number;
let door: (written: Changed) => Promise<void>;
const minute = 60_000;

beforeEach(async () => {
  accepted.length = 0;
  told.length = 0;
  outcome = 'accepted';
  scene.configure('', [threadComment, threadEdit, threadDelete, threadAgree]);
  card = stamp(-60 * minute);
  repoId = scene.forge.world.repo('acme/engine').id;
  await show(`${scene.forge.url}/acme/engine/issues/2`);
  const target = { kind: 'repo', id: repoId } as const;
  const filter = plainJson(parseFilter('issues thread:sync'));
  await at.store.subscriptions.put({ place, target, owner: ada, filter }, 'acme/engine');
  await answer('public');
  door = opened();
});

/** A Slack timestamp, this much from now. */
const stamp = (ms: number) => ((at.now() + ms) / 1_000).toFixed(6);
const show = (url: string, hidden = false) => {
  const event = { item: { url }, repo: { id: repoId, fullName: 'acme/engine', hidden } };
  return at.store.threads.put(place, { item: `r${repoId}-n2`, ts: card, about: plainJson({ event }) });
};
const answer = (given: 'public' | 'hidden' | 'off' | 'asked' | undefined, more = {}) =>
  at.store.settings.put(person, {
    kinds: {},
    quiet: null,
    ...(given && { repliesIn: { [`r${repoId}`]: given } }),
    ...more,
  });
const answered = async () => (await at.store.settings.get(person)).repliesIn?.[`r${repoId}`];

/** One bot's process. */
function opened(catalog: DoorDeps['catalog'] = scene.deps.catalog) {
  const deps = {
    services: scene.deps.services,
    catalog,
    team,
    async accept(job: ActJob, id: string) {
      accepted.push({ job, id });
      return outcome;
    },
  } as Partial<DoorDeps> as DoorDeps;
  const say = async (to: object, message: Message) => void told.push({ to, text: readable(message.text), message });
  return createReplyDoor({ deps, bot, say });
}

const written = (more: Partial<Changed> = {}): Changed => ({
  channel,
  channel_type: 'channel',
  ts: stamp(0),
  thread_ts: card,
  text: 'Looks good',
  user: ada,
  ...more,
});
const where = () => ({ person, channel, answer: { threadTs: card } });

describe('a reply in a synced thread', () => {
  it('becomes a comment by its person, bound to the repository of the card', async () => {
    await door(written({ text: 'Looks &lt;good&gt; &amp; well' }));
    expect(accepted).toMatchObject([
      {
        id: jobIdOf('t', channel, stamp(0)),
        job: {
          kind: 'command',
          command: 'thread comment',
          source: 'written',
          person,
          channel,
          answer: { threadTs: card },
          args: {
            issue: { owner: 'acme', repo: 'engine', index: 2, repoId },
            body: 'Looks <good> & well',
            reply: stamp(0),
            thread: `r${repoId}-n2`,
          },
        },
      },
    ]);
    expect(told).toEqual([]);
  });

  it.each<[string, Partial<Changed>]>([
    ['is in a direct message', { channel_type: 'im' }],
    ['is in a direct message of an older kind', { channel: 'D0ADA00001' }],
    ['is in no thread', { thread_ts: undefined }],
    ['starts its thread', { ts: '1.1', thread_ts: '1.1' }],
    ['is in another thread', { thread_ts: '1.1' }],
    ['has no words', { text: ' \n' }],
    ['mentions the bot', { text: `<@${bot}> close` }],
    ['is a bot’s', { bot_id: 'B1' }],
    ['is nobody’s', { user: undefined }],
    ['is a channel message of its own kind', { subtype: 'channel_topic' }],
    ['is someone’s of another workspace', { user_team: 'T2' }],
    ['is someone’s who is not linked', { user: 'U0NOBODY01' }],
  ])('is left alone if it %s', async (_, more) => {
    await door(written(more));
    expect([accepted, told]).toEqual([[], []]);
  });

  it.each(['file_share', 'thread_broadcast'])('becomes a comment too as %s', async (subtype) => {
    await door(written({ subtype }));
    expect(accepted).toMatchObject([{ job: { command: 'thread comment' } }]);
  });

  it('is left alone if the bot itself wrote it, even if someone linked it', async () => {
    await scene.link(bot, 'ada');
    await door(written({ user: bot }));
    expect([accepted, told]).toEqual([[], []]);
  });

  it('is left alone if its card’s item is not on this forge', async () => {
    await show('https://elsewhere.example/acme/engine/issues/2');
    await door(written());
    expect([accepted, told]).toEqual([[], []]);
  });

  it('is left alone if its card’s own message is what was written', async () => {
    await door(written({ ts: card }));
    expect([accepted, told]).toEqual([[], []]);
  });

  it('is left alone if its person’s link is no longer good', async () => {
    const account = await at.store.accounts.get(person);
    await at.store.accounts.markRevoked(person, account?.linkedAt ?? 0);
    await door(written());
    expect([accepted, told]).toEqual([[], []]);
  });

  it.each(['off', 'asked'] as const)('stays in Slack if its person’s answer is %s', async (given) => {
    await answer(given);
    await door(written());
    expect([accepted, told]).toEqual([[], []]);
    expect(await answered()).toBe(given);
  });

  it.each([
    ['before', 1, 0],
    ['when', 0, 1],
    ['after', -1, 1],
  ])('written %s its person agreed is a comment or not', async (_, agreedIn, count) => {
    const repliesSince = { [`r${repoId}`]: at.now() + agreedIn, r99: at.now() + minute };
    await answer('public', { repliesSince });
    await door(written());
    expect(accepted).toHaveLength(count);
    expect(told).toEqual([]);
  });

  it('stays in Slack, unasked, for someone who wants no questions', async () => {
    await answer(undefined, { replies: 'off' });
    await door(written());
    expect([accepted, told]).toEqual([[], []]);
    expect(await answered()).toBeUndefined();
  });

  it('is asked about once, and can be posted with the answer', async () => {
    await answer(undefined);
    await door(written());
    expect(accepted).toEqual([]);
    expect(told).toMatchObject([{ to: where() }]);
    expect(told[0]?.text).toContain(
      'Replies in threads about acme/engine can be posted as comments with your account, ada.',
    );
    expect(told[0]?.text).toContain('is public, so everyone can read them');
    const shown = JSON.stringify(told[0]?.message).replaceAll('\\', '');
    expect(shown).toContain('"answer":"public"');
    expect(shown).toContain('"body":"Looks good"');
    expect(shown).toContain(`"reply":"${stamp(0)}"`);
    expect(shown).toContain(`"thread":"r${repoId}-n2"`);
    expect(shown).toContain(`"repoId":${repoId}`);
    expect(shown).toContain('"index":2');
    expect(shown).toContain(`${scene.forge.url}/acme/engine/issues/2`);
    expect(await answered()).toBe('asked');
    await door(written({ text: 'And more' }));
    expect(told).toHaveLength(1);
  });

  it('is asked about with who could read it, and without itself if it is too long', async () => {
    await answer(undefined);
    await show(`${scene.forge.url}/acme/engine/issues/2`, true);
    await door(written({ text: 'x'.repeat(70_000) }));
    expect(told[0]?.text).toContain('is not public: everyone who can see it on the forge can read them');
    expect(JSON.stringify(told[0]?.message)).not.toContain('xxx');
    expect(JSON.stringify(told[0]?.message)).not.toContain('reply\\"');
    expect(accepted).toEqual([]);
  });

  it('is explained if it is too long for a comment, or cannot be queued', async () => {
    await door(written({ text: 'x'.repeat(70_000) }));
    expect(accepted).toEqual([]);
    expect(told).toMatchObject([{ to: where(), text: expect.stringContaining('Comment is too long') }]);
    outcome = 'unstored';
    await door(written());
    expect(told[1]).toMatchObject({ to: where(), text: expect.stringContaining('Could not queue your command') });
  });

  it('is left alone where there is no such command', async () => {
    door = opened({ ...scene.deps.catalog, get: () => undefined });
    await keep();
    await door(written());
    await door(edit());
    await door(removal());
    expect([accepted, told]).toEqual([[], []]);
  });
});

const version = (text: string, more: Partial<NonNullable<Changed['message']>> = {}) => ({
  ts: stamp(-minute),
  thread_ts: card,
  user: ada,
  text,
  ...more,
});
const edit = (before = version('Frist'), now = 'First'): Changed => ({
  ...written({ subtype: 'message_changed', text: '', user: undefined }),
  message: { ...before, text: now, edited: { ts: '7.7' } },
  previous_message: before,
});
const removal = (before = version('Frist')): Changed => ({
  ...written({ subtype: 'message_deleted', text: '', user: undefined }),
  previous_message: before,
});
const keep = (ts = stamp(-minute)) =>
  at.store.replies.keep(place, ts, { comment: 5, owner: 'acme', repo: 'engine', user: ada, login: 'ada' });

describe('an edit or deletion of a reply', () => {
  const edited = { command: 'thread edit', args: { body: 'First', reply: '' }, person, channel };

  it('follows if it became a comment', async () => {
    await keep();
    await door(edit());
    await door(removal());
    const ts = stamp(-minute);
    expect(accepted).toMatchObject([
      { id: jobIdOf('t', channel, ts, 'e', '7.7'), job: { ...edited, args: { body: 'First', reply: ts }, ...where() } },
      { id: jobIdOf('t', channel, ts, 'd'), job: { command: 'thread delete', args: { reply: ts }, ...where() } },
    ]);
    expect(told).toEqual([]);
  });

  it('follows while it is still becoming one, here or in another process', async () => {
    await door(written({ ts: stamp(-minute) }));
    await door(edit());
    expect(accepted.map(({ job }) => 'command' in job && job.command)).toEqual(['thread comment', 'thread edit']);
    door = opened();
    await door(edit());
    expect(accepted).toHaveLength(2);
    await at.store.turns.admit({ person, id: jobIdOf('t', channel, stamp(-minute)) });
    await door(edit());
    expect(accepted).toHaveLength(3);
  });

  it('is left alone if it stayed in Slack', async () => {
    await keep(stamp(-2 * minute));
    await door(edit());
    await door(removal());
    expect([accepted, told]).toEqual([[], []]);
  });

  it('is followed for five minutes', async () => {
    const [within, late] = [
      version('Frist', { ts: stamp(-5 * minute) }),
      version('Frist', { ts: stamp(-5 * minute - 1) }),
    ];
    await keep(within.ts);
    await keep(late.ts);
    await door(edit(late));
    await door(removal(late));
    expect(accepted).toEqual([]);
    await door(edit(within));
    expect(accepted).toHaveLength(1);
  });

  it.each<[string, Partial<NonNullable<Changed['message']>>]>([
    ['nobody wrote', { user: undefined }],
    ['is in no thread', { thread_ts: undefined }],
    ['a bot wrote', { bot_id: 'B1' }],
  ])('is left alone if it is one that %s', async (_, more) => {
    await keep();
    await door(edit(version('Frist', more)));
    await door(removal(version('Frist', more)));
    expect([accepted, told]).toEqual([[], []]);
  });

  it('is nothing if only a preview was added, or Slack does not say what was before', async () => {
    await keep();
    await door(edit(version('First')));
    const { message, previous_message: before, ...rest } = edit();
    if (message) await door({ ...rest, message });
    if (before) await door({ ...rest, previous_message: before });
    await door({ ...rest, subtype: 'message_deleted' });
    expect([accepted, told]).toEqual([[], []]);
  });

  it('has another id for each edit, and one where Slack names none', async () => {
    await keep();
    const { message, ...rest } = edit();
    if (message) await door({ ...rest, message: { ...message, edited: undefined } });
    expect(accepted).toMatchObject([{ id: jobIdOf('t', channel, stamp(-minute), 'e', '') }]);
  });

  it('is explained if it is too long', async () => {
    await keep();
    await door(edit(version('Frist'), 'x'.repeat(70_000)));
    expect(accepted).toEqual([]);
    expect(told).toMatchObject([{ to: where(), text: expect.stringContaining('Comment is too long') }]);
  });
});
