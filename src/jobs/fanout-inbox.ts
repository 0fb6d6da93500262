import { type Event, subOf } from '../feed/event.js';
import { causedMs, type InboxEvent, isInbox, withReason } from '../feed/inbox-why.js';
import { quietUntil } from '../feed/quiet.js';
import { type Api, ApiError } from '../forge/index.js';
import type { Comment } from '../forge/schemas/comment.js';
import type { Person, Place } from '../store/index.js';
import { createItemReader } from './fanout-items.js';
import type { Parcel } from './fanout-parcels.js';
import type { FeedDeps } from './feed-deps.js';

const patienceMs = 5_000;
const atOnce = 4;

/** A person's own notifications as direct messages: kinds they switched off are left out, nights are left in peace. */
export async function inboxParcels(deps: FeedDeps, person: Person, events: readonly Event[]): Promise<Parcel[]> {
  const { store, slack, as, now } = deps;
  const user = events.length === 0 ? undefined : await slack.user(person.user);
  const api = user && !user.deleted ? await as(person) : undefined;
  // whoever signed out meanwhile gets nothing more
  if (!user || !api) return [];
  const { kinds, quiet } = await store.settings.get(person);
  const { states } = await createItemReader({ ...deps, service: api })(events);
  const itemOf = ({ item }: Event) => states.get(item.thread ?? '');
  const explained = await explain(deps, api, person, events.filter(isInbox), itemOf);
  const wanted = explained.filter(({ kind, read }) => read || kinds[subOf(kind)] !== false);
  if (wanted.length === 0) return [];
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  const told = wanted.filter(({ read }) => !read);
  const until = told.length === 0 ? undefined : quietUntil(now(), quiet, user.utcOffset);
  if (until !== undefined) await store.outbox.pause(place, 'quiet hours', until);
  return wanted.flatMap((event) => {
    const item = itemOf(event);
    if (event.read) return followed(place, event, item);
    const body = { type: 'event', event, style: 'card', threaded: true, ...(item && { item }) } as const;
    return [{ place, id: idOf(event), body: until === undefined ? body : { ...body, calm: true as const } }];
  });
}

/** A comment is told once, however often its thread moves. */
const idOf = ({ id, source, did, commentUrl }: InboxEvent): string =>
  did === 'commented' && commentUrl ? `${source}:${commentUrl}` : id;

/** Nothing to say: the card shows how things stand, and asks nothing any more. */
function followed(place: Place, { id, item: { thread } }: Event, item: Parcel['body']['item']): Parcel[] {
  if (thread === undefined) return [];
  const body = { type: 'update', thread, read: true as const, ...(item && { item }) } as const;
  return [{ place, id: `update:${thread}:${id}`, card: `update:${thread}`, body }];
}

async function explain(
  deps: FeedDeps,
  api: Api,
  person: Person,
  events: readonly InboxEvent[],
  itemOf: (event: Event) => Parcel['body']['item'],
): Promise<InboxEvent[]> {
  const login = await deps.people.loginOf(person);
  const listed = await deps.has('issues.listComments');
  const done: InboxEvent[] = [];
  for (let at = 0; at < events.length; at += atOnce) {
    const some = events.slice(at, at + atOnce).map(async (event) => {
      if (event.read) return event;
      const comment = listed ? await latestComment(api, event) : undefined;
      return withReason(event, itemOf(event), comment, login);
    });
    done.push(...(await Promise.all(some)));
  }
  return done;
}

/** The comment that the notification names; a message without its words is better than none. */
async function latestComment(api: Api, { repo, item, commentUrl, at }: InboxEvent): Promise<Comment | undefined> {
  if (commentUrl === undefined || item.number === undefined) return undefined;
  const [owner = '', name = ''] = repo.fullName.split('/');
  const since = new Date(Date.parse(at) - causedMs);
  try {
    const { items } = await api.issues.listComments(
      { owner, repo: name, index: item.number, query: { since } },
      { signal: AbortSignal.timeout(patienceMs), detail: true },
    );
    return items.find(({ html_url }) => html_url === commentUrl);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
