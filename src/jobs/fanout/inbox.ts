import pMap from 'p-map';
import { z } from 'zod';
import { commentDelivery } from '../../feed/delivery.js';
import type { Event } from '../../feed/event.js';
import { isWanted } from '../../feed/inbox-kinds.js';
import { requestsFor } from '../../feed/inbox-requests.js';
import { type InboxEvent, isInbox, withReason } from '../../feed/inbox-why.js';
import type { ItemState } from '../../feed/item.js';
import { subOf } from '../../feed/kind.js';
import { quietReason, quietUntil } from '../../feed/quiet.js';
import type { Api } from '../../forge/index.js';
import type { Comment } from '../../forge/schemas/comment.js';
import type { Person, Place, Store } from '../../store/index.js';
import type { FeedDeps } from '../feed-deps.js';
import { followedIn } from './followed.js';
import { commentsOf, entriesOf, latestReview } from './inbox-reads.js';
import { createItemReader } from './items.js';
import type { Parcel } from './parcels.js';

const atOnce = 4;

const CardTime = z.object({ event: z.object({ at: z.string() }) });

/** A person's notifications as direct messages, respecting their chosen kinds and quiet hours. */
export async function inboxParcels(deps: FeedDeps, person: Person, events: readonly Event[]): Promise<Parcel[]> {
  const { store, slack, as, now } = deps;
  const user = events.length === 0 ? undefined : await slack.user(person.user);
  const api = user && !user.deleted ? await as(person) : undefined;
  // nothing for people who have signed out since
  if (!user || !api) return [];
  const { kinds, quiet } = await store.settings.get(person);
  const { states } = await createItemReader({ ...deps, service: api })(events);
  const itemOf = ({ item }: Event) => states.get(item.thread ?? '');
  const place = { team: person.team, channel: await slack.directMessage(person.user) };
  const explained = await explain(deps, api, { person, place }, events.filter(isInbox), itemOf);
  const posted = await followedIn(store, place, explained);
  const chosen = (event: InboxEvent) => isWanted(kinds, subOf(event.kind)) && !posted.has(event);
  const wanted = explained.filter((event) => isSilent(event) || isOver(event) || chosen(event));
  if (wanted.length === 0) return [];
  const toPost = wanted.filter((event) => !isSilent(event) && chosen(event));
  const calm = toPost.length > 0 && (await waits(store, place, quietUntil(now(), quiet, user.zone)));
  return wanted.flatMap((event) => {
    const item = itemOf(event);
    if (isSilent(event) || !chosen(event)) return followed(place, event, item);
    const body = { type: 'event', event, style: 'card', threaded: true, ...(item && { item }) } as const;
    return [{ place, id: idOf(event), body: calm ? { ...body, calm } : body }];
  });
}

/** Whether messages wait there. A mute that is longer than quiet hours stays, and so does the pause of a lost channel. */
async function waits({ outbox }: Store, place: Place, quiet: number | undefined): Promise<boolean> {
  const paused = await outbox.paused(place);
  if (quiet === undefined) return paused !== undefined;
  if (!paused || (paused.until !== undefined && paused.until < quiet)) await outbox.pause(place, quietReason, quiet);
  return true;
}

/** A comment is posted once, however often its thread is updated. */
const idOf = ({ id, source, did, commentUrl, repo }: InboxEvent): string => {
  if (did !== 'commented' || !commentUrl) return id;
  const [, comment] = /#issuecomment-(\d+)$/.exec(commentUrl) ?? [];
  return comment === undefined ? `${source}:${commentUrl}` : commentDelivery(repo, comment);
};

const isSilent = ({ read, quiet }: InboxEvent): boolean => read === true || quiet === true;

/** Existing cards show it, whether or not its end is worth a message. */
const isOver = ({ did }: InboxEvent): boolean => did === 'closed' || did === 'merged';

/** Nothing to post: the card shows the current state, and a read one needs nothing from its reader. */
function followed(
  place: Place,
  { id, read, asOf, item: { thread } }: InboxEvent,
  item: Parcel['body']['item'],
): Parcel[] {
  if (thread === undefined) return [];
  const how = read ? { read, ...(asOf !== undefined && { asOf }) } : { now: true as const };
  const body = { type: 'update', thread, ...how, ...(item && { item }) } as const;
  return [{ place, id: `update:${thread}:${id}`, card: `update:${thread}`, body }];
}

async function explain(
  deps: FeedDeps,
  api: Api,
  { person, place }: { readonly person: Person; readonly place: Place },
  events: readonly InboxEvent[],
  itemOf: (event: Event) => Parcel['body']['item'],
): Promise<InboxEvent[]> {
  const login = await deps.people.loginOf(person);
  /** Since when the direct messages have a card of the item. */
  const standing = async ({ item: { thread } }: InboxEvent): Promise<number | undefined> => {
    const card = thread === undefined ? undefined : await deps.store.threads.get(place, thread);
    const about = CardTime.safeParse(card?.about);
    return about.success ? Date.parse(about.data.event.at) : undefined;
  };
  const listed = await deps.has('issues.listComments');
  const hasTimeline = await deps.has('issues.timeline');
  const explained = await pMap(
    events,
    async (event) => {
      if (isSilent(event)) return [event];
      const card = listed ? await standing(event) : undefined;
      const comments = listed ? await commentsOf(api, event, card) : [];
      const latest = comments.find(({ html_url }) => html_url === event.commentUrl);
      const missed =
        card === undefined ? [] : comments.filter((each) => each !== latest && isMissed(each, card, login));
      const review = latest ? undefined : await latestReview(api, event);
      const entries = hasTimeline ? await entriesOf(api, event) : undefined;
      const item = itemOf(event);
      const requests = entries ? requestsFor(event, item, entries, login) : [];
      const moved = withReason(event, item, { comment: latest, review, entries }, login);
      const isSaid = requests.length > 0 && (moved.did === undefined || moved.did === 'opened');
      const earlier = [...missed.map((each) => commentEvent(event, item, each, login)), ...requests];
      earlier.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
      const news = isSaid ? earlier : [...earlier, moved];
      return login === undefined ? news : news.map((each) => ({ ...each, reader: login }));
    },
    { concurrency: atOnce },
  );
  return explained.flat();
}

/** A thread names only its latest comment: earlier ones since the card was posted are posted too, once. */
const isMissed = ({ created_at, user }: Comment, card: number, login: string | undefined): boolean =>
  created_at !== undefined && created_at.getTime() >= card && user?.login.toLowerCase() !== login?.toLowerCase();

function commentEvent(
  event: InboxEvent,
  item: ItemState | undefined,
  comment: Comment,
  login: string | undefined,
): InboxEvent {
  const { html_url, created_at } = comment;
  const at = created_at?.toISOString() ?? event.at;
  const said = { ...event, id: `${event.source}:${html_url}`, at, commentUrl: html_url };
  // regardless of the item's current state
  return withReason(said, item && { ...item, state: 'open' }, { comment }, login);
}
