import type { Event } from '../event.js';

/** The rows of one action are written in the same second, or just across its end. */
export const joinMs = 2_000;

/** Merges the rows of one action into one event. Oldest first in, oldest first out. */
export function join(events: readonly Event[]): Event[] {
  const taken = new Set<string>();
  const near = (at: number, wanted: (event: Event) => boolean): Event[] =>
    around(events, at).filter((event) => !taken.has(event.id) && wanted(event));
  const joined = new Map<string, Event>();
  const keep = (event: Event, parts: readonly Event[]) => {
    for (const part of parts) taken.add(part.id);
    joined.set(event.id, event);
  };

  for (const [at, event] of events.entries()) {
    if (taken.has(event.id)) continue;
    switch (event.kind) {
      case 'branches:created': {
        const [push] = near(
          at,
          (other) => other.kind === 'commits:pushed' && other.push.branch === event.ref && same(other, event),
        );
        if (push?.kind === 'commits:pushed') {
          keep({ ...push, created: true, also: ['branches:created'] }, [event]);
        }
        break;
      }
      case 'pulls:merged': {
        const pushes = near(
          at,
          (other) => other.kind === 'commits:pushed' && !joined.has(other.id) && same(other, event),
        );
        const named = new RegExp(`#${event.item.number}\\b`);
        const push =
          pushes.find(
            (other) => other.kind === 'commits:pushed' && other.push.commits.some(({ message }) => named.test(message)),
          ) ?? pushes[0];
        if (push?.kind === 'commits:pushed') keep({ ...event, push: push.push, also: ['commits:pushed'] }, [push]);
        break;
      }
      case 'releases:published': {
        const [tag] = near(
          at,
          (other) => other.kind === 'tags:created' && other.ref === event.tag && same(other, event),
        );
        if (tag) keep({ ...event, also: ['tags:created'] }, [tag]);
        break;
      }
      case 'reviews:approved':
      case 'reviews:rejected': {
        const comments = near(
          at,
          (other) => other.kind === 'comments:pull' && same(other, event) && other.item.thread === event.item.thread,
        );
        if (comments.length > 0) keep({ ...event, comments: comments.length, also: ['comments:pull'] }, comments);
        break;
      }
      default:
    }
  }
  return gather(events, taken, joined);
}

/** Remaining review comments: two or more by one person on one pull request are one review. */
function gather(events: readonly Event[], taken: Set<string>, joined: ReadonlyMap<string, Event>): Event[] {
  const out: Event[] = [];
  for (const [at, event] of events.entries()) {
    if (taken.has(event.id)) continue;
    const done = joined.get(event.id);
    if (done || event.kind !== 'comments:pull') {
      out.push(done ?? event);
      continue;
    }
    const others = around(events, at).filter(
      (other) =>
        other.kind === 'comments:pull' &&
        other.id !== event.id &&
        !taken.has(other.id) &&
        same(other, event) &&
        other.item.thread === event.item.thread,
    );
    for (const other of others) taken.add(other.id);
    const { kind: _kind, ...rest } = event;
    out.push(
      others.length === 0
        ? event
        : { ...rest, kind: 'reviews:commented', comments: others.length + 1, also: ['comments:pull'] },
    );
  }
  return out;
}

function around(events: readonly Event[], at: number): Event[] {
  const here = events[at];
  if (!here) return [];
  const time = Date.parse(here.at);
  const close = (event: Event | undefined): event is Event =>
    event !== undefined && Math.abs(Date.parse(event.at) - time) <= joinMs;
  let [from, to] = [at, at];
  while (close(events[from - 1])) from -= 1;
  while (close(events[to + 1])) to += 1;
  return events.slice(from, to + 1);
}

const same = (a: Event, b: Event): boolean => a.repo.id === b.repo.id && a.actor?.id === b.actor?.id;

/** Activities that may be half of an action; the other half can become visible a moment later. */
const halves: ReadonlySet<string> = new Set([
  'commit_repo',
  'merge_pull_request',
  'auto_merge_pull_request',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'push_tag',
  'publish_release',
]);
export const mayBeHalf = (op: string): boolean => halves.has(op);
