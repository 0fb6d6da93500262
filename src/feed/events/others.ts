import { code, link, type Mrkdwn, md } from '../../view/text.js';
import type { Event, EventOf, Kind } from '../event.js';
import { quoted } from './talk.js';
import { actor, numbered, type Renderer, repo, type Scene, type Telling } from './telling.js';

const plain =
  (verb: string) =>
  (event: Event): Telling => ({ says: md`${actor(event)} ${verb}`, subject: repo(event), facts: [] });

const moved =
  (verb: string) =>
  (event: Event & { readonly was?: string }): Telling => ({
    says: event.was ? md`${actor(event)} ${verb} ${code(event.was)} to` : md`${actor(event)} ${verb}`,
    subject: repo(event),
    facts: [],
  });

/** A newer forge may name deeds that this Bellows does not know. */
const other: Renderer<'repos:other'> = (event) => ({
  says: md`${actor(event)} did something new`,
  subject: event.op ? md`(${code(event.op)}) in ${repo(event)}` : md`in ${repo(event)}`,
  facts: [],
});

type Inbox = EventOf<Extract<Kind, `inbox:${string}`>>;

const ended = { closed: 'Closed:', merged: 'Merged:' } as const;

/** Who did what where the thing itself says so, else what is asked of the person. */
function why({ did, kind }: Inbox, who: Mrkdwn, words: string): Mrkdwn {
  if (did === 'closed' || did === 'merged') return md`${ended[did]}`;
  if (did === undefined) return md`${words}`;
  return kind === 'inbox:mentioned' ? md`${who} mentioned you in` : md`${who} commented on`;
}

const asked =
  (words: string) =>
  (event: Inbox, scene: Scene): Telling => ({
    says: why(event, actor(event), words),
    subject: numbered(event, scene),
    facts: [repo(event), event.commentUrl ? link(event.commentUrl, 'newest comment') : undefined],
    notes: quoted(event.words ?? ''),
  });

export const others = {
  'repos:created': plain('created'),
  'repos:starred': plain('starred'),
  'repos:watched': plain('began to watch'),
  'repos:renamed': moved('renamed'),
  'repos:transferred': moved('transferred'),
  'repos:other': other,
  'inbox:review_requested': asked('Your review was requested on'),
  'inbox:assigned': asked('Assigned to you:'),
  'inbox:mentioned': asked('You were mentioned in'),
  'inbox:activity': asked('New activity on'),
};
