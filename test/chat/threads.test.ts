import { beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf } from '../../src/chat/act-job.js';
import type { SessionOptions } from '../../src/chat/session.js';
import { threadAgree } from '../../src/features/threads/agree.js';
import {
  commentOf,
  commentStays,
  reply as markOfReply,
  thread as markOfThread,
  threadComment,
  withMark,
} from '../../src/features/threads/comment.js';
import { agree, agreedMessage, refuseUnagreedEdit } from '../../src/features/threads/consent.js';
import { threadEdit } from '../../src/features/threads/edit.js';
import { ApiError } from '../../src/forge/index.js';
import type { Message } from '../../src/view/message.js';
import { readable } from '../../src/view/text.js';
import { team, useApprovals } from './approval/scene.js';

const scene = useApprovals();
const { at } = scene;
const ada = 'U0ADA00001';
const person = { team, user: ada };
const channel = 'C0ROOM0001';
const place = { team, channel };
const reply = '1794300000.000100';
let issue: { owner: string; repo: string; index: number };
let repoId: number;
let thread: string;
let permalink: () => Promise<string | undefined>;

beforeEach(async () => {
  const { world } = scene.forge;
  const { index } = world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Steam' });
  issue = { owner: 'acme', repo: 'engine', index };
  repoId = world.repo('acme/engine').id;
  thread = `r${repoId}-n${index}`;
  permalink = async () => 'https://slack.example/p1';
  await answer('public');
});

const answer = (given: 'public' | 'hidden' | 'off' | 'asked' | undefined) =>
  at.store.settings.put(person, { kinds: {}, quiet: null, ...(given && { repliesIn: { [`r${repoId}`]: given } }) });
const answers = async () => (await at.store.settings.get(person)).repliesIn;

async function contextOf(more: Partial<SessionOptions> = {}) {
  const services = {
    ...scene.deps.services,
    slack: { ...scene.deps.services.slack, permalink: async () => permalink() },
  };
  return scene.contextOf(ada, { channel, job: 'j-1', ...more }, services);
}
const comments = () => scene.forge.world.issue('acme/engine', issue.index)?.comments ?? [];
const post = async (more: object = {}, session: Partial<SessionOptions> = {}) =>
  threadComment.run({ issue, body: 'Looks good', reply, thread, ...more }, await contextOf(session));
const refusal = async (doing: Promise<unknown>) =>
  doing.then(
    () => undefined,
    (error: unknown) => error as Error & { shown?: Message },
  );
const says = async (doing: Promise<unknown>) => JSON.stringify(await refusal(doing)).replaceAll('\\', '');

describe('a reply', () => {
  it('becomes a comment with a link to Slack, and is remembered as that comment', async () => {
    await post();
    const [comment] = comments();
    expect(comment?.body).toBe('Looks good\n\n_[from Slack](https://slack.example/p1)_');
    expect(await at.store.replies.get(place, reply)).toEqual({
      comment: comment?.id,
      owner: 'acme',
      repo: 'engine',
      repoId,
      user: ada,
      login: 'ada',
    });
    expect(await at.store.replies.isFromHere(place, comment?.id ?? 0)).toBe(true);
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(false);
    expect(comments()).toHaveLength(1);
  });

  it('has a mark without a link if Slack gives none', async () => {
    expect(await withMark('Well', reply, await contextOf({ channel: undefined }))).toBe('Well\n\n_from Slack_');
    permalink = async () => Promise.reject(new Error('Slack is down'));
    expect(await withMark('Well', reply, await contextOf())).toBe('Well\n\n_from Slack_');
    permalink = async () => undefined;
    expect(await withMark('Well', reply, await contextOf())).toBe('Well\n\n_from Slack_');
  });

  it('holds back the feed while it is being sent', async () => {
    let seen: boolean | undefined;
    await post(
      {},
      {
        beforeWrite: async () => {
          seen = await at.store.replies.isUnderWay(place, thread);
        },
      },
    );
    expect(seen).toBe(true);
  });

  it.each([
    ['refused', { status: 403, message: 'no' }, false],
    ['unavailable', { status: 502 }, true],
    ['posted and answered in other words', { text: 'Thanks!', status: 201, done: true }, true],
  ] as const)('that is %s holds it back only as long as it may have been posted', async (_, trouble, isHeld) => {
    scene.forge.faults.add({ on: /^POST .*comments/, trouble, times: 9 });
    expect(await refusal(post())).toMatchObject({ name: 'ApiError' });
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(isHeld);
    expect(await at.store.replies.get(place, reply)).toBeUndefined();
  });

  it('that may have been posted when the forge did not answer in time holds it back too', async () => {
    const error = new ApiError({ kind: 'timeout', operation: 'issues.comment' });
    expect(await refusal(post({}, { beforeWrite: async () => Promise.reject(error) }))).toBe(error);
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(true);
  });

  it('that never reached the forge holds nothing back', async () => {
    const error = new ApiError({ kind: 'unavailable', operation: 'issues.comment', neverSent: true });
    expect(await refusal(post({}, { beforeWrite: async () => Promise.reject(error) }))).toBe(error);
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(false);
  });

  it('is remembered with the account’s name at the forge, not the one it was linked under', async () => {
    const token = scene.forge.account('ada').token();
    const link = {
      login: 'countess',
      forgeUserId: null,
      verified: true,
      credential: { kind: 'token', token },
    } as const;
    await at.store.accounts.put(person, link);
    await post();
    expect(await at.store.replies.get(place, reply)).toMatchObject({ login: 'ada' });
  });

  it('holds nothing back if Bellows failed', async () => {
    const broken = { beforeWrite: async () => Promise.reject(new Error('no memory')) };
    expect(await refusal(post({}, broken))).toMatchObject({ message: 'no memory' });
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(false);
  });

  it('is one comment, however often its button is clicked', async () => {
    await post();
    expect(await refusal(post())).toMatchObject({ message: 'This reply is already a comment.' });
    expect(comments()).toHaveLength(1);
    // the same moment elsewhere is another message
    await post({}, { channel: 'C0OTHER001' });
    expect(comments()).toHaveLength(2);
  });

  it('that was typed as a command is posted as it is, and needs no agreement', async () => {
    await answer(undefined);
    await post({ reply: undefined, thread: undefined });
    expect(comments().map(({ body }) => body)).toEqual(['Looks good']);
    expect(await at.redis.keys('*repl*')).toEqual([]);
  });

  it('without a channel is remembered nowhere', async () => {
    await post({}, { channel: undefined });
    await post({ reply: undefined }, { channel: undefined });
    expect(comments()).toHaveLength(2);
    expect(await at.redis.keys('*repl*')).toEqual([]);
  });

  it('outside a card’s thread holds nothing back', async () => {
    let seen: unknown;
    const beforeWrite = async () => {
      seen = await at.redis.keys('*replying*');
    };
    await post({ thread: undefined }, { beforeWrite });
    expect(seen).toEqual([]);
    expect(await at.store.replies.get(place, reply)).toBeDefined();
  });

  it('says that the item is locked', async () => {
    const found = scene.forge.world.issue('acme/engine', issue.index);
    if (found) found.locked = true;
    scene.forge.faults.add({ on: /^POST .*comments/, trouble: { status: 403, message: 'gesperrt' } });
    expect((await refusal(post()))?.message).toContain('is locked: only people with write access can comment');
  });

  it('is shown as the request it is', async () => {
    const planned = await threadComment.plan?.({ issue, body: 'Well' } as never, await contextOf());
    expect(planned).toMatchObject([{ operation: 'issues.comment', input: { ...issue, body: { body: 'Well' } } }]);
  });
});

describe('a reply whose answer was lost', () => {
  const find = async (since: Date, body = 'Looks good') =>
    threadComment.findDone?.({ issue, body, reply, thread } as never, await contextOf(), { since } as Parameters<
      NonNullable<typeof threadComment.findDone>
    >[2]);
  const wrote = (as: string, body: string) =>
    scene.forge.world.comment({ as, repo: 'acme/engine', index: issue.index, body }).id;
  const earlier = () => new Date(Date.now() - 60_000);

  it('is found by its beginning, and remembered', async () => {
    wrote('grace', 'Looks good\n\n_from Slack_');
    wrote('ada', 'Looks bad\n\n_from Slack_');
    const id = wrote('ada', '  Looks good\n\n_[from Slack](https://slack.example/p1)_\n');
    await at.store.replies.begin(place, thread, 'j-1');
    scene.forge.requests.clear();
    const since = earlier();
    expect(await find(since)).toMatchObject({ id });
    const [listed] = scene.forge.requests.all.filter(({ path }) => path.endsWith('/comments'));
    expect(listed?.query['since']).toBe(since.toISOString());
    expect(await at.store.replies.get(place, reply)).toMatchObject({ comment: id, user: ada, login: 'ada' });
    expect(await at.store.replies.isUnderWay(place, thread)).toBe(false);
  });

  it('is not an older comment, nor one of somebody else', async () => {
    wrote('ada', 'Looks good');
    expect(await find(new Date(Date.now() + 60_000))).toBeUndefined();
    expect(await find(earlier(), ' Looks good ')).toBeDefined();
    wrote('grace', 'Only mine');
    expect(await find(earlier(), 'Only mine')).toBeUndefined();
  });
});

describe('the comment that a reply became', () => {
  const none = 'This reply was not posted as a comment, so nothing was changed on the forge.';
  const kept = (more: object = {}) =>
    at.store.replies.keep(place, reply, {
      comment: 5,
      owner: 'acme',
      repo: 'engine',
      user: ada,
      login: 'Ada',
      ...more,
    });

  it('is its person’s to change, with the account that posted it', async () => {
    await kept();
    expect(await commentOf(reply, await contextOf())).toMatchObject({ comment: 5 });
    const other = { person: { team, user: 'U0GRACE001' } };
    expect(await refusal(commentOf(reply, await contextOf(other)))).toMatchObject({ message: none });
    await kept({ user: 'U0GRACE001' });
    expect(await refusal(commentOf(reply, await contextOf()))).toMatchObject({ message: none });
    await kept();
    await scene.link(ada, 'linus');
    expect(await refusal(commentOf(reply, await contextOf()))).toMatchObject({ message: none });
  });

  it('is none without a reply or a channel', async () => {
    await kept();
    expect(await refusal(commentOf(undefined, await contextOf()))).toMatchObject({ message: none });
    expect(await refusal(commentOf(reply, await contextOf({ channel: undefined })))).toMatchObject({ message: none });
  });

  it('is waited for while it is being posted', async () => {
    const finding = commentOf(reply, await contextOf());
    await kept();
    expect(await finding).toMatchObject({ comment: 5 });
  });

  it('is not changed while an earlier change of it is under way', async () => {
    await kept();
    const [first, second] = [jobIdOf('t', channel, reply, 'e', '1'), jobIdOf('t', channel, reply, 'e', '2')];
    for (const id of [first, second]) await at.store.turns.admit({ person, id });
    let isDone = false;
    const finding = commentOf(reply, await contextOf({ job: second })).finally(() => {
      isDone = true;
    });
    expect(await commentOf(reply, await contextOf({ job: first }))).toMatchObject({ comment: 5 });
    expect(isDone).toBe(false);
    await at.store.turns.leave({ person, id: first });
    expect(await finding).toMatchObject({ comment: 5 });
  });

  it('does not wait for other work of its person', async () => {
    await kept();
    for (const id of ['j-other', 'j-mine']) await at.store.turns.admit({ person, id });
    const { get } = at.store.replies;
    let looks = 0;
    at.store.replies.get = async (...given) => {
      looks += 1;
      return get(...given);
    };
    await commentOf(reply, await contextOf({ job: 'j-mine' }));
    expect(looks).toBe(1);
  });

  it('is not changed in a repository that took over the name', async () => {
    await kept({ repoId: 99_999 });
    expect((await refusal(commentOf(reply, await contextOf())))?.message).toContain('is now another repository');
    await kept({ repoId });
    expect(await commentOf(reply, await contextOf())).toMatchObject({ comment: 5 });
  });
});

describe('the marks of a reply', () => {
  const [ofReply, ofThread] = [markOfReply(), markOfThread()];
  const reading = { now: new Date(0), webUrl: '', slash: '/forge' };

  it.each([
    ['1794300000.000100', true],
    ['1', false],
    ['x1.1', false],
    ['1.1x', false],
    ['1234567890123.1', false],
    ['1.123456789', false],
    ['.1', false],
    ['1.', false],
  ])('is its timestamp: %s %s', (text, expected) => {
    expect(ofReply.schema.safeParse(text).success).toBe(expected);
    if (expected) expect(ofReply.read(` ${text} `, reading)).toBe(text);
    else expect(() => ofReply.read(text, reading)).toThrow('This is not a reply.');
    expect(ofReply.show('1.1')).toBe('1.1');
  });

  it.each([
    ['r1-n2', true],
    ['xr1-n2', false],
    ['r1-n2x', false],
    ['r-n2', false],
    ['r1-n', false],
    ['ra-n2', false],
    ['r1-nb', false],
    [`r${'1'.repeat(17)}-n2`, false],
    [`r1-n${'2'.repeat(17)}`, false],
  ])('is its thread’s item: %s %s', (text, expected) => {
    expect(ofThread.schema.safeParse(text).success).toBe(expected);
  });
});

describe('agreeing to post replies', () => {
  const button = (shown: string) => /"value":"(\{.*?\})"/.exec(shown)?.[1] ?? '{}';

  it.each([
    [undefined, 'asked'],
    ['hidden', 'asked'],
    ['asked', 'asked'],
    ['off', 'off'],
  ] as const)('is asked again where everyone can read it and the answer was %s', async (given, then) => {
    await answer(given);
    const shown = await says(post());
    expect(shown).toContain('The repository is public, so everyone can read them.');
    expect(shown).toContain('Post my replies');
    expect(shown).toContain('Keep them in Slack');
    const off = { repository: { owner: 'acme', repo: 'engine', repoId }, answer: 'off' };
    expect(shown).toContain(JSON.stringify({ c: 'thread agree', a: off }));
    expect(JSON.parse(button(shown))).toMatchObject({
      c: 'thread agree',
      a: {
        repository: { owner: 'acme', repo: 'engine', repoId },
        answer: 'public',
        issue,
        body: 'Looks good',
        reply,
        thread,
      },
    });
    expect(shown).toContain(`${scene.forge.url}/acme/engine/issues/${issue.index}`);
    expect(await answers()).toEqual({ [`r${repoId}`]: then });
    expect(comments()).toEqual([]);
  });

  it('is asked without the reply if that does not fit into a button', async () => {
    await answer(undefined);
    const shown = await says(post({ body: 'x'.repeat(3_000) }));
    expect(shown).toContain('Post my replies');
    expect(shown).not.toContain('xxx');
  });

  it('for colleagues is enough where the repository is not public', async () => {
    const hidden = { full_name: 'acme/engine', id: repoId, private: true } as Parameters<typeof refuseUnagreedEdit>[0];
    await answer('hidden');
    expect(await refusal(refuseUnagreedEdit(hidden, await contextOf()))).toBeUndefined();
    await answer('public');
    expect(await refusal(refuseUnagreedEdit(hidden, await contextOf()))).toBeUndefined();
    await answer('asked');
    expect(await refusal(refuseUnagreedEdit(hidden, await contextOf()))).toMatchObject({
      message: 'Your edit stays in Slack: acme/engine is not public, and you haven’t agreed to post replies there.',
    });
    await answer('hidden');
    const context = await contextOf();
    const open = await context.api.repos.get({ owner: 'acme', repo: 'engine' });
    expect((await refusal(refuseUnagreedEdit(open, context)))?.message).toContain('acme/engine is public');
  });

  it('is needed for an edit too', async () => {
    const { id } = scene.forge.world.comment({ as: 'ada', repo: 'acme/engine', index: issue.index, body: 'Frist' });
    await at.store.replies.keep(place, reply, { comment: id, owner: 'acme', repo: 'engine', user: ada, login: 'ada' });
    const edit = async () => threadEdit.run({ body: 'First', reply }, await contextOf());
    await answer('hidden');
    expect((await refusal(edit()))?.message).toContain('you haven’t agreed to post replies there');
    expect(comments().map(({ body }) => body)).toEqual(['Frist']);
    await answer('public');
    await edit();
    expect(comments().map(({ body }) => body)).toEqual([expect.stringMatching(/^First\n/)]);
  });

  const repository = { owner: 'acme', repo: 'engine' };
  const unposted = () => ({ issue, body: 'Looks good', reply, thread });

  it.each(['public', 'hidden', 'off'] as const)('is kept for this repository: %s', async (given) => {
    await at.store.settings.put(person, { kinds: { mention: true }, quiet: null, repliesIn: { r99: 'off' } });
    const acceptedAt = 1_794_000_000_000;
    await agree({ repository, answer: given }, await contextOf({ acceptedAt }));
    expect(await at.store.settings.get(person)).toEqual({
      kinds: { mention: true },
      quiet: null,
      repliesIn: { r99: 'off', [`r${repoId}`]: given },
      repliesSince: { [`r${repoId}`]: acceptedAt },
    });
  });

  it('offers to post the reply that led to it', () => {
    const shown = (given: 'public' | 'off', more: object) => {
      const message = agreedMessage(undefined, { repository, answer: given, ...more });
      return { text: readable(message.text), whole: JSON.stringify(message).replaceAll('\\', '') };
    };
    const agreed = shown('public', unposted());
    expect(agreed.text).toContain('Your replies in threads about acme/engine now become comments.');
    expect(agreed.whole).toContain('Post this one too');
    expect(JSON.parse(button(agreed.whole))).toEqual({ c: 'thread comment', a: unposted() });
    expect(shown('public', {}).whole).not.toContain('Post this one too');
    expect(shown('public', { issue }).whole).not.toContain('Post this one too');
    expect(shown('public', { body: 'x' }).whole).not.toContain('Post this one too');
    const off = shown('off', unposted());
    expect(off.text).toBe('Your replies in threads about acme/engine stay in Slack.');
    expect(off.whole).not.toContain('Post this one too');
    expect(threadAgree.run).toBe(agree);
  });
});

describe('a reply that needs approval', () => {
  const stays = async (body: string) => {
    const error = threadComment.approval?.refuseWaiting?.({ issue, body } as never, 'maintainers', await contextOf());
    return JSON.stringify(error).replaceAll('\\', '');
  };

  it('stays in Slack, and its comment can be requested instead', async () => {
    const shown = await stays('Looks good');
    expect(shown).toContain('Your reply was not posted on acme/engine: comments there need approval by maintainers.');
    expect(shown).toContain('Request comment');
    expect(shown).toContain('"body":"Looks good"');
    expect(shown).not.toContain('/forge issue comment');
    const long = await stays('x'.repeat(3_000));
    expect(long).not.toContain('Request comment');
    expect(long).toContain(`/forge issue comment acme/engine#${issue.index}`);
  });

  it('is not changed either', () => {
    expect(commentStays({}, 'maintainers').message).toBe(
      'This change needs approval by maintainers, and a reply can’t wait for it. Its comment stays on the forge as it is.',
    );
  });
});
