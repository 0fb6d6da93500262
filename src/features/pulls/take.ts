import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { pull } from '../../chat/fields.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { claimSeconds } from '../../config/file.js';
import { UserError } from '../../errors.js';
import { audienceOf, followersOf } from '../../feed/covers.js';
import { isNamed } from '../../feed/inbox-why.js';
import { type ItemState, itemThread, pullState } from '../../feed/item.js';
import { ApiError } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { type Person, plainJson, type Store, type TakenReview } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { link, type Mrkdwn, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { afterWorkingTime } from '../../working-hours.js';
import { isMine } from '../find.js';
import { readPull, refuseClosed } from './read.js';
import { asItIs } from './reviewers.js';

/** Every channel that shows the pull request sees who reviews it. */
export async function redrawCards(
  store: Store,
  repo: TakenReview['repo'],
  thread: string,
  item?: ItemState,
): Promise<void> {
  const change = item ? { item: { ...item, readAt: store.now() }, now: true } : {};
  for (const sub of await followersOf(store, repo)) {
    if (!(await store.threads.get(sub.place, thread))) continue;
    const body = plainJson({ type: 'update', thread, ...change, of: audienceOf(repo, sub) });
    const card = `${item ? 'update' : 'redraw'}:${thread}`;
    await store.outbox.append(sub.place, [{ id: `update:${thread}:review:${store.now()}`, card, body }]);
  }
}

interface Read {
  readonly found: PullRequest;
  readonly repo: TakenReview['repo'];
  readonly thread: string;
}

async function read(ref: ItemRef, context: Context): Promise<Read> {
  const found = await readPull(ref, context);
  refuseClosed(ref, found, 'it needs no review');
  const { id, owner, full_name: name } = await context.api.repos.get(ref);
  return { found, repo: { id, ownerId: owner?.id ?? 0, fullName: name }, thread: itemThread(id, ref.index) };
}

const isBy = ({ person: by }: TakenReview, { team, user }: Person): boolean => by.team === team && by.user === user;

/** Says who has it, in words for the person who wanted it. */
const heldBy = (ref: ItemRef, { login }: TakenReview) =>
  new UserError(`${login} is already reviewing ${refOf(ref)}. Ask ${login} to hand it back, or take another one.`);

/** The forge lets two people take it at once; the one who is stored first has it. */
async function claim(ref: ItemRef, { found, repo, thread }: Read, context: Context): Promise<TakenReview> {
  const { store, person, login, policy } = context;
  for (;;) {
    // before the requests are read: a claim that was confirmed by now is among them
    const before = await store.reviews.read(thread);
    const { value: held } = before;
    const open = (await asItIs(ref, context))?.requested_reviewers.map((each) => each.login) ?? [];
    const at = store.now();
    const isOver = held && (held.until <= at || (held.requested && !isNamed(open, held.login)));
    if (held && !isOver) {
      if (isBy(held, person)) return held;
      throw heldBy(ref, held);
    }
    const until = afterWorkingTime(policy.workingHours, at, claimSeconds(policy.reviews, repo.fullName) * 1_000);
    const { team, user } = person;
    const taken: TakenReview = {
      repo,
      index: found.number,
      person: { team, user },
      login,
      at,
      until,
      requested: false,
      asked: isNamed(open, login),
    };
    if (await store.reviews.swap(thread, before, taken, until - at)) return taken;
  }
}

interface Taken {
  readonly found: PullRequest;
  readonly until: number;
}

/** What to do if the forge does not let people choose themselves. */
const refusedWords = (ref: ItemRef) =>
  `The forge doesn’t let you add yourself as a reviewer of ${refOf(ref)}. Ask its author to request your review, then take it again.`;

async function take({ pull: ref }: { readonly pull: ItemRef }, context: Context): Promise<Taken> {
  const { store, api, login } = context;
  const what = await read(ref, context);
  const { found, repo, thread } = what;
  if (isMine(found.user, context)) throw new UserError(`You opened ${refOf(ref)}, so you can’t review it.`);
  const taken = await claim(ref, what, context);
  try {
    await api.pulls.requestReviewers({ ...ref, body: { reviewers: [login] } });
  } catch (error) {
    // asked before, it needs no request
    const isRefused = error instanceof ApiError && (error.kind === 'invalid' || error.kind === 'forbidden');
    if (!isRefused || !taken.asked) {
      await release(store, thread, taken);
      throw isRefused ? new UserError(refusedWords(ref), { cause: error }) : error;
    }
  }
  const held = await store.reviews.read(thread);
  if (held.value && isBy(held.value, taken.person))
    await store.reviews.swap(thread, held, { ...held.value, requested: true }, held.value.until - store.now());
  const now = await soon(asItIs(ref, context));
  await redrawCards(store, repo, thread, now && pullState(now));
  return { found, until: taken.until };
}

/** Only this claim, not one that followed it. */
async function release({ reviews }: Store, thread: string, { at, person }: TakenReview): Promise<void> {
  const held = await reviews.read(thread);
  if (held.value?.at === at && isBy(held.value, person)) await reviews.swap(thread, held);
}

async function handBack({ pull: ref }: { readonly pull: ItemRef }, context: Context) {
  const { store, api, login, person } = context;
  const { found, repo, thread } = await read(ref, context);
  const { value: held } = await store.reviews.read(thread);
  if (!held || held.until <= store.now())
    throw new UserError(
      `Nobody is reviewing ${refOf(ref)} now. Take it with ${context.slash} review take ${refOf(ref)}.`,
    );
  if (!isBy(held, person))
    throw new UserError(`${held.login} is reviewing ${refOf(ref)}. Only ${held.login} can hand it back.`);
  if (!held.asked) await api.pulls.withdrawRequests({ ...ref, body: { reviewers: [login] } });
  await release(store, thread, held);
  const now = await soon(asItIs(ref, context));
  await redrawCards(store, repo, thread, now && pullState(now));
  return found;
}

const holdMs = 60_000;

/** Reviews that were not given in time: their cards offer them again. */
export const createOfferAgain = (store: Store) => async (): Promise<void> => {
  for (const { id, value } of await store.reviews.due(holdMs)) {
    await release(store, id, value);
    await redrawCards(store, value.repo, id);
  }
};

const nameOf = ({ html_url: url, title }: PullRequest, ref: ItemRef): Mrkdwn => link(url, `${refOf(ref)} ${title}`);

export const reviewTake = command({
  name: 'review take',
  aliases: ['pr take'],
  title: 'Take a review',
  summary: 'Review a pull request yourself, so that nobody else starts',
  examples: ['review take acme/engine#5', 'review take #5'],
  fields: { pull: pull({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'A review is taken by a person.',
  operations: ['pulls.requestReviewers', 'pulls.get', 'pulls.listReviews', 'issues.get', 'repos.get'],
  needs: ['pulls.get'],
  plan: ({ pull: ref }, { login }) => [request('pulls.requestReviewers', { ...ref, body: { reviewers: [login] } })],
  run: take,
  reply: ({ found, until }, { pull: ref }, { now }) =>
    message({
      blocks: doneCard({
        says: md`You’re reviewing ${nameOf(found, ref)}. Without a review, it is offered to others again ${date(until, now)}.`,
        buttons: [
          formButton({ text: 'Review', command: 'pr diff', args: { pull: ref } }),
          runButton({ text: 'Hand back', command: 'review hand-back', args: { pull: ref } }),
          openButton(found.html_url),
        ],
      }),
    }),
});

export const reviewHandBack = command({
  name: 'review hand-back',
  aliases: ['pr hand-back'],
  title: 'Hand back a review',
  summary: 'Let someone else review a pull request you took',
  examples: ['review hand-back acme/engine#5', 'review hand-back #5'],
  fields: { pull: pull({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'A review is taken by a person.',
  operations: ['pulls.withdrawRequests', 'pulls.get', 'pulls.listReviews', 'issues.get', 'repos.get'],
  needs: ['pulls.withdrawRequests', 'pulls.get'],
  plan: ({ pull: ref }, { login }) => [request('pulls.withdrawRequests', { ...ref, body: { reviewers: [login] } })],
  run: handBack,
  reply: (found, { pull: ref }) =>
    message({
      blocks: doneCard({
        says: md`You handed back the review of ${nameOf(found, ref)}.`,
        buttons: [
          runButton({ text: 'Take it', command: 'review take', args: { pull: ref } }),
          openButton(found.html_url),
        ],
      }),
    }),
});
