import { notify } from '../chat/notice.js';
import { titleOf } from '../features/subscriptions/target.js';
import type { Exposure } from '../feed/exposure.js';
import { PostError } from '../feed/ports.js';
import { SourceAbout, sourceKey } from '../feed/sources/source.js';
import { ApiError } from '../forge/index.js';
import { type Absence, type Subscription, subscriptionId } from '../store/index.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';
import type { FeedDeps } from './feed-deps.js';
import type { Gate } from './gate.js';
import type { RepositoryName } from './sight.js';

export type Absences = ReturnType<typeof createAbsences>;
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

/** An absence is noted first, and its subscription paused right after. */
const pausedWithinMs = 60_000;

/** Repositories that leave a channel and come back; the channel gets the reason once, if the name may be shown there. */
export function createAbsences({ store, log, now }: FeedDeps, gate: Gate) {
  const titleFor = async ({ target }: Pick<Subscription, 'target'>) =>
    titleOf(target, (await store.subscriptions.nameOf(target)) ?? '');

  /** What was public until now is no secret; a name that was always hidden is never revealed. */
  async function wasOpen({ id }: RepositoryName): Promise<boolean> {
    const state = await store.sources.get(sourceKey({ kind: 'repo', id }));
    return SourceAbout.safeParse(state?.about).data?.wasOpen === true;
  }

  /** Its end comes last: if interrupted before, everything is done again, and the outbox drops the repeat. */
  async function back(absence: Absence, sub: Subscription): Promise<void> {
    const { where, repo, at } = absence;
    const named = where.target.kind === 'repo';
    if (named && sub.paused?.cause !== 'withheld') {
      // it was resumed manually or stopped for another reason, unless its pause is still to come
      if (now() - at >= pausedWithinMs) await store.absences.end(absence);
      return;
    }
    const id = `back:${subscriptionId(where)}:${repo.id}:${at}`;
    const name = named ? (sub.name ?? 'This repository') : repo.fullName;
    await notify(store, where.place, id, say(md`${name} can be shown here again. Updates resume.`));
    if (named) await store.subscriptions.change(sub, { resumed: true });
    await store.absences.end(absence);
  }

  return {
    /** The channel still knows the name of a repository it follows by name. */
    async left(sub: Subscription, repo: RepositoryName, { reason }: Refused): Promise<void> {
      const named = sub.target.kind === 'repo';
      if (!named && (reason === 'unseen' || !(await wasOpen(repo)))) return;
      const { id, fullName } = repo;
      const at = await store.absences.note(sub, { id, fullName });
      // an outbox remembers for a week what it posted
      if (now() - at > retellMs) return;
      const what = named ? md`Updates are paused` : md`${await titleFor(sub)} leaves it out`;
      const words = md`${fullName} ${whys[reason]}. ${what} until that changes.`;
      await notify(store, sub.place, `left:${subscriptionId(sub)}:${id}:${at}`, say(words));
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
          if ((await gate.check(where.place, repo, by)).allowed) await back(absence, sub);
        } catch (error) {
          if (!(error instanceof ApiError || error instanceof PostError)) throw error;
          log.debug({ repository: repo.id, reason: error.message }, 'whether it may be shown again is not known yet');
        }
      }
    },
  };
}
