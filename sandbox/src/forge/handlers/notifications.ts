import { broken, forbidden, notFound, ok, refuse, reset } from '../http/answer.js';
import type { Call, Handlers } from '../http/call.js';
import { repoOf, signedIn } from '../http/guard.js';
import { list } from '../http/paging.js';
import { badTime, parseTime, type Query } from '../http/query.js';
import { threadJson } from '../render/records.js';
import type { User } from '../state/people.js';
import type { Thread, ThreadStatus } from '../state/records.js';
import { changed, type State } from '../state/state.js';

const isStatus = (text: string): text is ThreadStatus => text === 'unread' || text === 'read' || text === 'pinned';

/** Anything but the three silently counts as read. */
function target(query: Query): ThreadStatus {
  const wanted = query.text('to-status') ?? 'read';
  return isStatus(wanted) ? wanted : 'read';
}

function statuses(query: Query, otherwise: readonly ThreadStatus[]): ReadonlySet<ThreadStatus> {
  if (query.flag('all') === true) return new Set(['unread', 'read', 'pinned']);
  const asked = query.all('status-types').filter(isStatus);
  return new Set(asked.length > 0 ? asked : otherwise);
}

const newestFirst = (a: Thread, b: Thread): number => b.updated - a.updated || a.id - b.id;

const mine = (state: State, user: User): Thread[] =>
  [...state.threads.values()].filter((thread) => thread.user === user).sort(newestFirst);

/** Any write changes the time, even one that changes nothing else. */
function mark(state: State, thread: Thread, status: ThreadStatus): void {
  thread.status = status;
  thread.updated = state.now();
  changed(state, 'notification', thread.repo);
}

function kindOf(thread: Thread): string {
  if (thread.issue === undefined) return 'repository';
  return thread.issue.pull === undefined ? 'issue' : 'pull';
}

export function listThreads(
  call: Pick<Call, 'state' | 'query' | 'view' | 'path' | 'caller'>,
  among: (thread: Thread) => boolean,
) {
  const user = signedIn(call);
  const { state, query, view } = call;
  const wanted = statuses(query, ['unread', 'pinned']);
  const kinds = query.all('subject-type').map((kind) => kind.toLowerCase());
  const since = query.time('since') ?? 0;
  const before = query.time('before') ?? Number.POSITIVE_INFINITY;
  const found = mine(state, user).filter(
    (thread) =>
      among(thread) &&
      wanted.has(thread.status) &&
      (kinds.length === 0 || kinds.includes(kindOf(thread))) &&
      thread.updated >= since &&
      thread.updated <= before,
  );
  return list(call, found, (thread) => threadJson(view, thread));
}

function threadAt(call: Pick<Call, 'state' | 'caller'>, id: number): Thread {
  const user = signedIn(call);
  const thread = call.state.threads.get(id);
  if (thread === undefined) throw notFound(`notification does not exist [id: ${id}]`);
  if (thread.user !== user && !user.admin) {
    throw forbidden(`only user itself and admin are allowed to read/change this thread ${id}`);
  }
  return thread;
}

function markSome(
  call: Pick<Call, 'state' | 'query' | 'view' | 'path' | 'caller'>,
  among: (thread: Thread) => boolean,
) {
  const user = signedIn(call);
  const { state, query, view } = call;
  const text = query.text('last_read_at');
  const until = text === undefined ? Number.POSITIVE_INFINITY : parseTime(text);
  if (until === undefined) throw refuse(400, badTime(text ?? ''));
  const wanted = statuses(query, ['unread']);
  const chosen = mine(state, user).filter(
    (thread) => among(thread) && wanted.has(thread.status) && thread.updated <= until,
  );
  for (const thread of chosen) mark(state, thread, target(query));
  return reset(chosen.map((thread) => threadJson(view, thread)));
}

export const notifications = {
  markThread: (call) => {
    const thread = threadAt(call, call.params.id);
    // An admin passes the check, and is refused later without a message.
    if (thread.user !== call.caller.user) throw broken();
    mark(call.state, thread, target(call.query));
    return reset(threadJson(call.view, thread));
  },

  markAll: (call) => markSome(call, () => true),

  markRepo: (call) => {
    const repo = repoOf(call);
    return markSome(call, (thread) => thread.repo === repo);
  },

  list: (call) => listThreads(call, () => true),

  getThread: (call) => ok(threadJson(call.view, threadAt(call, call.params.id))),

  countNew: (call) => {
    const user = signedIn(call);
    return ok({ new: mine(call.state, user).filter((thread) => thread.status === 'unread').length });
  },
} satisfies Handlers['notifications'];
