import { randomUUID } from 'node:crypto';
import { runButton } from '../../chat/actions.js';
import { refuseUnsupported } from '../../chat/admit.js';
import type { Context } from '../../chat/context.js';
import { frozenBy } from '../../chat/deploy/freeze.js';
import { rows } from '../../chat/fields.js';
import { fullName, type ItemRef, type RepositoryRef, refOf, webAddress } from '../../chat/references.js';
import { type PolicyFile, type QueueSettings, queueSettings } from '../../config.js';
import { asCode, UserError } from '../../errors.js';
import { queueContext, readChecks } from '../../forge/commit-checks.js';
import { type Api, gather } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { workflowFolders } from '../../forge/product.js';
import { readReviews } from '../../forge/review-requests.js';
import type { Branch, PullRequest, PullReview } from '../../forge/schemas.js';
import type { Person, Queue, QueueEntry, QueueStep } from '../../store/index.js';
import { type Blocks, context, list, section } from '../../view/blocks.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { bold, code, join, link, type Mrkdwn, md, mentionOf } from '../../view/text.js';
import { age, describeElapsed } from '../../view/when.js';
import { type MergeBody, mayNotMerge, refuseUnapproved, rulesOf } from '../pulls/merge-bound.js';
import { presentRef } from '../pulls/read.js';
import { objectionsIn } from '../pulls/unready.js';

export interface NewEntry {
  readonly ref: ItemRef;
  readonly pull: PullRequest | undefined;
  readonly body: MergeBody;
  /** Why it goes before the others. */
  readonly first?: string | undefined;
  /** A maintainer lets the fork's workflow files run. */
  readonly workflows?: boolean | undefined;
  readonly isScheduled?: boolean | undefined;
  /** What was read of it when it was asked for. */
  readonly found?: Found | undefined;
}

interface Found {
  /** What its base branch demands, if known. */
  readonly rules: Branch | undefined;
  /** Its branch lacks commits of its base; undefined if that was not read. */
  readonly behind?: boolean;
  /** The checks that had passed, and whether they have been the same for a while. */
  readonly green?: { readonly seen: string; readonly isSteady: boolean };
}

/** Checks of a push and of a pull request appear one after the other; clocks may differ by some of it. */
const steadyMs = 15_000;

export interface Queued {
  readonly queue: Queue;
  readonly entry: QueueEntry;
}

const mostEntries = 100;

/** The kind of its decisions, for `why`. */
export const queueAdded = 'queue:added';

export const emptyQueue = (of: Pick<Queue, 'repository' | 'owner' | 'repo' | 'ownerId' | 'base'>): Queue => ({
  ...of,
  entries: [],
  asked: [],
  recent: [],
  branches: [],
});

export const isForked = ({ head, base }: Pick<PullRequest, 'head' | 'base'>): boolean =>
  head?.repo?.id !== base?.repo?.id;

export const workflowWords = (ref: ItemRef): string =>
  `${refOf(ref)} comes from a fork and changes workflow files, which would run with the repository’s secrets. A maintainer has to queue it with --workflows.`;

/** The branch only lets the queue merge. */
export const isRequired = (rules: Branch | undefined): boolean =>
  rules?.enable_status_check === true && rules.status_check_contexts.includes(queueContext);

/** On the page of the pull request, for those who are not in Slack. */
export const showStatus = (
  api: Pick<Api, 'repos'>,
  { owner, repo }: RepositoryRef,
  { head }: Pick<QueueEntry, 'head'>,
  state: 'pending' | 'success' | 'failure',
  description: string,
) =>
  api.repos.createStatus({
    ...{ owner, repo, sha: head },
    body: { state, context: queueContext, description: description.slice(0, 200) },
  });

/** Whose turn it is: the first of those tested together or of those that failed together, else the one at work or the first in line. */
export function currentEntry(queue: Queue): QueueEntry | undefined {
  const { batch, suspects, entries } = queue;
  const key = batch?.members[0]?.key ?? suspects?.keys[0];
  const free = entries.filter(({ step }) => step.at !== 'unapproved');
  return free.find((each) => each.key === key) ?? free.find((each) => isBusy(queue, each)) ?? free[0];
}

const isBusy = ({ batch }: Queue, { key, step }: QueueEntry): boolean =>
  !['waiting', 'unapproved'].includes(step.at) || batch?.members.some((each) => each.key === key) === true;

export const isBy = ({ by }: QueueEntry, { team, user }: Person): boolean => by.team === team && by.user === user;

export const refIn = (
  { owner, repo }: Pick<Queue, 'owner' | 'repo'>,
  { index }: Pick<QueueEntry, 'index'>,
): ItemRef => ({
  owner,
  repo,
  index,
});

/** Whether its branch lacks commits of its base; no field of a pull request says so. */
export async function isBehind(api: Pick<Api, 'repos'>, { owner, repo }: ItemRef, base: string, head: string) {
  const query = { sha: base, not: head, limit: 1, stat: false, files: false, verification: false };
  return (await api.repos.listCommits({ owner, repo, query })).items.length > 0;
}

export const isCounted = ({ state, official, dismissed }: PullReview): boolean =>
  state === 'APPROVED' && official && !dismissed;

/** Whose approvals the forge no longer counts. */
export const withdrawnFrom = (reviews: readonly PullReview[]): string[] => {
  const stale = reviews.filter((each) => each.state === 'APPROVED' && each.stale);
  return [...new Set(stale.flatMap(({ user }) => user?.login ?? []))];
};

export function unapprovedWords(ref: ItemRef, reviews: readonly PullReview[], wanted: number, given: number): string {
  const whose = withdrawnFrom(reviews).join(', ');
  const why = whose === '' ? '' : ` The forge withdrew that of ${whose} when the branch changed.`;
  return `${refOf(ref)} needs ${count(wanted, 'approval')} and has ${given}.${why} Ask for a review, then queue it again.`;
}

/** What was asked about the queue itself. */
export interface Asking {
  readonly pull: ItemRef;
  readonly first?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly workflows?: boolean | undefined;
}

/** git looks at all of them before anything is pushed. */
const mostFiles = 500;
const isWorkflow = (path: string) => workflowFolders.some((folder) => path.startsWith(`${folder}/`));

/** What would take it out at once is said before it is added. */
export async function admitToQueue(
  asked: Asking,
  pull: PullRequest | undefined,
  head: string | undefined,
  context: Context,
): Promise<Found> {
  const { pull: ref, first, reason, workflows } = asked;
  const { owner, repo } = ref;
  await refuseUnsupported({ name: 'queue', needs: ['pulls.update'] }, context.forge);
  const base = pull?.base?.ref ?? '';
  const settings = queueSettings(context.policy.queues, fullName(presentRef(ref, pull)), base);
  if (first && reason === undefined) throw new UserError('Say why it should go first.', { field: 'reason' });
  if (first && !(await context.isAmong(settings.first)))
    throw new UserError(`Only ${settings.first}s can put a pull request first. Queue it without --first.`);
  if (workflows && !(await context.isAmong('maintainer')))
    throw new UserError('Only maintainers can let a fork’s workflow files run. Queue it without --workflows.');
  if (settings.way === 'branch' && !workflows && pull && isForked(pull)) {
    const files = await gather(context.api.pulls.listFiles.each(ref, { max: mostFiles }));
    if (files.some(({ filename }) => isWorkflow(filename))) throw new UserError(workflowWords(ref));
  }
  const [rules, reviews] = await Promise.all([rulesOf(ref, pull, context), readReviews(context.api, ref)]);
  const objecting = objectionsIn(reviews);
  if (rules?.user_can_merge === false) throw await mayNotMerge(ref, pull, rules, context);
  if (objecting.length > 0) {
    const who = objecting.map(({ user }) => user?.login ?? 'someone').join(', ');
    throw new UserError(`${who} requested changes on ${refOf(ref)}. Address them, then queue it.`);
  }
  const wanted = rules?.required_approvals ?? 0;
  const given = reviews.filter(isCounted).length;
  if (given < wanted) throw refuseUnapproved(ref, undefined, unapprovedWords(ref, reviews, wanted, given));
  if (head === undefined || !pull?.base) return { rules };
  const { sha } = pull.base;
  const isAsked = pull.merge_base !== sha;
  // what the base brings may turn it green
  if (isAsked && (await isBehind(context.api, ref, sha, head))) return { rules, behind: true };
  const { state, names, seen, changedAt } = (await readChecks(context.api, { owner, repo, sha: head }))(rules);
  const isSteady = changedAt !== undefined && context.now.getTime() - changedAt > steadyMs;
  // right after a push, the forge names the old merge base
  const behind = !isAsked && !isSteady && (await isBehind(context.api, ref, sha, head));
  if (state === 'red' && !behind)
    throw new UserError(`${refOf(ref)} failed its checks: ${names.slice(0, 5).join(', ')}. Fix them, then queue it.`);
  return { rules, behind, ...(state === 'green' && { green: { seen, isSteady } }) };
}

/** What comes first for one that nobody stands before: its update, its merge, or the look whether its checks stay. */
function firstStep(
  { pull, found, now }: { readonly pull: PullRequest; readonly found: Found | undefined; readonly now: number },
  way: QueueSettings['way'],
): QueueStep | undefined {
  const { rules, behind, green } = found ?? {};
  const isKnown = rules !== undefined && !isRequired(rules);
  if (behind && way === 'update' && isKnown)
    return { ...updating(pull, now), isFree: rules.required_approvals === 0, looked: now };
  if (behind !== false || !green) return undefined;
  const tested = { since: now, base: pull.base?.sha ?? '' };
  const { seen } = green;
  return isKnown && green.isSteady
    ? { at: 'merging', ...tested, seen, looked: now }
    : { at: 'testing', ...tested, green: { seen, since: now } };
}

/** The forge brings the base into the branch, as its repository prefers. */
export function updating(pull: PullRequest, now: number): Extract<QueueStep, { at: 'updating' }> {
  const repository = pull.base?.repo;
  const rebases = repository?.default_update_style === 'rebase' && repository.allow_rebase_update !== false;
  const style = rebases || repository?.allow_merge_update === false ? 'rebase' : 'merge';
  const asOf = pull.updated_at?.getTime() ?? 0;
  return { at: 'updating', since: now, base: pull.base?.sha ?? '', style, asOf, answered: false, isFree: false };
}

/** Bound to the head that was seen. The forge's own schedule ignores head and base, survives pushes and merges red work. */
export async function enqueue(wanted: NewEntry, asked: Context): Promise<Queued> {
  const { ref, pull, body, first, workflows, isScheduled, found } = wanted;
  const { api, store, person, login, approval, agent, now, job } = asked;
  const { owner, repo, index } = presentRef(ref, pull);
  const repository = pull?.base?.repo?.id;
  const base = pull?.base?.ref;
  const ownerId = pull?.base?.repo?.owner?.id;
  const head = body.head_commit_id;
  const account = await store.accounts.get(person);
  if (repository === undefined || !base || !head || !account || account.forgeUserId === null)
    throw new UserError(`This forge doesn’t say enough about ${refOf(ref)} to queue it. Merge it yourself.`);
  const entry: QueueEntry = {
    key: job ?? randomUUID(),
    index,
    title: pull.title,
    head,
    by: { ...person, login, forgeUserId: account.forgeUserId },
    ...(agent && { agent }),
    ...(approval && {
      approval: {
        id: approval.id,
        approvers: approval.approvers.map(({ team, user, login }) => ({ team, user, login })),
      },
    }),
    style: body.Do,
    deleteBranch: body.delete_branch_after_merge,
    ...(body.merge_title_field !== undefined && { commitTitle: body.merge_title_field }),
    ...(body.merge_message_field !== undefined && { commitMessage: body.merge_message_field }),
    isFork: isForked(pull),
    since: now.getTime(),
    ...(first !== undefined && { first }),
    ...(workflows && { workflows }),
    ...(isScheduled && { isScheduled }),
    ...(isRequired(found?.rules) && { isShown: true }),
    overtaken: 0,
    reruns: 0,
    sent: [],
    step: { at: 'waiting' },
  };
  const none = emptyQueue({ repository, owner, repo, ownerId, base });
  const isFirst = (queue: Queue): boolean =>
    queue.entries.length === 0 && restsBecause(queue, asked.policy.queues, now) === undefined;
  const { way } = queueSettings(asked.policy.queues, fullName(none), base);
  const step = firstStep({ pull, found, now: now.getTime() }, way);
  const queue = await store.queues.change({ repository, base }, (before) => {
    const found = before ?? none;
    const queue = { ...found, owner, repo, ownerId, asked: found.asked.filter((each) => each.index !== index) };
    const same = queue.entries.find((each) => each.index === index && each.step.at !== 'over');
    // this command again, after a crash
    if (same?.key === entry.key) return queue;
    if (same)
      throw new UserError(
        `${refOf(ref)} is already in the queue for ${asCode(base)}: ${same.by.login ?? 'someone'} added it. ${placeWords(queue, same)}`,
      );
    if (queue.entries.length >= mostEntries)
      throw new UserError(`The queue for ${asCode(base)} is full: ${mostEntries} are waiting. Try again later.`);
    if (step && isFirst(queue)) return { ...queue, entries: [{ ...entry, step }] };
    const ahead = queue.entries.findLastIndex((each) => isBusy(queue, each)) + 1;
    const entries = first === undefined ? [...queue.entries, entry] : queue.entries.toSpliced(ahead, 0, entry);
    return { ...queue, entries };
  });
  if (!queue) throw new Error('a queue was not stored');
  if (entry.isShown) await ifAnswered(showStatus(api, ref, entry, 'pending', `Queued. ${placeWords(queue, entry)}`));
  return { queue, entry: queue.entries.find(({ key }) => key === entry.key) ?? entry };
}

const ordinal = (place: number): string => {
  const last = place % 100 > 10 && place % 100 < 14 ? 0 : place % 10;
  return `${place}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
};

/** `It is next.` */
function placeWords({ entries }: Queue, { key }: QueueEntry): string {
  const place = entries.findIndex((each) => each.key === key) + 1;
  return place <= 1 ? 'It is next.' : `It is ${ordinal(place)} in line.`;
}

export function queuedMessage({ queue, entry }: Queued, ref: ItemRef, { forge, policy, now }: Context): Message {
  const page = webAddress(forge.web, { kind: 'pull', of: ref });
  const still = restsBecause(queue, policy.queues, now);
  return message({
    blocks: doneCard({
      says: md`Added ${link(page, `${refOf(ref)} ${entry.title}`)} to the queue for ${code(queue.base)}. ${placeWords(queue, entry)}`,
      but: still === undefined ? [] : [still],
      facts: [
        'Merged with your account once its checks pass',
        'A push, another target or requested changes take it out',
      ],
      buttons: [
        runButton({ text: 'Remove from queue', command: 'queue remove', args: { pull: ref } }),
        runButton({
          text: 'Show queue',
          command: 'queue list',
          args: { repository: { owner: ref.owner, repo: ref.repo } },
        }),
        openButton(page),
      ],
    }),
  });
}

export const isPaused = ({ paused }: Queue, now: Date): boolean =>
  paused !== undefined && (paused.until === undefined || paused.until > now.getTime());

/** Why nothing is merged now, as a sentence. */
export function restsBecause(queue: Queue, queues: PolicyFile['queues'], now: Date): string | undefined {
  const { paused, base } = queue;
  if (paused && isPaused(queue, now)) {
    const left = paused.until === undefined ? '' : ` for another ${describeElapsed(paused.until - now.getTime())}`;
    return `The queue is paused${left}: ${paused.reason}`;
  }
  return frozenBy(base, queueSettings(queues, fullName(queue), base), undefined, now);
}

const timeless = () => '';

function doingWords({ step, overtaken, reruns }: QueueEntry, lasted: (since: number) => string = timeless): string {
  const again = [overtaken > 0 ? 'built again' : '', reruns > 0 ? 'rerun' : ''].filter((each) => each !== '');
  const suffix = again.length === 0 ? '' : ` (${again.join(', ')})`;
  if (step.at === 'updating') return `updating its branch${suffix}`;
  if (step.at === 'building') return `building what to test${suffix}`;
  if (step.at === 'merging') return `merging${suffix}`;
  if (step.at === 'over') return 'done';
  if (step.at === 'waiting') return `next${suffix}`;
  if (step.at === 'unapproved') return `waiting for approval by ${step.reviewers.join(', ')}`;
  return `${step.waitsFor === undefined ? 'testing' : `waiting for ${step.waitsFor}`}${lasted(step.since)}${suffix}`;
}

/** For the thread of its card and its person's Home: `waiting for ci`, `2nd in line`. */
export function progressWords(queue: Queue, entry: QueueEntry, rests: string | undefined): string {
  if (rests !== undefined) return rests;
  if (entry.step.at === 'unapproved' || entry.key === currentEntry(queue)?.key) return doingWords(entry);
  if (isBusy(queue, entry)) return 'tested together with others';
  return `${ordinal(queue.entries.findIndex(({ key }) => key === entry.key) + 1)} in line`;
}

export const queuedBy = (person: Person, queue: Queue): Queued[] =>
  queue.entries.filter((entry) => entry.step.at !== 'over' && isBy(entry, person)).map((entry) => ({ queue, entry }));

export function queuedRow({ queue, entry }: Queued, { forge, policy, now }: Pick<Context, 'forge' | 'policy' | 'now'>) {
  const ref = refIn(queue, entry);
  const page = webAddress(forge.web, { kind: 'pull', of: ref });
  const progress = progressWords(queue, entry, restsBecause(queue, policy.queues, now));
  return list([
    md`• ${join([link(page, `${refOf(ref)} ${entry.title}`), code(queue.base), progress, age(new Date(entry.since), now)])}`,
  ]);
}

const outcomes: Readonly<Record<string, string>> = {
  merged: 'merged',
  red: 'failed its checks',
  out: 'taken out',
  other: 'merged with other content',
};

interface Look extends Pick<Context, 'policy' | 'now'> {
  readonly web: string;
  /** A card stays as it is while only time passes. */
  readonly isCard?: boolean;
}

/** The queue as it is: who is next, what it waits for, and how the last ones went. */
export function queueBlocks(queue: Queue, { policy, now, web, isCard = false }: Look): Blocks {
  const { entries, base, recent } = queue;
  const rests = restsBecause(queue, policy.queues, now);
  const current = currentEntry(queue);
  const line = (entry: QueueEntry, at: number): Mrkdwn => {
    const page = webAddress(web, { kind: 'pull', of: refIn(queue, entry) });
    const describeSince = (since: number) => (isCard ? '' : ` for ${describeElapsed(now.getTime() - since)}`);
    return join([
      md`${at + 1}. ${link(page, `#${entry.index} ${entry.title}`)}`,
      mentionOf(entry.by),
      isCard ? undefined : age(new Date(entry.since), now),
      (rests === undefined && entry === current) || entry.step.at === 'unapproved'
        ? doingWords(entry, describeSince)
        : undefined,
      rests === undefined && entry !== current && isBusy(queue, entry) ? 'tested together' : undefined,
      entry.first === undefined ? undefined : `first: ${entry.first}`,
    ]);
  };
  const ended = recent
    .slice(0, 3)
    .map(({ index, outcome, tookMs }) => `#${index} ${outcomes[outcome] ?? outcome} after ${describeElapsed(tookMs)}`);
  const size = entries.length === 0 ? 'nothing queued' : `${entries.length} queued`;
  return [
    section(md`${bold(fullName(queue))} · ${code(base)} · ${size}`),
    rests === undefined
      ? undefined
      : section(md`⏸️ ${isCard && queue.paused ? `Paused: ${queue.paused.reason}` : rests}`),
    ...list(entries.slice(0, rows).map(line)),
    ...queue.asked.slice(0, rows).map(({ index, title, login }) => {
      const ref = refIn(queue, { index });
      const page = webAddress(web, { kind: 'pull', of: ref });
      return section(
        md`⏳ ${login} chose “merge when checks succeed” for ${link(page, `#${index} ${title}`)} on the forge.`,
        runButton({ text: 'Queue it', command: 'queue', args: { pull: ref } }),
      );
    }),
    context([entries.length > rows ? `and ${entries.length - rows} more` : undefined, ...ended]),
  ];
}
