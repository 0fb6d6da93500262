import type { Handlers } from '../http/call.js';
import { repoOf, userAt } from '../http/guard.js';
import { list } from '../http/paging.js';
import type { Query } from '../http/query.js';
import { activityRows } from '../render/records.js';
import type { Activity } from '../state/records.js';
import type { State } from '../state/state.js';

/** A day in the server's time zone; anything else is ignored. */
function onDay(state: State, query: Query): (row: Activity) => boolean {
  const day = query.text('date');
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return () => true;
  const start = Date.parse(`${day}T00:00:00Z`) / 1000 - state.site.zoneMinutes * 60;
  return Number.isNaN(start) ? () => true : (row) => row.created >= start && row.created < start + 86_400;
}

/** Newest second first; within a second the order is undefined. */
function ordered(state: State, rows: Activity[]): Activity[] {
  const { ties } = state.site;
  if (ties === 'shuffled') return shuffled(state, rows);
  const backwards = ties === 'descending' || (ties === 'alternating' && state.nextId('feed read') % 2 === 0);
  return rows.sort((a, b) => b.created - a.created || (backwards ? b.id - a.id : a.id - b.id));
}

/** Each request returns the rows of a second in another order, as a database without a tie-break may. */
function shuffled(state: State, rows: Activity[]): Activity[] {
  const draw = state.nextId('feed read');
  const lot = ({ id }: Activity) => Math.imul((id ^ (draw * 0x9e3779b1)) >>> 0, 0x85ebca6b) >>> 0;
  return rows.sort((a, b) => b.created - a.created || lot(a) - lot(b));
}

export const activity = {
  userFeed: (call) => {
    const { state, query, caller } = call;
    const user = userAt(call, call.params.username);
    const close = caller.user === user || caller.user?.admin === true;
    const own = query.flag('only-performed-by') === true;
    const holds = onDay(state, query);
    const rows = state.feed
      .ofReceiver(user)
      .filter((row) => (!own || row.actor === user) && (close || (!row.private && !user.hideActivity)) && holds(row));
    return list(call, ordered(state, rows), activityRows(call.view), { link: false });
  },

  repoFeed: (call) => {
    const { state, query } = call;
    const repo = repoOf(call);
    const holds = onDay(state, query);
    const rows = state.feed.ofRepo(repo).filter((row) => row.receiver === row.actor && holds(row));
    return list(call, ordered(state, rows), activityRows(call.view), { link: false });
  },
} satisfies Handlers['activity'];
