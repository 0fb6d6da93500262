import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jobIdOf } from '../../chat/act-job.js';
import { runButton } from '../../chat/actions.js';
import { agentTrouble } from '../../chat/agent.js';
import type { Context } from '../../chat/context.js';
import { credentialOf } from '../../chat/credential.js';
import { explanation, isWrite } from '../../chat/explain.js';
import { Overtaken } from '../../chat/hold.js';
import { notify } from '../../chat/notice.js';
import { fullName, type ItemRef, refOf, webAddress } from '../../chat/references.js';
import type { Entry as Audited, Notice, Runtime } from '../../chat/runtime.js';
import { openSession } from '../../chat/session.js';
import { type QueueSettings, queueSettings } from '../../config.js';
import { showDuration } from '../../duration.js';
import { asCode, reasonOf, UserError } from '../../errors.js';
import { audienceOf, followersOf } from '../../feed/covers.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import { Filter } from '../../feed/filter.js';
import { itemThread } from '../../feed/item.js';
import { brokenRuns, readChecks } from '../../forge/commit-checks.js';
import { ApiError, GitError, gather, isLost, oldestGit } from '../../forge/index.js';
import { ifAnswered, isAbsent, possible, unlessAbsent } from '../../forge/possible.js';
import { readReviews } from '../../forge/review-requests.js';
import type { Branch, PullRequest, PullReview } from '../../forge/schemas.js';
import {
  longestRestMs,
  type Person,
  plainJson,
  type Queue,
  type QueueEntry,
  type QueueStep,
  type Subscription,
  subscriptionId,
} from '../../store/index.js';
import { actions, preformat, section } from '../../view/blocks.js';
import { failureCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { type Message, message, say } from '../../view/message.js';
import { bold, code, link, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import { date } from '../../view/when.js';
import { afterWorkingTime } from '../../working-hours.js';
import { type MergeBody, mayNotMerge, mergeBound } from '../pulls/merge-bound.js';
import { isStyle } from '../pulls/merge-style.js';
import { mergedMessage } from '../pulls/merged-message.js';
import { short } from '../pulls/read.js';
import { standing, whyOver } from '../pulls/unready.js';
import { fitting, logOf } from '../runs/log.js';
import { rerun } from '../runs/restart.js';
import {
  currentEntry,
  isBehind,
  isCounted,
  isForked,
  isPaused,
  isRequired,
  progressWords,
  queueAdded,
  queueBlocks,
  refIn,
  restsBecause,
  showStatus,
  unapprovedWords,
  updating,
  withdrawnFrom,
  workflowWords,
} from './entry.js';

/** What was read so recently is not read again. */
const justNowMs = 5_000;
/** What a worker leaves undone is another's then. */
const holdMs = 45_000;
/** A worker that was suspended longer sends nothing. */
const longestTurnMs = 30_000;
const longestUpdateMs = 60_000;
const longestBuildMs = 15 * 60_000;
/** While git works. */
const beatMs = 15_000;
/** How often the base may move while one is tested. */
const mostOvertaken = 3;
const logLines = 12;
const mostSent = 50;
const mostOpen = 50;
/** Rows of the same time may come late. */
const overlapMs = 120_000;
/** In the timeline: asked for, and taken back. */
const schedules: readonly string[] = ['pull_scheduled_merge', 'pull_cancel_scheduled_merge'];

type Deps = Pick<Runtime, 'services' | 'record' | 'post' | 'exposed' | 'enqueue'> & {
  count?(outcome: string): void;
};
type Over = Extract<QueueStep, { at: 'over' }>;
type Updating = Extract<QueueStep, { at: 'updating' }>;
type Testing = Extract<QueueStep, { at: 'testing' }>;
type Merging = Extract<QueueStep, { at: 'merging' }>;

type Unapproved = Extract<QueueStep, { at: 'unapproved' }>;
type Building = Extract<QueueStep, { at: 'building' }>;

/** What to write down about the current entry, and about its queue; `wait`: nothing to do for so long. */
interface Next {
  readonly entry: Partial<QueueEntry>;
  readonly wait?: number;
  readonly also?: (queue: Queue) => Queue;
  /** As just read, for the next step of this turn. */
  readonly pull?: PullRequest;
}

/** As buttons carry it: by the id of its repository, whatever the name means by then. */
type Named = ItemRef & { readonly repoId: number };

interface At {
  readonly queue: Queue;
  readonly entry: QueueEntry;
  readonly ref: Named;
  readonly settings: QueueSettings;
  readonly context: Context;
  /** As the step before has just read it. */
  readonly pull?: PullRequest | undefined;
  /** Refuses what another worker or a person made impossible meanwhile. */
  guard(): Promise<void>;
  /** Still at work. */
  keepAlive(): Promise<void>;
  /** For the audit: sent, but not to the API. */
  note(name: 'git.push'): void;
}

/** Those in it wait again, and are built again. */
function withoutBatch({ batch, suspects: _, ...queue }: Queue): Queue {
  const again = (entry: QueueEntry): QueueEntry =>
    entry.step.at !== 'over' && batch?.members.some(({ key }) => key === entry.key)
      ? { ...entry, step: { at: 'waiting' } }
      : entry;
  return { ...queue, entries: queue.entries.map(again) };
}

/** Another one than the current leaves as well. */
const alsoOut =
  (key: string, { entry }: Next) =>
  (queue: Queue): Queue => {
    const { entries, ...rest } = withoutBatch(queue);
    return { ...rest, entries: entries.map((each) => (each.key === key ? { ...each, ...entry } : each)) };
  };

/** The commit whose checks count, and the one its merge must equal. */
function testedOf({ batch }: Queue, { head, key }: QueueEntry) {
  const own = batch?.members[0]?.key === key ? batch.members[0].commit : undefined;
  return own === undefined ? { tip: head, own: head } : { tip: batch?.members.at(-1)?.commit ?? own, own };
}

const noop = () => {};

const digest = (shown: unknown): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);

const wantsQueue = ({ filter }: Subscription): boolean => Filter.safeParse(filter).data?.features?.queue !== undefined;

/** As subscriptions see it. */
const repoOf = (queue: Queue) => ({ id: queue.repository, ownerId: queue.ownerId ?? 0, fullName: fullName(queue) });

/** For the thread of the pull request's card, when it has left. */
function endWords({ base }: Queue, { outcome, detail }: Over): Mrkdwn {
  if (outcome === 'merged') return md`✅ ${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
  return outcome === 'other' ? md`⚠️ ${detail}` : md`❌ Taken out of the queue for ${code(base)}: ${detail}`;
}

const outdatedWords = ({ base }: Queue, ref: ItemRef): string =>
  `${asCode(base)} only accepts branches that are up to date, so ${refOf(ref)} can’t be merged from a branch of the queue. An admin has to turn that rule off, or set way: update under queues in bellows.yaml.`;

const Pushed = z.object({ commit_ids: z.array(z.string()).catch([]) });

function commitsIn(body: string): readonly string[] {
  try {
    return Pushed.parse(JSON.parse(body)).commit_ids;
  } catch {
    return [];
  }
}

function bodyOf({ style, head, deleteBranch, commitTitle, commitMessage }: QueueEntry): MergeBody {
  return {
    Do: isStyle(style) ? style : 'merge',
    head_commit_id: head,
    delete_branch_after_merge: deleteBranch,
    ...(commitTitle !== undefined && { merge_title_field: commitTitle }),
    ...(commitMessage !== undefined && { merge_message_field: commitMessage }),
  };
}

/** Trying again would keep everyone behind it waiting; an outage or a read that is refused may pass. */
const isRefusedWrite = (error: unknown): error is ApiError =>
  error instanceof ApiError && isWrite(error) && !['unavailable', 'timeout', 'unauthorized'].includes(error.kind);

const endWith = (outcome: Over['outcome'], detail: string, said: Message, more: Partial<Over> = {}): Next => ({
  entry: { step: { at: 'over', outcome, detail, message: plainJson(said), ...more } },
});

/** It leaves the queue; the sentence is about the pull request. */
function takeOut(ref: Named, says: string, others = says): Next {
  const buttons = [
    runButton({ text: 'Queue again', command: 'queue', args: { pull: ref } }),
    runButton({ text: 'Show pull request', command: 'pr show', args: { pull: ref } }),
  ];
  const said = message({ blocks: failureCard({ says: `${says} It was taken out of the queue.`, buttons }) });
  return endWith('out', says, said, { others });
}

/** Works on every queue that is due: checks, updates, tests, merges and verifies one pull request after the other. */
export function createQueueWork(deps: Deps, everyMs: number) {
  const { services } = deps;
  const { store, log } = services;
  /** Checks of a push and of a pull request appear one after the other, so one look is not enough. */
  const settleMs = 2 * everyMs;
  /** Whether the pull request is still what was asked for, while it is tested. */
  const standingMs = 5 * everyMs;
  /** Before “there are no checks”. */
  const quietMs = 15 * everyMs;
  /** At the reviews of one whose place is kept, and at what people ask the forge itself. */
  const lookMs = 30 * everyMs;
  const now = () => services.now().getTime();
  const isJustNow = (at: number | undefined) => at !== undefined && now() - at <= justNowMs;

  /** Acts as the person who queued it, if they still can. */
  async function sessionOf(
    { by, agent: asked, approval, key }: Pick<QueueEntry, 'by' | 'agent' | 'approval' | 'key'>,
    calls: Audited['operations'][number][],
    beforeWrite: () => Promise<void>,
  ) {
    const account = await store.accounts.get(by);
    if (account?.state !== 'active') return 'The person who queued it is no longer linked to the forge.';
    if (account.forgeUserId !== by.forgeUserId)
      return 'The person who queued it has linked another forge account since.';
    const agent = asked && (await store.agents.get(asked.id));
    const trouble = asked && agentTrouble(agent, account, services);
    if (trouble !== undefined) return trouble;
    return openSession(services, {
      person: { team: by.team, user: by.user },
      channel: undefined,
      account,
      agent,
      approval,
      job: key,
      beforeWrite,
      afterCall: (name, { status }) => {
        calls.push({ name, status });
      },
      progress: async () => {},
      offerUndo() {},
    });
  }

  /** Check: nothing that was asked for changed, and the branch lets this person merge it. */
  async function check(at: At): Promise<Next> {
    const { queue, entry, ref, settings, context } = at;
    const { api } = context;
    const { owner, repo } = ref;
    const { pull, reviews, over } = await standing(api, ref, { ...queue, ...entry }, at.pull);
    if (over !== undefined) return takeOut(ref, `${refOf(ref)} ${over}.`);
    const rules = await possible(api.repos.getBranch({ owner, repo, branch: queue.base }));
    const blocked = await blockedBy(at, pull, reviews, rules);
    if (blocked !== undefined) return blocked;
    const isShown = isRequired(rules);
    if (isShown) await showStatus(api, ref, entry, 'pending', `Next in the queue for ${queue.base}: being tested.`);
    const base = pull.base?.sha ?? '';
    const behind = await isBehind(api, ref, base, entry.head);
    const shown = isShown ? { isShown } : {};
    const testing: Next = { entry: { ...shown, step: { at: 'testing', since: now(), base } } };
    if (!behind && settings.way === 'update') return testing;
    if (entry.overtaken > mostOvertaken)
      return takeOut(
        ref,
        `${asCode(queue.base)} moved ${mostOvertaken + 1} times while ${refOf(ref)} was tested, because others merged past the queue.`,
      );
    if (settings.way === 'branch') {
      if (await isReady(at, behind, rules)) return testing;
      const next = await assemble(at, pull, behind);
      return { ...next, entry: { ...shown, ...next.entry } };
    }
    const isFree = rules?.required_approvals === 0 && !isShown;
    return { entry: { ...shown, step: { ...updating(pull, now()), isFree } }, pull };
  }

  /** Alone, up to date and green already: its own checks tell all that a branch could. */
  async function isReady(
    { queue, entry, ref, settings, context }: At,
    behind: boolean,
    rules: Branch | undefined,
  ): Promise<boolean> {
    if (behind || queue.suspects) return false;
    if (entry.style === 'fast-forward-only') return true;
    if (settings.group > 1 && queue.entries.length > 1) return false;
    const { owner, repo } = ref;
    return (await readChecks(context.api, { owner, repo, sha: entry.head }))(rules).state === 'green';
  }

  /** Which are built and tested together: the first ones in line, or half of those that failed together. */
  async function assemble(at: At, pull: PullRequest, behind: boolean): Promise<Next> {
    const { queue, entry, ref, settings } = at;
    const { suspects } = queue;
    const base = pull.base?.sha ?? '';
    if (entry.style === 'fast-forward-only' && behind)
      return takeOut(
        ref,
        `${refOf(ref)} can’t be fast-forwarded: its branch is behind ${asCode(queue.base)}. Rebase the branch, or choose another --style.`,
      );
    const isKnown =
      suspects?.base === base && suspects.keys.every((key) => queue.entries.some((each) => each.key === key));
    if (suspects && !isKnown) return { entry: {}, also: ({ suspects: _, ...rest }) => rest };
    // what passed before it tells that it is the one
    if (suspects?.keys.length === 1) return handleFailure(at, suspects.commit);
    const waiting = queue.entries.filter(({ step, style }) => step.at === 'waiting' && style !== 'fast-forward-only');
    const chosen = suspects
      ? waiting.filter(({ key }) => suspects.keys.slice(0, Math.floor(suspects.keys.length / 2)).includes(key))
      : [entry, ...waiting.filter(({ key }) => key !== entry.key)].slice(0, settings.group);
    const members = [entry, ...chosen.filter(({ key }) => key !== entry.key)];
    const branch = `bellows-queue/${queue.base}/${entry.index}-${randomBytes(4).toString('hex')}`;
    const together = members.map(({ index }) => index);
    return {
      entry: { step: { at: 'building', since: now() } },
      also: (before) => ({
        ...before,
        batch: { branch, base, at: now(), members: members.map(({ key }) => ({ key })), together },
        branches: [...before.branches, { name: branch, by: entry.by }],
      }),
    };
  }

  /** Build: git makes what would be on the base, and it is pushed for its checks to run. */
  async function build(at: At, step: Building): Promise<Next> {
    const { queue, entry, ref, context } = at;
    const { batch } = queue;
    const credential = await credentialOf(services, context.person);
    if (!batch || !credential) return { entry: { step: { at: 'waiting' } }, also: withoutBatch };
    const { git } = services.forge;
    const where = { credential, id: queue.repository, owner: ref.owner, repo: ref.repo };
    const beating = setInterval(() => void at.keepAlive(), beatMs);
    try {
      const tip = batch.members.at(-1)?.commit;
      if (tip === undefined || !(await git.has(where, tip))) return await stack(at, batch, where);
      await at.guard();
      await git.push(where, tip, batch.branch);
      at.note('git.push');
      return { entry: { step: { at: 'testing', since: now(), base: batch.base } } };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if ((await git.version()) === undefined)
        return takeOut(
          ref,
          `Bellows needs git ${oldestGit} or newer to test ${refOf(ref)}. An admin has to install it, or set way: update under queues in bellows.yaml.`,
        );
      if (error.kind === 'refused')
        return takeOut(
          ref,
          `The forge doesn’t let ${entry.by.login ?? 'you'} use ${fullName(queue)} with git. That needs write access, and a token that may write to repositories.`,
        );
      if (error.kind === 'unwritable')
        return takeOut(
          ref,
          `Bellows can’t keep what git needs to test ${refOf(ref)}: ${error.message}. An admin has to make the worker’s temporary folder writable, or set way: update under queues in bellows.yaml.`,
        );
      if (error.kind === 'rejected')
        return takeOut(ref, `The forge rejected the branch ${asCode(batch.branch)}: ${error.message}.`);
      if (now() - step.since > longestBuildMs)
        return takeOut(ref, `${refOf(ref)} could not be built: ${error.message}.`);
      throw error;
    } finally {
      clearInterval(beating);
    }
  }

  async function stack(
    { queue, entry, ref, context }: At,
    batch: NonNullable<Queue['batch']>,
    where: Omit<Parameters<typeof services.forge.git.stack>[0], 'base' | 'pulls' | 'at'>,
  ): Promise<Next> {
    const members = batch.members.flatMap(({ key }) => queue.entries.filter((each) => each.key === key));
    const stacked = await services.forge.git.stack({
      ...where,
      base: { branch: queue.base, commit: batch.base },
      pulls: members.map(({ index, head }) => ({ index, head })),
      at: batch.at,
    });
    if (stacked.state === 'moved') return { entry: { step: { at: 'waiting' } }, also: withoutBatch, wait: everyMs };
    if (stacked.state === 'lagging') {
      const late = members.find(({ index }) => index === stacked.index) ?? entry;
      const other = { ...ref, index: late.index };
      const over = whyOver(await context.api.pulls.get(other), [], { ...queue, ...late });
      if (over === undefined && now() - batch.at <= longestUpdateMs) return { entry: {}, wait: everyMs };
      const says =
        over === undefined
          ? `The forge does not offer the commits of ${refOf(other)} to git.`
          : `${refOf(other)} ${over}.`;
      return { entry: {}, also: alsoOut(late.key, takeOut(other, says)) };
    }
    if (stacked.made[0]?.index !== entry.index)
      return takeOut(ref, `${refOf(ref)} conflicts with ${asCode(queue.base)}. Resolve the conflicts in its branch.`);
    const made = members.flatMap((each) => {
      const found = stacked.made.find(({ index }) => index === each.index);
      return found ? [{ ...each, ...found }] : [];
    });
    const unsafe = made.find(({ isFork, changesWorkflows, workflows }) => isFork && changesWorkflows && !workflows);
    if (unsafe) {
      const other = { ...ref, index: unsafe.index };
      return { entry: {}, also: alsoOut(unsafe.key, takeOut(other, workflowWords(other))) };
    }
    const built = made.map(({ key, commit }) => ({ key, commit }));
    const together = made.map(({ index }) => index);
    return { entry: {}, also: (before) => ({ ...before, batch: { ...batch, members: built, together } }) };
  }

  /** What everyone may know of the branch's rules; the forge checks the rest. */
  async function blockedBy(
    at: At,
    pull: PullRequest,
    reviews: readonly PullReview[],
    rules: Branch | undefined,
  ): Promise<Next | undefined> {
    const { ref, context } = at;
    if (rules?.user_can_merge === false) return takeOut(ref, (await mayNotMerge(ref, pull, rules, context)).message);
    const wanted = rules?.required_approvals ?? 0;
    const given = reviews.filter(isCounted).length;
    return given >= wanted ? undefined : lackApproval(at, reviews, wanted, given);
  }

  /** An approval that the queue's own update cost is waited for; without one it leaves. */
  async function lackApproval(
    { queue, entry, ref, settings, context }: At,
    reviews: readonly PullReview[],
    wanted: number,
    given: number,
  ): Promise<Next> {
    const reviewers = withdrawnFrom(reviews);
    const whose = reviewers.join(', ');
    if (!entry.isUpdated || whose === '') return takeOut(ref, unapprovedWords(ref, reviews, wanted, given));
    const until = afterWorkingTime(services.policy.workingHours, now(), settings.keepPlace * 1_000);
    const page = webAddress(services.forge.web, { kind: 'pull', of: ref });
    const people = reviewers.map((login) => ({ login }));
    const said = message({
      blocks: [
        section(
          md`⏳ ${link(page, `${refOf(ref)} ${entry.title}`)} needs an approval again. The forge no longer counts that of ${whose}, because ${code(queue.base)} had changed the same files when the queue updated the branch. It keeps its place until ${date(new Date(until), services.now())}, and the others go on.`,
        ),
        actions(
          runButton({ text: 'Ask again', command: 'pr review', args: { pull: ref, people } }),
          runButton({ text: 'Remove from queue', command: 'queue remove', args: { pull: ref } }),
          openButton(page),
        ),
      ],
    });
    if (entry.isShown) await showStatus(context.api, ref, entry, 'pending', `Waiting for approval by ${whose}.`);
    await notify(store, entry.by, `queue-${entry.key}-${entry.head}`, said);
    return { entry: { step: { at: 'unapproved', until, look: now() + lookMs, wanted, reviewers } } };
  }

  /** Its place is kept: once the approvals are back, its turn comes from there. */
  async function awaitApproval({ ref, settings, context }: At, step: Unapproved): Promise<Next> {
    const reviews = (await ifAnswered(readReviews(context.api, ref))) ?? [];
    const also = (queue: Queue) => queue;
    if (reviews.filter((each) => isCounted(each) && !each.stale).length >= step.wanted)
      return { entry: { step: { at: 'waiting' } }, also };
    if (now() < step.until) return { entry: { step: { ...step, look: now() + lookMs } }, also };
    const says = `${step.reviewers.join(', ')} did not approve ${refOf(ref)} again within ${showDuration(settings.keepPlace)} of working time.`;
    return { ...takeOut(ref, says), also };
  }

  /** Build: the forge brings the base into the branch, with this person's account. */
  async function update(at: At, step: Updating, write: (answered: Updating) => Promise<void>): Promise<Next> {
    const { entry, ref, context } = at;
    const { api } = context;
    const { looked, ...rest } = step;
    let pull = isJustNow(looked) ? undefined : (at.pull ?? (await api.pulls.get(ref)));
    let { answered } = step;
    if (!pull || pull.head?.sha === entry.head) {
      const over = pull && whyOver(pull, [], { ...at.queue, ...entry });
      if (over !== undefined) return takeOut(ref, `${refOf(ref)} ${over}.`);
      if (now() - step.since > longestUpdateMs)
        return takeOut(ref, `The forge did not update the branch of ${refOf(ref)}. Update it yourself.`);
      // without an answer, the branch is looked at before it is updated again
      if (!pull) await write(rest);
      try {
        await api.pulls.update({ ...ref, query: { style: step.style } });
        answered = true;
        await write({ ...rest, answered });
      } catch (error) {
        if (!(error instanceof ApiError) || (isLost(error) && error.status !== 500)) throw error;
        if (error.kind === 'conflict')
          return takeOut(
            ref,
            `${refOf(ref)} conflicts with ${asCode(at.queue.base)}. Resolve the conflicts in its branch.`,
          );
        if (error.kind === 'forbidden')
          return takeOut(ref, whyNotUpdated(at, pull ?? (await api.pulls.get(ref)), step));
      }
      pull = await api.pulls.get(ref);
    }
    const head = pull.head?.sha ?? '';
    // some servers answer before they do it
    if (head === entry.head) return { entry: { step: { ...rest, answered } }, wait: everyMs };
    const { own, base } = await isOwnUpdate(at, { ...step, answered }, head);
    if (own === 'unsure' && now() - step.since < longestUpdateMs)
      return { entry: { step: { ...rest, answered } }, wait: everyMs };
    if (own !== 'own')
      return takeOut(ref, `${refOf(ref)} has new commits: it was at ${short(entry.head)}, now ${short(head)}.`);
    const updated = { head, isUpdated: true } as const;
    // the update itself says what it has of its base, and where no approvals count it cannot have lost one
    if (step.isFree && base !== undefined)
      return { entry: { ...updated, step: { at: 'testing', since: now(), base } } };
    return { entry: { ...updated, step: { at: 'waiting' } }, pull };
  }

  function whyNotUpdated(
    { ref, queue }: At,
    { head, base, allow_maintainer_edit, user }: PullRequest,
    { style }: Updating,
  ) {
    const lead = `The branch of ${refOf(ref)} lacks commits of ${asCode(queue.base)}, and you may not update it`;
    const author = user?.login ?? 'Its author';
    if (isForked({ head, base }) && !allow_maintainer_edit)
      return `${lead}: it is in a fork that does not allow edits by maintainers. ${author} has to update it or allow that.`;
    const how = style === 'rebase' ? ' by rebasing' : '';
    return `${lead}${how}: ${asCode(head?.ref ?? '')} may be protected. ${author} or a repository admin has to update it.`;
  }

  /** The new head counts as the same request only if nobody but the queue, as its person, moved it, once, from the old one. `base`: what it brought in, if known. */
  async function isOwnUpdate(
    { entry, ref, context }: At,
    step: Updating,
    head: string,
  ): Promise<{ readonly own: 'own' | 'other' | 'unsure'; readonly base?: string | undefined }> {
    const { api } = context;
    const { owner, repo } = ref;
    // without an answer, a commit that looks like an update may be the person's own push: not what was approved
    if (!step.answered && entry.approval) return { own: 'other' };
    let base: string | undefined;
    if (step.style === 'merge') {
      const query = { sha: head, limit: 1, stat: false, files: false, verification: false };
      const made = (await unlessAbsent(api.repos.listCommits({ owner, repo, query })))?.items[0];
      if (!made) return { own: 'unsure' };
      if (made.parents.length !== 2 || made.parents[0]?.sha !== entry.head) return { own: 'other' };
      base = made.parents[1]?.sha;
    }
    const query = { since: new Date(step.asOf), page: 1 };
    const rows = await gather(api.issues.timeline.each({ ...ref, query }, { max: 500 }));
    const pushes = rows.filter(({ type }) => type === 'pull_push').sort((a, b) => a.id - b.id);
    const before = pushes.findLastIndex(({ body }) => {
      const ids = commitsIn(body);
      return ids.includes(entry.head) && !ids.includes(head);
    });
    const after = pushes.slice(before + 1);
    if (after.length === 0) return { own: 'unsure' };
    const isOwn = after.every(({ user, body }) => {
      const ids = commitsIn(body);
      // a rebase names the head that it replaces, a push on top of it does not
      const isUpdate = step.style === 'merge' || ids.includes(entry.head);
      return (
        user?.id === entry.by.forgeUserId &&
        isUpdate &&
        ids.includes(head) &&
        ids.every((id) => id === head || id === entry.head)
      );
    });
    return { own: isOwn ? 'own' : 'other', base };
  }

  /** Test: exactly this commit, on exactly this base. */
  async function test(at: At, step: Testing): Promise<Next> {
    const { queue, entry, ref, settings, context } = at;
    const { owner, repo } = ref;
    const { tip } = testedOf(queue, entry);
    const merging = { at: 'merging', base: step.base, since: step.since } as const;
    if (step.green) {
      // the look right before the merge has to see the same
      const left = Math.max(everyMs - (now() - step.green.since), settleMs - (now() - step.since));
      if (left > 0) return { entry: {}, wait: left };
      return (await lateOut(at)) ?? { entry: { step: { ...merging, seen: step.green.seen } } };
    }
    const judge = await readChecks(context.api, { owner, repo, sha: tip });
    // what the branch requires is reported for pull requests, not for the queue's own branch
    const needsRules = !queue.batch && !judge.isDecided && (step.isLacking || judge(undefined).state === 'none');
    const rules = needsRules
      ? await possible(context.api.repos.getBranch({ owner, repo, branch: queue.base }))
      : undefined;
    const { state, names, seen } = judge(rules);
    let { looked } = step;
    // a green one is read again right before its merge; each check reports several times
    if (state !== 'green' && (state === 'red' || now() - (looked ?? step.since) >= standingMs)) {
      const { pull, over } = await standing(context.api, ref, { ...queue, ...entry });
      if (over !== undefined) return takeOut(ref, `${refOf(ref)} ${over}.`);
      if (pull.base?.sha !== step.base) return again(at, pull.base?.sha ?? '');
      looked = now();
    }
    const lasted = now() - step.since;
    const { waitsFor: _, ...before } = step;
    const rest = { ...before, looked };
    // a webhook wakes it sooner
    const wait = Math.min(longestRestMs, Math.max(2.5 * everyMs, lasted / 4));
    if (state === 'red') return handleFailure(at, tip, { step, names });
    if (state === 'none' && lasted <= quietMs)
      return { entry: { step: { ...rest, waitsFor: 'its first check' } }, wait };
    if (state === 'none' && settings.noChecks === 'refuse') return takeOut(ref, explainNoChecks(queue, ref));
    if (lasted > settings.timeLimit * 1_000) return handleFailure(at, tip, { step, names: [] });
    if (state === 'pending') {
      const waitsFor = names.slice(0, 3).join(', ') || 'its checks';
      return { entry: { step: { ...rest, waitsFor } }, wait };
    }
    if (state === 'green') return { entry: { step: { ...rest, green: { seen, since: now() } } }, wait: everyMs };
    return (await lateOut(at)) ?? { entry: { step: merging } };
  }

  function explainNoChecks({ base, batch }: Queue, ref: ItemRef): string {
    const start = batch
      ? `No checks were reported for the queue’s branch of ${refOf(ref)}. A workflow has to run on pushes to bellows-queue/${base}/**.`
      : `No checks were reported for ${refOf(ref)}.`;
    return `${start} To merge without checks, an admin sets noChecks: merge under queues in bellows.yaml.`;
  }

  /** Nothing of a batch lands if another one in it changed while it was tested. */
  async function lateOut({ queue, ref, context }: At): Promise<Next | undefined> {
    for (const { key } of queue.batch?.members.slice(1) ?? []) {
      const each = queue.entries.find((entry) => entry.key === key);
      if (!each) continue;
      const other = { ...ref, index: each.index };
      const over = whyOver(await context.api.pulls.get(other), [], { ...queue, ...each });
      if (over !== undefined) return { entry: {}, also: alsoOut(key, takeOut(other, `${refOf(other)} ${over}.`)) };
    }
    return undefined;
  }

  /** Someone merged past the queue. */
  async function again({ queue, entry }: At, base: string): Promise<Next> {
    if (entry.isShown) await tellPast(queue, base);
    return { entry: { overtaken: entry.overtaken + 1, step: { at: 'waiting' } }, also: withoutBatch };
  }

  /** Where the branch wants only the queue to merge, its channels are told of what the queue did not release. */
  async function tellPast(queue: Queue, tip: string): Promise<void> {
    const page = `${services.forge.web}/${fullName(queue)}/commit/${tip}`;
    const says = md`⚠️ ${code(queue.base)} of ${fullName(queue)} changed without the queue: ${link(page, short(tip))}. What is queued is tested on top of it.`;
    await post(queue, { key: `queue-past-${queue.repository}-${tip}`, message: say(says), version: tip });
  }

  /** Only the queue merges here: what was merged past it, and what people asked the forge itself to merge. */
  async function watch(
    queue: Queue,
    { look: _, ...required }: NonNullable<Queue['required']>,
    open: (of: Pick<QueueEntry, 'by' | 'key'>) => Promise<Context | string>,
  ): Promise<(before: Queue) => Queue> {
    const { owner, repo, base } = queue;
    const look = now() + lookMs;
    const later = (before: Queue): Queue => ({ ...before, required: { ...required, look } });
    const context = await open({ by: required.by, key: `watch-${queue.repository}-${base}` });
    if (typeof context === 'string') return later;
    const { api } = context;
    const branch = await ifAnswered(api.repos.getBranch({ owner, repo, branch: base }));
    if (!branch) return later;
    if (!isRequired(branch)) return ({ required: _, ...before }) => ({ ...before, asked: [] });
    const pulls = await ifAnswered(
      gather(api.pulls.list.each({ owner, repo, query: { state: 'open', sort: 'recentupdate' } }, { max: mostOpen })),
    );
    if (!pulls) return later;
    // one that is being merged may have landed already
    const isSteady = queue.entries.every(({ step }) => step.at !== 'merging');
    const tip = isSteady ? branch.commit?.id : required.tip;
    if (isSteady && required.tip !== undefined && tip !== undefined && tip !== required.tip) await tellPast(queue, tip);
    const own = pulls.filter((each) => each.base?.ref === base && each.base.repo?.id === queue.repository);
    const fresh = own.filter((each) => (each.updated_at?.getTime() ?? 0) >= required.since - overlapMs);
    const asked: Queue['asked'][number][] = [];
    const canceled = new Map<string, Next>();
    for (const pull of fresh) {
      const ref = { owner, repo, index: pull.number, repoId: queue.repository };
      const entry = queue.entries.find(({ index }) => index === pull.number);
      if (entry && !entry.isScheduled) continue;
      const query = { since: new Date(required.since - overlapMs), page: 1 };
      const rows = await ifAnswered(gather(api.issues.timeline.each({ ...ref, query }, { max: 500 })));
      if (!rows) return later;
      const last = rows.findLast(({ type }) => schedules.includes(type));
      if (!last) continue;
      const login = last.user?.login ?? 'someone';
      if (last.type !== schedules[0]) {
        if (entry && entry.step.at !== 'merging')
          canceled.set(
            entry.key,
            takeOut(ref, `${login} canceled “merge when checks succeed” of ${refOf(ref)} on the forge.`),
          );
        continue;
      }
      if (entry) continue;
      // what was pushed since is not what they asked for
      const isSame = !rows.some(({ id, type }) => type === 'pull_push' && id > last.id);
      const person = isSame ? await linkedAs(required.by.team, last.user) : undefined;
      if (person) await queueFor(person, ref, pull.head?.sha ?? '', last.id);
      else asked.push({ index: pull.number, title: pull.title, login });
    }
    const since = Math.max(required.since, ...own.map((each) => each.updated_at?.getTime() ?? 0));
    return (before) => {
      const looked = new Set(fresh.map(({ number }) => number));
      const kept = before.asked.filter(({ index }) => !looked.has(index) && own.some(({ number }) => number === index));
      const isIn = (index: number) => before.entries.some((each) => each.index === index);
      const next = {
        ...before,
        required: { by: required.by, look, since, ...(tip !== undefined && { tip }) },
        asked: [...kept, ...asked].filter(({ index }) => !isIn(index)),
      };
      return [...canceled].reduce<Queue>((queue, [key, out]) => alsoOut(key, out)(queue), next);
    };
  }

  /** Someone who linked this very account. */
  async function linkedAs(team: string, user: { readonly id: number; readonly login: string } | null | undefined) {
    const found = user && (await services.people.slackUserOf(team, user.login));
    const account = found ? await store.accounts.get({ team, user: found }) : undefined;
    return found && account?.state === 'active' && account.forgeUserId === user?.id ? { team, user: found } : undefined;
  }

  /** The usual path: admitted, approved, audited and answered. The same row of the timeline gives the same job. */
  async function queueFor(person: Person, pull: Named, head: string, row: number): Promise<void> {
    const job = {
      v: 1,
      kind: 'command',
      command: 'queue',
      args: { pull, head, scheduled: true },
      dryRun: false,
      source: 'typed',
      person,
      answer: {},
      acceptedAt: now(),
    } as const;
    await deps.enqueue(job, jobIdOf('queue', String(pull.repoId), String(row)));
  }

  /** Red, or not green in time. Of several, half are tested next; one alone goes out. */
  async function handleFailure(
    at: At,
    sha: string,
    seen?: { readonly step: Testing; readonly names: readonly string[] },
  ): Promise<Next> {
    const { queue, entry, ref, settings, context } = at;
    const { owner, repo } = ref;
    const runs = (await ifAnswered(brokenRuns(context.api, { owner, repo, sha }))) ?? [];
    if (seen && entry.reruns < settings.retries && runs.length > 0) {
      for (const { id } of runs)
        await rerun({ owner, repo, run: id }, { failed: true }, context).catch((error: unknown) => {
          if (!(error instanceof UserError || error instanceof ApiError)) throw error;
        });
      return {
        entry: { reruns: entry.reruns + 1, step: { at: 'testing', since: now(), base: seen.step.base } },
        wait: settleMs,
      };
    }
    const keys = queue.batch?.members.map(({ key }) => key) ?? [];
    if (seen && keys.length > 1)
      return {
        entry: { step: { at: 'waiting' } },
        also: (before) => ({ ...withoutBatch(before), suspects: { keys, base: seen.step.base, commit: sha } }),
      };
    const known = seen ? undefined : (await readChecks(context.api, { owner, repo, sha }))(undefined);
    const names = seen?.names ?? (known?.state === 'red' ? known.names : []);
    if (names.length === 0)
      return takeOut(ref, `The checks of ${refOf(ref)} did not pass within ${showDuration(settings.timeLimit)}.`);
    const [run] = runs;
    const found = run && (await readFailure({ owner, repo, run: run.id }, context));
    const listed = names.slice(0, 5).join(', ');
    const says = `${count(names.length, 'check')} of ${refOf(ref)} failed: ${listed}.`;
    const page = webAddress(services.forge.web, { kind: 'pull', of: ref });
    const buttons = [
      run &&
        runButton({
          text: 'Rerun failed jobs',
          command: 'run rerun',
          args: { run: { owner, repo, repoId: queue.repository, run: run.id }, failed: true },
        }),
      runButton({ text: 'Queue again', command: 'queue', args: { pull: ref } }),
      openButton(page),
    ];
    const said = message({
      blocks: [
        section(
          md`❌ ${link(page, `${refOf(ref)} ${entry.title}`)} was taken out of the queue for ${code(queue.base)}: ${count(names.length, 'check')} failed: ${listed}.${found?.where ?? md``}`,
        ),
        found?.lines === undefined ? undefined : preformat(found.lines),
        actions(...buttons),
      ],
    });
    const pull = await ifAnswered(context.api.pulls.get(ref));
    const author = pull?.user && pull.user.id !== entry.by.forgeUserId ? { author: pull.user.login } : {};
    return endWith('red', says, said, { others: says, ...author });
  }

  /** The failing job and step with the end of its log, read as the person who gets it. */
  async function readFailure(ref: { owner: string; repo: string; run: number }, context: Context) {
    try {
      const { job, log } = await logOf(ref, undefined, logLines, context);
      const step: Mrkdwn = log?.step === undefined ? md`` : md` at ${bold(log.step)}`;
      return {
        where: md` Job ${bold(job.name)} failed${step}.`,
        lines: log && log.lines.length > 0 ? fitting(log.lines) : undefined,
      };
    } catch (error) {
      if (error instanceof ApiError || error instanceof UserError) return undefined;
      throw error;
    }
  }

  /** All that counts was read when it was asked for: only what others may have moved since is read again. */
  async function mergeAtOnce(at: At, { looked: _, ...step }: Merging): Promise<Next> {
    const { queue, entry, ref, context } = at;
    const pull = await context.api.pulls.get(ref);
    const isSame = whyOver(pull, [], { ...queue, ...entry }) === undefined && pull.base?.sha === step.base;
    // whatever is wrong is found out and said by reading everything
    if (!isSame) return { entry: { step } };
    try {
      const after = await mergeBound({ ref, pull, body: bodyOf(entry) }, context);
      return await compareLanded(at, pull, after ?? (await context.api.pulls.get(ref)));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { entry: { step } };
    }
  }

  /** Merge: everything is read again right before, and what landed is compared with what was tested. */
  async function merge(at: At, step: Merging, write: (released: Merging) => Promise<void>): Promise<Next> {
    const { queue, entry, ref, settings, context } = at;
    const { owner, repo } = ref;
    const { tip } = testedOf(queue, entry);
    if (isJustNow(step.looked)) return mergeAtOnce(at, step);
    const judge = await readChecks(context.api, { owner, repo, sha: tip });
    const { pull, reviews, over } = await standing(context.api, ref, { ...queue, ...entry });
    // a merge whose answer was lost
    const isOurs = pull.merged_by?.id === entry.by.forgeUserId || step.released === true;
    if (pull.merged && isOurs && pull.head?.sha === entry.head) return compareLanded(at, pull, pull);
    if (over !== undefined) return takeOut(ref, `${refOf(ref)} ${over}.`);
    const branch = await context.api.repos.getBranch({ owner, repo, branch: queue.base });
    const blocked = await blockedBy(at, pull, reviews, branch);
    if (blocked !== undefined) return blocked;
    if (branch.commit?.id !== step.base) return again(at, branch.commit?.id ?? '');
    const { state, seen } = judge(queue.batch ? undefined : branch);
    const isTested = state === 'green' || (state === 'none' && settings.noChecks === 'merge');
    const testing: Testing = { at: 'testing', since: step.since, base: step.base, isLacking: true };
    // checks of a push and of a pull request appear one after the other
    if (!isTested || (step.seen !== undefined && step.seen !== seen))
      return { entry: { step: testing }, wait: everyMs };
    if (isRequired(branch)) {
      // its green is withdrawn only from heads that are known to show it
      if (!entry.isShown) return { entry: { isShown: true } };
      await write({ ...step, released: true });
      await showStatus(context.api, ref, entry, 'success', `Tested at ${short(tip)}, being merged.`);
    }
    try {
      const after = await mergeBound({ ref, pull, body: bodyOf(entry) }, context);
      return await compareLanded(at, pull, after ?? (await context.api.pulls.get(ref)));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      // the forge's own schedule came first, released by the queue's status
      const after = isRequired(branch) ? await context.api.pulls.get(ref) : undefined;
      if (after?.merged && after.head?.sha === entry.head) return compareLanded(at, pull, after);
      // a required one that has not been reported yet
      if (error.cause instanceof ApiError && /required status checks/i.test(error.cause.serverMessage))
        return { entry: { step: testing }, wait: everyMs };
      if (queue.batch && error.cause instanceof ApiError && /behind the base branch/i.test(error.cause.serverMessage))
        return takeOut(ref, outdatedWords(queue, ref));
      // where stale ones are ignored, which only admins can see
      if (error.cause instanceof ApiError && /enough approvals/i.test(error.cause.serverMessage)) {
        const given = reviews.filter((each) => isCounted(each) && !each.stale).length;
        return lackApproval(at, reviews, Math.max(branch.required_approvals, given + 1), given);
      }
      return takeOut(ref, error.message, `The forge refused to merge ${refOf(ref)}.`);
    }
  }

  /** No head keeps the queue's green unless it was merged: written down only after it is gone. */
  async function withdraw(at: At, next: Next): Promise<Next> {
    const { entry, ref, context } = at;
    const { step } = next.entry;
    const isLanded = step?.at === 'over' && (step.outcome === 'merged' || step.outcome === 'other');
    if (entry.isShown && !isLanded)
      await showStatus(context.api, ref, entry, 'pending', step?.at === 'over' ? step.detail : 'Waiting to be tested.');
    return next;
  }

  /** Verify: nothing binds the base on the server, so the files decide whether what landed is what was tested. */
  async function compareLanded(
    { queue, entry, ref, context }: At,
    before: PullRequest,
    after: PullRequest,
  ): Promise<Next> {
    const { owner, repo } = ref;
    const { tip, own } = testedOf(queue, entry);
    const files = async (sha: string) => JSON.stringify((await context.api.repos.getTree({ owner, repo, sha })).tree);
    const commit = after.merge_commit_sha || entry.head;
    const isSame = commit === own;
    const [made, tested] = (!isSame && (await possible(Promise.all([files(commit), files(own)])))) || ['', ''];
    const { style, deleteBranch } = entry;
    const others = after.user && after.user.id !== entry.by.forgeUserId ? { author: after.user.login } : {};
    if (made === tested) {
      const beside = (queue.batch?.together ?? []).filter((index) => index !== entry.index).map((index) => `#${index}`);
      const isOnLast = beside.length === 0 && 'base' in entry.step && queue.last?.commit === entry.step.base;
      const onTop = isOnLast ? ` on top of #${queue.last?.index}` : '';
      const words = `Tested at ${short(tip)}${beside.length === 0 ? onTop : ` together with ${beside.join(', ')}`}`;
      const said = mergedMessage({ ref, style, before, after, tested: words }, { deleteBranch }, context);
      const next = endWith('merged', `merged into ${queue.base}, ${words.toLowerCase()}`, said, others);
      const commit = after.merge_commit_sha || entry.head;
      return {
        ...next,
        also: (queue) => ({ ...afterLanding(queue, entry.key, commit), last: { index: entry.index, commit } }),
      };
    }
    const reason = `${refOf(ref)} was merged, but ${asCode(queue.base)} now differs from what was tested at ${short(tip)}: something else was merged at the same moment.`;
    const says = `${reason} The queue is paused. Check ${asCode(queue.base)}, then run /forge queue resume.`.replace(
      '/forge',
      services.slash,
    );
    const next = endWith('other', reason, message({ blocks: failureCard({ says }) }), others);
    return { ...next, also: (queue) => ({ ...withoutBatch(queue), paused: { at: now(), reason } }) };
  }

  /** The next one of the batch, if any, lands on what this one made. */
  function afterLanding(queue: Queue, key: string, base: string): Queue {
    const { batch, suspects, ...rest } = queue;
    const required = rest.required && { ...rest.required, tip: base };
    const members = batch?.members.filter((each) => each.key !== key) ?? [];
    const left = suspects?.keys.filter((each) => each !== key) ?? [];
    const [first] = members;
    const next = (entry: QueueEntry): QueueEntry =>
      entry.key === first?.key ? { ...entry, step: { at: 'merging', since: now(), base } } : entry;
    return {
      ...rest,
      ...(required && { required }),
      entries: rest.entries.map(next),
      ...(batch && first && { batch: { ...batch, base, members } }),
      ...(suspects && left.length > 0 && { suspects: { ...suspects, keys: left, base } }),
    };
  }

  /** With the first of these accounts that may; false if none may. */
  async function asAny(
    candidates: readonly Pick<QueueEntry, 'by' | 'key'>[],
    open: (of: Pick<QueueEntry, 'by' | 'key'>) => Promise<Context | string>,
    act: (context: Context) => Promise<unknown>,
  ): Promise<boolean> {
    for (const each of candidates) {
      const context = await open(each);
      if (typeof context === 'string') continue;
      try {
        await act(context);
        return true;
      } catch (error) {
        if (!(error instanceof UserError || isRefusedWrite(error))) throw error;
      }
    }
    return false;
  }

  /** Each part under an id of its own, so that nothing is said twice; it leaves only when everyone has been told. */
  async function tellAll(
    queue: Queue,
    entry: QueueEntry,
    step: Over,
    operations: Audited['operations'],
  ): Promise<void> {
    const name = `queue-${entry.key}`;
    const { by, agent, approval, style, deleteBranch, head, index } = entry;
    const ref = refIn(queue, entry);
    // our own message, sealed by us
    await notify(store, by, name, step.message as unknown as Message);
    if (step.author !== undefined) await tellAuthor(queue, entry, step.author, step);
    if (step.others !== undefined)
      for (const approver of approval?.approvers ?? [])
        await notify(
          store,
          approver,
          `${name}-${approver.user}`,
          say(
            md`You approved merging ${refOf(ref)} for ${mentionOf(by)}. ${step.others} It was taken out of the queue.`,
          ),
        );
    await showProgress(queue, entry, endWords(queue, step), await channelsOf(queue));
    if (!(await store.jobs.mark(name, 'reported'))) return;
    deps.count?.(step.outcome);
    const outcome = step.outcome === 'merged' ? 'done' : step.outcome === 'other' ? 'unknown' : 'refused';
    await deps.record({
      person: { team: by.team, user: by.user },
      agent,
      login: by.login ?? '',
      command: 'queue',
      args: {
        pull: { ...ref, index },
        style,
        deleteBranch,
        head,
        base: queue.base,
        ...(entry.first && { first: true }),
      },
      operations,
      outcome,
      detail: step.detail,
      durationMs: now() - entry.since,
      ...(approval && { approval }),
    });
  }

  /** Without the log: its author reads it with their own account. */
  async function tellAuthor(queue: Queue, entry: QueueEntry, author: string, { outcome, detail }: Over): Promise<void> {
    const user = await services.people.slackUserOf(entry.by.team, author);
    if (user === undefined || user === entry.by.user) return;
    const ref = refIn(queue, entry);
    const page = webAddress(services.forge.web, { kind: 'pull', of: ref });
    const subject = link(page, `${refOf(ref)} ${entry.title}`);
    const says =
      outcome === 'merged'
        ? md`✅ ${mentionOf(entry.by)}’s queue entry merged ${subject} into ${code(queue.base)}.`
        : md`❌ ${subject} was taken out of the queue for ${code(queue.base)}: ${detail}`;
    await notify(store, { team: entry.by.team, user }, `queue-${entry.key}-author`, say(says, openButton(page)));
  }

  /** One subscription for each channel. */
  async function channelsOf(queue: Queue): Promise<Subscription[]> {
    const following = await followersOf(store, repoOf(queue));
    // one that wants the queue speaks for its channel
    const sorted = following.toSorted((a, b) => Number(wantsQueue(a)) - Number(wantsQueue(b)));
    return [...new Map(sorted.map((sub) => [sub.place.channel, sub])).values()];
  }

  /** In the queue's own channel and in those that subscribed to it. */
  async function post(
    queue: Queue,
    { key, message, version }: Omit<Notice, 'channel'>,
    followers?: readonly Subscription[],
  ): Promise<void> {
    const { channel: own } = queueSettings(services.policy.queues, fullName(queue), queue.base);
    if (own !== undefined && (await deps.exposed(queue, own)) === undefined)
      await deps.post({ key, channel: own, message, version });
    for (const sub of (followers ?? (await channelsOf(queue))).filter(wantsQueue)) {
      if (sub.place.channel === own) continue;
      const body: MessageDelivery = { type: 'message', message, card: key, of: audienceOf(repoOf(queue), sub) };
      await store.outbox.append(sub.place, [{ id: `${key}:${version}`, card: key, body: plainJson(body) }]);
    }
  }

  /** One message that changes, in the threads of the pull request's cards. */
  async function showProgress(
    queue: Queue,
    { key, index }: QueueEntry,
    says: Mrkdwn,
    followers: readonly Subscription[],
  ): Promise<void> {
    const under = itemThread(queue.repository, index);
    const card = `queue-${key}`;
    for (const sub of followers) {
      if (!(await store.threads.get(sub.place, under))) continue;
      const body: MessageDelivery = {
        type: 'message',
        message: say(says),
        card,
        under,
        of: audienceOf(repoOf(queue), sub),
      };
      await store.outbox.append(sub.place, [{ id: `${card}:${digest(says)}-${now()}`, card, body: plainJson(body) }]);
    }
  }

  /** For `why`. */
  async function explain(queue: Queue, entry: QueueEntry, followers: readonly Subscription[]): Promise<void> {
    const address = webAddress(services.forge.web, { kind: 'pull', of: refIn(queue, entry) });
    const made = followers.map((sub) => ({
      ...sub.place,
      subscription: subscriptionId(sub),
      kept: wantsQueue(sub),
      clause: wantsQueue(sub) ? 'queue' : 'the subscription does not include queue',
    }));
    await store.decisions.record([{ address, event: `queue-${entry.key}`, kind: queueAdded, made }]);
  }

  /** One quiet card in its channels and one message in each thread, changed only when something but time has. */
  async function draw(queue: Queue, keep: (change: (before: Queue) => Queue) => Promise<unknown>): Promise<void> {
    const present = services.now();
    const look = { policy: services.policy, now: present, web: services.forge.web, isCard: true };
    const drawn = message({ blocks: queueBlocks(queue, look) });
    const shown = digest(drawn);
    if (shown === queue.shown) return;
    const followers = await channelsOf(queue);
    const key = `queue-${queue.repository}-${queue.base}`;
    await post(queue, { key, message: drawn, version: `${shown}-${now()}` }, followers);
    const rests = restsBecause(queue, services.policy.queues, present) && 'paused';
    const words = new Map<string, string>();
    for (const entry of queue.entries) {
      if (entry.step.at === 'over') continue;
      const progress = progressWords(queue, entry, rests);
      words.set(entry.key, progress);
      if (progress === entry.progress) continue;
      const by = entry.by.login ?? 'someone';
      const says = md`⏳ In the queue for ${code(queue.base)}, added by ${by}: ${progress}`;
      await showProgress(queue, entry, says, followers);
      if (entry.progress === undefined) await explain(queue, entry, followers);
    }
    await keep((before) => ({
      ...before,
      shown,
      entries: before.entries.map((entry) => ({ ...entry, progress: words.get(entry.key) ?? entry.progress })),
    }));
  }

  async function work({ id, turn }: Awaited<ReturnType<typeof store.queues.due>>[number]): Promise<void> {
    let held = performance.now();
    const calls: Audited['operations'][number][] = [];
    const write = async (change: (queue: Queue) => Queue | undefined, afterMs = holdMs): Promise<Queue> => {
      const next = await store.queues.step(id, turn, change, afterMs);
      if (!next) throw new Overtaken();
      held = performance.now();
      return next;
    };
    const guard = async (isNext: (found: Queue) => boolean = () => true) => {
      const found = await store.queues.get(id);
      const isOurs = found?.turn === turn && isNext(found);
      if (!isOurs || performance.now() - held > longestTurnMs) throw new Overtaken();
    };
    const open = (of: Parameters<typeof sessionOf>[0]) => sessionOf(of, calls, () => guard());
    const rest = async (afterMs: number): Promise<Queue> => {
      let queue = await write((before) => before, afterMs);
      await draw(queue, async (change) => {
        queue = await write(change, afterMs);
      });
      return queue;
    };
    let known: PullRequest | undefined;
    for (;;) {
      const queue = await write((before) => before);
      const kept = queue.entries.find(({ step }) => step.at === 'unapproved' && step.look <= now());
      const entry = kept ?? currentEntry(queue);
      const present = services.now();
      const over = queue.entries.find(({ step }) => step.at === 'over');
      if (over?.step.at === 'over') {
        const { step } = over;
        if (over.isShown && (step.outcome === 'out' || step.outcome === 'red')) {
          const others = queue.entries.filter(({ key }) => key !== over.key).slice(0, 2);
          await asAny([over, ...others], open, ({ api }) => showStatus(api, queue, over, 'failure', step.detail));
        }
        const sent = over.sent.map((name) => ({ name, status: undefined }));
        await tellAll(queue, over, step, [...sent, ...calls.splice(0)]);
        await write(({ entries, recent, ...others }) => {
          const left = { index: over.index, outcome: step.outcome, tookMs: now() - over.since, at: now() };
          return {
            ...others,
            entries: entries.filter(({ key }) => key !== over.key),
            recent: [left, ...recent].slice(0, 5),
          };
        });
        continue;
      }
      if (queue.paused && !isPaused(queue, present)) {
        await write(({ paused: _, ...others }) => others);
        continue;
      }
      if (queue.batch?.members.some(({ key }) => queue.entries.every((each) => each.key !== key))) {
        await write(withoutBatch);
        continue;
      }
      const stale = queue.branches.find(({ name }) => name !== queue.batch?.branch);
      if (stale) {
        const { owner, repo } = queue;
        const { name } = stale;
        const candidates = [{ by: stale.by, key: name }, ...queue.entries.slice(0, 1)];
        const isGone = await asAny(candidates, open, ({ api }) =>
          unlessAbsent(api.repos.deleteBranch({ owner, repo, branch: name })),
        );
        if (!isGone) log.warn({ owner, repo, branch: name }, 'nobody may delete a branch of the merge queue');
        await write((before) => ({ ...before, branches: before.branches.filter(({ name }) => name !== stale.name) }));
        continue;
      }
      if (queue.required && queue.required.look <= now()) {
        await write(await watch(queue, queue.required, open));
        continue;
      }
      const rests = restsBecause(queue, services.policy.queues, present) !== undefined;
      if (rests && entry?.step.at === 'merging' && entry.step.released) {
        const { released: _, ...unreleased } = entry.step;
        await asAny([entry], open, ({ api }) => showStatus(api, queue, entry, 'pending', 'The queue is paused.'));
        await write(({ entries, ...others }) => ({
          ...others,
          entries: entries.map((each) => (each.key === entry.key ? { ...each, step: unreleased } : each)),
        }));
      }
      if (!entry || (rests && !kept)) {
        const places = queue.entries.flatMap(({ step }) => (step.at === 'unapproved' ? [step.look] : []));
        const looks = queue.required ? [...places, queue.required.look] : places;
        const rested = await rest(Math.max(0, Math.min(longestRestMs, ...looks.map((look) => look - now()))));
        // added or resumed while this turn was ending
        if (currentEntry(rested) && restsBecause(rested, services.policy.queues, services.now()) === undefined)
          continue;
        return;
      }
      const change = (next: Next) => (before: Queue) => {
        if (before.entries.every(({ key }) => key !== entry.key)) return undefined;
        const isOver = next.entry.step?.at === 'over';
        const writes = calls
          .filter(({ name }) => name === 'git.push' || isWrite({ operation: name }))
          .map(({ name }) => name);
        const sent = isOver ? entry.sent : [...entry.sent, ...writes].slice(-mostSent);
        const entries = before.entries.map((each) =>
          each.key === entry.key ? { ...each, ...next.entry, sent } : each,
        );
        const changed = { ...before, entries };
        if (next.also) return next.also(changed);
        return isOver ? withoutBatch(changed) : changed;
      };
      const isNext = (found: Queue) => currentEntry(found)?.key === entry.key && !isPaused(found, services.now());
      const context = await sessionOf(entry, calls, () => guard(isNext));
      const next = await advance(
        {
          queue,
          entry,
          pull: known?.number === entry.index ? known : undefined,
          guard: () => guard(isNext),
          keepAlive: () => write((before) => before).then(noop, noop),
          note: (name) => calls.push({ name, status: undefined }),
        },
        context,
        async (step) => {
          await write(change({ entry: { step } }));
        },
      );
      await write(change(next));
      known = next.pull;
      if (next.entry.step?.at !== 'over') calls.splice(0);
      if (next.wait !== undefined) {
        await rest(next.wait);
        return;
      }
    }
  }

  async function advance(
    worked: Pick<At, 'queue' | 'entry' | 'pull' | 'guard' | 'keepAlive' | 'note'>,
    context: Context | string,
    write: (step: QueueStep) => Promise<void>,
  ): Promise<Next> {
    const { queue, entry } = worked;
    const ref = { ...refIn(queue, entry), repoId: queue.repository };
    if (typeof context === 'string') return takeOut(ref, context);
    const { step } = entry;
    const at: At = {
      ...worked,
      ref,
      settings: queueSettings(services.policy.queues, fullName(queue), queue.base),
      context,
    };
    try {
      if (step.at === 'updating') return await update(at, step, write);
      if (step.at === 'building') return await build(at, step);
      if (step.at === 'unapproved') return await awaitApproval(at, step);
      if (step.at === 'testing') return await test(at, step);
      if (step.at === 'merging') return await withdraw(at, await merge(at, step, write));
      return await check(at);
    } catch (error) {
      if (isAbsent(error)) return takeOut(ref, `${refOf(ref)} can no longer be read.`);
      if (error instanceof UserError) return takeOut(ref, error.message, 'It was refused.');
      const isLate = error instanceof ApiError && 'since' in step && now() - step.since > at.settings.timeLimit * 1_000;
      if (isLate || isRefusedWrite(error))
        return takeOut(ref, `${refOf(ref)}: ${explanation(error, services).says}`, 'It was refused.');
      throw error;
    }
  }

  return async (): Promise<void> => {
    const due = await store.queues.due(holdMs);
    await Promise.all(
      due.map((each) =>
        work(each).catch(async (error: unknown) => {
          if (!(error instanceof Overtaken))
            log.warn({ ...each.id, reason: reasonOf(error) }, 'could not work on a merge queue for now');
          // still ours if an entry was removed or the queue paused meanwhile
          await store.queues.step(each.id, each.turn, (before) => before, 5 * everyMs);
        }),
      ),
    );
  };
}
