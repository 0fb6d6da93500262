import type { Issue } from '../../forge/schemas/issue.js';
import { advance, type FeedMark, type Row } from '../diff.js';
import type { EventOf } from '../event.js';
import { itemThread } from '../item.js';
import { type InboxKind, type InboxSteps, isThread, type Reason, reasons } from './inbox.js';
import { type Polled, pageSize } from './source.js';

/** Where the server has no list of notifications: items that newly ask something of the person. */
export function* pollSearches(source: string, mark: FeedMark | undefined): InboxSteps<Polled> {
  const known = new Set(mark?.memory?.found);
  const rows: Row[] = [];
  const events: EventOf<InboxKind>[] = [];
  for (const want of reasons) {
    const { items } = yield { want, page: 1, limit: pageSize };
    for (const item of items) {
      if (isThread(item) || !item.repository || !item.updated_at) continue;
      const id = `${want}:${item.id}`;
      rows.push({ id, at: item.updated_at.getTime() });
      if (mark && !known.has(id)) events.push(foundEvent(source, want, item, item.repository, item.updated_at));
      known.add(id);
    }
  }
  const found = [...known].slice(-2_000);
  return { events, mark: advance(mark, rows, { memory: { found } }), soon: false, capped: false };
}

function foundEvent(
  source: string,
  reason: Reason,
  issue: Issue,
  repo: NonNullable<Issue['repository']>,
  at: Date,
): EventOf<InboxKind> {
  const kind = issue.pull_request ? 'pull' : 'issue';
  return {
    v: 1,
    id: `${source}:${reason}.${issue.id}`,
    source,
    at: at.toISOString(),
    kind: `inbox:${reason}`,
    // a search does not say who may see the repository, so it counts as hidden
    repo: {
      id: repo.id,
      fullName: repo.full_name,
      url: issue.html_url.replace(/\/(?:issues|pulls)\/\d+.*$/, ''),
      hidden: true,
    },
    actor: null,
    item: {
      kind,
      number: issue.number,
      title: issue.title,
      url: issue.html_url,
      thread: itemThread(repo.id, issue.number),
    },
    state: issue.pull_request?.merged ? 'merged' : issue.state,
  };
}
