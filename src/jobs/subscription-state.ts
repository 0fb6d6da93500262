import { runButton } from '../chat/actions.js';
import { notify } from '../chat/notice.js';
import { nameTarget } from '../features/subscriptions/target.js';
import { type Exposure, unseen } from '../feed/exposure.js';
import { PostError } from '../feed/ports.js';
import { SourceAbout, sourceKey } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';
import { type Absence, type Store, type Subscription, subscriptionId } from '../store/index.js';
import { say } from '../view/message.js';
import { code, md, mention } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import type { Gate } from './gate.js';
import { channelName } from './lost-channels.js';
import type { RepositoryName } from './sight.js';

// The states of a subscription, as docs/architecture.md draws them. What sees a cause only reports it.
// Each step says so first, under an id that stays the same, and changes the record last: if interrupted, both are done again.

/** Why one stays paused until someone subscribes again. */
const reasons = {
  left: 'Its owner has left.',
  unlinked: 'Its owner has had no linked account for a day. Someone with a linked account needs to take it over.',
  unseen: unseen.words,
  unreadable: 'Bellows’ forge account can no longer read the repository. Give it access on the forge.',
} as const;

/** Active → paused. `since` tells this time from others. */
export async function pause(
  { store, slash }: Pick<FeedDeps, 'store' | 'slash'>,
  { place, target }: Pick<Subscription, 'place' | 'target'>,
  why: keyof typeof reasons,
  since: number,
): Promise<void> {
  const sub = await store.subscriptions.get({ place, target });
  const mayReturn = why === 'left' && sub?.paused?.cause === 'withheld';
  if (!sub || (sub.paused && !mayReturn)) return;
  const reason = reasons[why];
  const { title } = await nameTarget(sub, store);
  const again = code(`${slash} subscribe ${title}`);
  const id = `paused:${subscriptionId(sub)}:${why}:${since}`;
  const isAccess = why === 'unreadable';
  const how = isAccess
    ? md`To resume`
    : md`To resume as its owner instead of ${mention(sub.owner)}, click *Take over* or`;
  const takeOver = runButton({ text: 'Take over', command: 'subscribe', args: { repositories: [title] } });
  const words = md`Updates on ${title} are paused. ${reason} ${how} run ${again}.`;
  await notify(store, place, id, say(words, ...(isAccess ? [] : [takeOver])));
  if (why !== 'left') await notifyOwner(store, sub, id, reason, 'Subscribe there again when that is settled.');
  await store.subscriptions.pause(sub, { reason, at: store.now() });
}

async function notifyOwner(store: Store, sub: Subscription, id: string, reason: string, next: string): Promise<void> {
  const { title } = await nameTarget(sub, store);
  const words = md`Updates on ${title} in ${await channelName(store, sub.place)} are paused: ${reason} ${next}`;
  await notify(store, { team: sub.place.team, user: sub.owner }, id, say(words));
}

/** Any → ended: the forge no longer has the repository. */
export async function end(store: Store, sub: Subscription, { fullName }: RepositoryName): Promise<void> {
  const words = md`${fullName} no longer exists on the forge, so its subscription in this channel ended.`;
  await notify(store, sub.place, `gone:${subscriptionId(sub)}:${sub.createdAt}`, say(words));
  await store.subscriptions.remove(sub);
}

type Refused = Extract<Exposure, { allowed: false }>;

const whys: Readonly<Record<Refused['reason'], string>> = {
  'hidden-in-public': 'is private now, and everyone can read this channel',
  shared: 'cannot be shown here: this channel is shared with another organization',
  'unknown-channel': 'cannot be shown here: Slack does not say who can read this channel',
  unfollowed: 'is no longer followed here',
  unseen: 'is private, and the owner of this subscription can no longer see it',
  unread: 'is private, and the owner of this subscription can’t see all of it',
};

/** A process interrupted before posting posts within this time. */
const retellMs = 3_600_000;

/** An absence is noted first, and its subscription withheld right after. */
const withheldWithinMs = 60_000;

export type Withholding = ReturnType<typeof createWithholding>;

/** Repositories that leave a channel and come back; the channel gets the reason once, if the name may be shown there. */
export function createWithholding({ store, log, now }: FeedDeps, gate: Gate) {
  /** What was public until now is no secret; a name that was always hidden is never revealed. */
  async function wasOpen({ id }: RepositoryName): Promise<boolean> {
    const state = await store.sources.get(sourceKey({ kind: 'repo', id }));
    return SourceAbout.safeParse(state?.about).data?.wasOpen === true;
  }

  /** Withheld → active, or a pattern shows it again. */
  async function giveBack(absence: Absence, sub: Subscription): Promise<void> {
    const { where, repo, at } = absence;
    const named = where.target.kind === 'repo';
    if (named && sub.paused?.cause !== 'withheld') {
      // it was resumed manually or paused for another reason, unless its withholding is still to come
      if (now() - at >= withheldWithinMs) await store.absences.end(absence);
      return;
    }
    const id = `back:${subscriptionId(where)}:${repo.id}:${at}`;
    const name = named ? (sub.name ?? 'This repository') : repo.fullName;
    await notify(store, where.place, id, say(md`${name} can be shown here again. Updates resume.`));
    if (named) await store.subscriptions.resumeWithheld(sub);
    await store.absences.end(absence);
  }

  return {
    /** Active → withheld, if it follows just this repository, whose name the channel knows; a pattern continues without it. */
    async withhold(sub: Subscription, repo: RepositoryName, { reason, words }: Refused): Promise<void> {
      const named = sub.target.kind === 'repo';
      if (!named && (reason === 'unseen' || !(await wasOpen(repo)))) return;
      const { id, fullName } = repo;
      const at = await store.absences.note(sub, { id, fullName });
      // an outbox remembers for a week what it posted
      if (now() - at <= retellMs) {
        const what = named ? md`Updates are paused` : md`${(await nameTarget(sub, store)).title} leaves it out`;
        const left = md`${fullName} ${whys[reason]}. ${what} until that changes.`;
        await notify(store, sub.place, `left:${subscriptionId(sub)}:${id}:${at}`, say(left));
      }
      if (!named || sub.paused) return;
      const next = 'It resumes on its own when that changes.';
      await notifyOwner(store, sub, `withheld:${subscriptionId(sub)}:${at}`, words, next);
      await store.subscriptions.pause(sub, { reason: words, at: now(), cause: 'withheld' });
    },

    /** Resumes everything that may be shown again. */
    async look(): Promise<void> {
      for (const absence of await store.absences.all()) {
        const { where, repo } = absence;
        const sub = await store.subscriptions.get(where);
        if (!sub) {
          await store.absences.end(absence);
          continue;
        }
        try {
          const by = { person: { team: where.place.team, user: sub.owner } };
          if ((await gate.check(where.place, repo, by)).allowed) await giveBack(absence, sub);
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof PostError)) throw error;
          log.debug({ repository: repo.id, reason: error.message }, 'whether it may be shown again is not known yet');
        }
      }
    },
  };
}
