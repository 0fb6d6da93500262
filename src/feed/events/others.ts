import { code, link, type Mrkdwn, md } from '../../view/text.js';
import type { Event, EventOf } from '../event.js';
import type { Kind } from '../kind.js';
import { excerptMax } from './items.js';
import { quoted } from './talk.js';
import { actor, changeFacts, numbered, openChecks, type Renderer, repo, type Scene, type Telling } from './telling.js';

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

/** A newer forge may report actions this Bellows does not know. */
const other: Renderer<'repos:other'> = (event) => ({
  says: event.actor ? md`New activity by ${actor(event)}` : md`New activity`,
  subject: event.op ? md`(${code(event.op)}) in ${repo(event)}` : md`in ${repo(event)}`,
  facts: [],
});

type Inbox = EventOf<Extract<Kind, `inbox:${string}`>>;

const verbs = {
  commented: 'commented on',
  approved: 'approved',
  rejected: 'requested changes on',
  reviewed: 'reviewed',
  opened: 'opened',
  closed: 'closed',
  reopened: 'reopened',
  merged: 'merged',
  pushed: 'pushed to',
} as const;

/** Who did what if the item says so, otherwise what the person should do. */
function why({ did, kind, actor: by }: Inbox, who: Mrkdwn, words: Words): Mrkdwn {
  if (!by && (did === 'closed' || did === 'merged')) return did === 'closed' ? md`Closed:` : md`Merged:`;
  if (did === undefined) return by ? md`${who} ${words.did}` : md`${words.plain}`;
  return did === 'commented' && kind === 'inbox:mentioned' ? md`${who} mentioned you in` : md`${who} ${verbs[did]}`;
}

interface Words {
  /** Follows the name of the person who did it. */
  readonly did: string;
  /** Used if nobody knows who did it. */
  readonly plain: string;
}

const asked =
  (words: Words) =>
  (event: Inbox, scene: Scene): Telling => ({
    says: why(event, actor(event), words),
    subject: numbered(event, scene),
    facts: [repo(event), event.commentUrl ? link(event.commentUrl, 'latest comment') : undefined],
    notes: quoted(event.words ?? ''),
  });

/** What there is to review or to do, where nobody wrote a comment about it. */
const given =
  (words: Words) =>
  (event: Inbox, scene: Scene): Telling => {
    const { item } = scene.standing;
    const { facts, notes = [], ...rest } = asked(words)(event, scene);
    const description = scene.reply || event.did !== undefined ? '' : (item?.excerpt ?? '');
    return {
      ...rest,
      facts: [...facts, ...changeFacts(item), openChecks(item)],
      notes: notes.length > 0 ? notes : quoted(description, excerptMax),
    };
  };

export const others = {
  'repos:created': plain('created'),
  'repos:starred': plain('starred'),
  'repos:watched': plain('started watching'),
  'repos:renamed': moved('renamed'),
  'repos:transferred': moved('transferred'),
  'repos:other': other,
  'inbox:review_requested': given({ did: 'requested your review on', plain: 'Your review was requested on' }),
  'inbox:assigned': given({ did: 'assigned you to', plain: 'You were assigned to' }),
  'inbox:mentioned': asked({ did: 'mentioned you in', plain: 'You were mentioned in' }),
  'inbox:replied': asked({ did: 'replied on', plain: 'New reply on' }),
  'inbox:activity': asked({ did: 'updated', plain: 'New activity on' }),
};
