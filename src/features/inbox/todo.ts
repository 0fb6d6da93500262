import { type Called, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import type { ItemRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { ApiError, type Page } from '../../forge/index.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import { withOpenRequests } from '../../forge/review-requests.js';
import type { Issue, NotificationThread } from '../../forge/schemas.js';
import { actions, type Blocks, context, section } from '../../view/blocks.js';
import { issueCard } from '../../view/cards/issue.js';
import { notificationRow } from '../../view/cards/notification.js';
import { count, some } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { bold, type Mrkdwn, md } from '../../view/text.js';
import { day } from '../../view/when.js';
import { byUrgency, refIn } from '../issues/card.js';
import { dueWords, leftFor } from '../reviews/clock.js';
import { isLost, lostNote, sightOperations, withoutLost } from './inbox.js';

const perPart = 5;
/** Ranked among these. */
const mostRead = 50;

const parts = [
  {
    title: 'Waiting for your review',
    query: { review_requested: true, type: 'pulls' },
    args: { reviewRequested: true },
  },
  { title: 'Assigned to you', query: { assigned: true }, args: { assigned: true } },
  { title: 'Mentioning you', query: { mentioned: true }, args: { mentioned: true } },
] as const;

const ownPulls = { state: 'open', type: 'pulls', created: true } as const;

export interface Waiting {
  readonly item: Issue;
  readonly ref: ItemRef;
  readonly on: readonly string[];
}

/** The person's own pull requests that wait for a review, the most urgent first. */
export async function waitingForOthers({ api }: Pick<Context, 'api'>): Promise<readonly Waiting[]> {
  const page = await possible(api.issues.search({ query: { ...ownPulls, limit: mostRead } }));
  const first = (page?.items ?? []).toSorted(byUrgency()).slice(0, perPart);
  const found = await Promise.all(
    first.map(async (item): Promise<readonly Waiting[]> => {
      const ref = refIn(item);
      const pull = ref && (await ifAnswered(api.pulls.get(ref)));
      if (!ref || !pull) return [];
      const { requested_reviewers: people, requested_reviewers_teams: teams } = await withOpenRequests(api, ref, pull);
      const on = [...people.map(({ login }) => login), ...teams.map(({ name }) => `team ${name}`)];
      return on.length > 0 ? [{ item, ref, on }] : [];
    }),
  );
  return found.flat();
}

export const waitingRow = ({ item, ref, on }: Waiting, now: Date) =>
  issueCard(item, {
    now,
    style: 'row',
    notes: [md`Waiting for ${some(on)}`],
    buttons: [runButton({ text: 'Nudge', command: 'pr nudge', args: { pull: ref } })],
  });

function waitingPart(all: readonly Waiting[], now: Date): Part[] {
  const rows = all.flatMap((each) => waitingRow(each, now));
  const more = { command: 'issue search', args: { type: 'pulls', created: true } } as const;
  return all.length === 0 ? [] : [{ title: 'Waiting for others', total: all.length, rows, more }];
}

const dayMs = 86_400_000;

/** By item: what is left of the time for a first review. */
type Left = ReadonlyMap<number, number>;

export const byReview = (left: Left, now: Date) =>
  byUrgency(({ id }) => {
    const ms = left.get(id);
    return ms === undefined ? undefined : now.getTime() + ms;
  });

/** `⏰ 3 days late:`, `⏰ Due 2030-01-02:` or `⏰ Review due in 2 h:`, before the item. */
function urgencyOf({ id, due_date: due }: Issue, now: Date, left: Left): Mrkdwn | undefined {
  const review = left.get(id);
  if (review !== undefined) return md`⏰ Review ${dueWords(review)}:`;
  if (!due) return undefined;
  const late = Math.floor((now.getTime() - due.getTime()) / dayMs);
  if (due > now) return md`⏰ Due ${day(due) ?? ''}:`;
  return late < 1 ? md`⏰ Late:` : md`⏰ ${count(late, 'day')} late:`;
}

const queryOf = (part: (typeof parts)[number]) => ({ state: 'open' as const, ...part.query });

/** Not in the API document: left out if the server has none; a refusal is reported beside the rest. */
async function unread({ api }: Context): Promise<Page<NotificationThread> | ApiError | undefined> {
  try {
    const page = await possible(api.notifications.list({ query: { 'status-types': ['unread'], limit: perPart } }));
    return page && { ...page, items: await withoutLost(page.items, api) };
  } catch (error) {
    if (error instanceof ApiError && error.kind !== 'unauthorized') return error;
    throw error;
  }
}

interface Part {
  readonly title: string;
  readonly total: number;
  readonly rows: Blocks;
  readonly more: Called;
}

function partBlocks({ title, total, rows, more }: Part): Blocks {
  const shown = rows.length < total ? runButton({ text: `All ${total}`, ...more }) : undefined;
  return [section(md`${bold(title)} (${total})`, shown), ...rows];
}

/** Each item appears only once, at its first place. */
function itemParts(pages: readonly Page<Issue>[], left: Left, now: Date): Part[] {
  const seen = new Set<number>();
  return parts.flatMap(({ title, args }, at) => {
    const { items = [], total } = pages[at] ?? {};
    const fresh = items.filter(({ id }) => !seen.has(id)).toSorted(byReview(left, now));
    for (const { id } of items) seen.add(id);
    if (fresh.length === 0) return [];
    const rows = fresh
      .slice(0, perPart)
      .flatMap((item) => issueCard(item, { now, style: 'line', says: urgencyOf(item, now, left) }));
    return [{ title, total: Math.max(total ?? 0, fresh.length), rows, more: { command: 'issue search', args } }];
  });
}

function threadPart(page: Page<NotificationThread> | undefined, now: Date): Part[] {
  if (!page || page.items.length === 0) return [];
  const shown = page.items.slice(0, perPart);
  const seen = shown.filter((thread) => !isLost(thread));
  const rows = [
    ...seen.flatMap((thread) => notificationRow(thread, { now, style: 'line' })),
    context([lostNote(shown)]),
  ];
  return [{ title: 'Unread notifications', total: page.total ?? shown.length, rows, more: { command: 'inbox' } }];
}

const planTodo = () => [...parts.map(queryOf), ownPulls].map((query) => request('issues.search', { query }));

async function readTodo(_args: unknown, context: Context) {
  const ask = (part: (typeof parts)[number]) =>
    context.api.issues.search({ query: { ...queryOf(part), limit: mostRead } });
  const [pages, waiting, threads] = await Promise.all([
    Promise.all(parts.map(ask)),
    waitingForOthers(context),
    unread(context),
  ]);
  const left = await leftFor(pages[0]?.items ?? [], context.login, context);
  return { pages, left, waiting, threads };
}

function todoMessage(
  { pages, left, waiting, threads }: Awaited<ReturnType<typeof readTodo>>,
  _args: unknown,
  { now, log, slash }: Context,
) {
  const refused = threads instanceof ApiError ? threads : undefined;
  const listed = threads instanceof ApiError ? undefined : threads;
  const found = [...itemParts(pages, left, now), ...waitingPart(waiting, now), ...threadPart(listed, now)];
  if (found.length === 0 && !refused) return say(md`🎉 You’re all caught up.`);
  const { says = '', next = '' } = refused ? explanation(refused, { slash, log }) : {};
  return message({
    blocks: [
      found.length === 0 ? section(md`No reviews, assignments or mentions.`) : undefined,
      ...found.flatMap(partBlocks),
      refused && context([md`⚠️ Notifications could not be read. ${says} ${next}`]),
      actions(listed && runButton({ text: 'Open inbox', command: 'inbox' })),
    ],
  });
}

export const todo = command({
  name: 'todo',
  title: 'Show my work',
  summary: 'Show your reviews, assignments, mentions, open pull requests and notifications',
  examples: ['todo'],
  fields: {},
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'pulls.get', 'pulls.listReviews', 'notifications.list', ...sightOperations],
  plan: planTodo,
  run: readTodo,
  reply: todoMessage,
});
