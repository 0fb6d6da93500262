import type { TimelineEntry } from '../forge/schemas/timeline.js';
import { type InboxEvent, named } from './inbox-why.js';
import { actorOf, type ItemState } from './item.js';

type Request = Extract<InboxEvent['kind'], 'inbox:review_requested' | 'inbox:assigned'>;

const requests: ReadonlyMap<string, Request> = new Map([
  ['review_request', 'inbox:review_requested'],
  ['assignees', 'inbox:assigned'],
]);

/** Who requested the reader's review or assigned them, once each, however often the thread is updated afterwards. */
export function requestsFor(
  { commentUrl: _, ...event }: InboxEvent,
  item: ItemState | undefined,
  entries: readonly TimelineEntry[],
  login: string | undefined,
): InboxEvent[] {
  if (login === undefined) return [];
  // whether a team's request concerns the reader comes from the forge's own search
  const isForReader = ({ assignee, assignee_team }: TimelineEntry): boolean =>
    assignee ? named([assignee.login], login) : assignee_team !== undefined && event.kind === 'inbox:review_requested';
  const last = new Map<Request, TimelineEntry>();
  for (const entry of entries) {
    const kind = requests.get(entry.type);
    if (kind && isForReader(entry)) last.set(kind, entry);
  }
  return [...last].flatMap(([kind, { id, user, removed_assignee, created_at }]): InboxEvent[] => {
    if (removed_assignee || (user && named([user.login], login)) || !isOpen(kind, item, login)) return [];
    const at = created_at?.toISOString() ?? event.at;
    return [{ ...event, id: `${event.source}:asked.${id}`, at, kind, actor: actorOf(user) }];
  });
}

/** Not answered, withdrawn or superseded since. */
function isOpen(kind: Request, item: ItemState | undefined, login: string): boolean {
  if (!item) return true;
  if (item.state !== 'open') return false;
  return kind === 'inbox:assigned' ? named(item.assignees, login) : isReviewer(item, login, true);
}

/** Whether a review is requested by name or, if the forge says so, through a team. */
export const isReviewer = ({ reviewers, teams = [] }: ItemState, login: string, isAsked: boolean): boolean =>
  named(reviewers, login) || (isAsked && teams.length > 0);
