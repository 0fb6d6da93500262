import { runButton } from '../../chat/actions.js';
import { agentTrouble } from '../../chat/agent.js';
import type { Context } from '../../chat/context.js';
import { Overtaken } from '../../chat/hold.js';
import { type ItemRef, refOf } from '../../chat/references.js';
import type { Entry, Runtime } from '../../chat/runtime.js';
import { openSession } from '../../chat/session.js';
import { UserError } from '../../errors.js';
import { judgeChecks } from '../../forge/commit-checks.js';
import { ApiError } from '../../forge/index.js';
import { ifAnswered, isAbsent } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import type { MergeWait, Person, Store } from '../../store/index.js';
import { doneCard, failureCard } from '../../view/cards/outcome.js';
import { count } from '../../view/look.js';
import { type Message, message, say } from '../../view/message.js';
import { md, mentionOf } from '../../view/text.js';
import { type MergeBody, mergeBound } from './merge-bound.js';
import { isStyle } from './merge-style.js';
import { mergedMessage } from './merged-message.js';
import { readPull } from './read.js';
import { objections, standing } from './unready.js';

const firstLookMs = 500;
const holdMs = 120_000;
/** A worker that was suspended longer sends nothing. */
const longestTurnMs = 60_000;
const longestMs = 24 * 3_600_000;

const idOf = (repository: number, index: number) => `${repository}-${index}`;

interface Wanted {
  readonly ref: ItemRef;
  readonly pull: PullRequest | undefined;
  readonly body: MergeBody;
}

/** The forge's own schedule ignores head and base, survives pushes and merges red work: Bellows waits itself. */
export async function startWaiting({ ref, pull, body }: Wanted, context: Context): Promise<void> {
  const { api, store, person, login, approval, agent, now } = context;
  const repository = pull?.base?.repo?.id;
  const base = pull?.base?.ref;
  const head = body.head_commit_id;
  const account = await store.accounts.get(person);
  if (repository === undefined || !base || !head || !account || account.forgeUserId === null)
    throw new UserError(`This forge doesn’t say enough about ${refOf(ref)} to wait for its checks. Merge it yourself.`);
  const before = await store.mergeWaits.get(idOf(repository, ref.index));
  if (before?.head === head && before.base === base && !isBy(before, person))
    throw new UserError(
      `${refOf(ref)} is already waiting for its checks: ${before.by.login ?? 'someone'} asked for it.`,
    );
  await store.mergeWaits.put(
    idOf(repository, ref.index),
    {
      ...ref,
      repository,
      head,
      base,
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
      ...(body.merge_title_field !== undefined && { title: body.merge_title_field }),
      ...(body.merge_message_field !== undefined && { message: body.merge_message_field }),
      objections: (await objections(api, ref)).map(({ id }) => id),
      since: now.getTime(),
    },
    firstLookMs,
  );
}

/** By the person who asked for it, or anyone who could merge it themselves. */
export async function stopWaiting({ pull: ref }: { readonly pull: ItemRef }, context: Context) {
  const { store, person, api } = context;
  const pull = await readPull(ref, context);
  const id = idOf(pull.base?.repo?.id ?? 0, ref.index);
  const wait = await store.mergeWaits.get(id);
  if (!wait) throw new UserError(`${refOf(ref)} isn’t waiting for its checks.`);
  const isOwn = isBy(wait, person);
  const { owner, repo } = ref;
  const branch = isOwn ? undefined : await ifAnswered(api.repos.getBranch({ owner, repo, branch: wait.base }));
  if (!isOwn && branch?.user_can_merge !== true)
    throw new UserError(
      `Only ${wait.by.login ?? 'the person who asked'} or someone who may merge ${refOf(ref)} can stop that.`,
    );
  await store.mergeWaits.drop(id);
  return { wait, isOwn };
}

export function stoppedMessage(
  { wait, isOwn }: Awaited<ReturnType<typeof stopWaiting>>,
  { pull: ref }: { readonly pull: ItemRef },
) {
  const whose = isOwn ? md`` : md` ${mentionOf(wait.by)} had asked for it.`;
  return message({ blocks: doneCard({ says: md`${refOf(ref)} is no longer merged automatically.${whose}` }) });
}

type Deps = Pick<Runtime, 'services' | 'tell' | 'record'>;
type Claimed = Awaited<ReturnType<Store['mergeWaits']['due']>>[number];

interface Ended {
  readonly outcome: Entry['outcome'];
  readonly detail: string;
  /** For the requester. */
  readonly reply: Message;
  /** For those who approved it, if it was not merged. */
  readonly others?: string;
}

/** It won't happen; the sentence is about the pull request. */
function endWith(wait: MergeWait, says: string, others = says): Ended {
  const show = runButton({ text: 'Show pull request', command: 'pr show', args: { pull: refIn(wait) } });
  const blocks = failureCard({ says: `${says} It won’t be merged automatically.`, buttons: [show] });
  return { outcome: 'refused', detail: says, reply: message({ blocks }), others };
}

const isBy = ({ by }: MergeWait, { team, user }: Person): boolean => by.team === team && by.user === user;

const refIn = ({ owner, repo, index }: MergeWait): ItemRef => ({ owner, repo, index });

function bodyOf({ style, head, deleteBranch, title, message }: MergeWait): MergeBody {
  return {
    Do: isStyle(style) ? style : 'merge',
    head_commit_id: head,
    delete_branch_after_merge: deleteBranch,
    ...(title !== undefined && { merge_title_field: title }),
    ...(message !== undefined && { merge_message_field: message }),
  };
}

/** Follows every wait to its end: merged, or a word to the people who asked for it and approved it. */
export function createMergeWaits(deps: Deps, everyMs: number) {
  const { services } = deps;
  const { store, log } = services;
  /** Those of a push and of a pull request appear one after the other, so one look is not enough. */
  const settleMs = 2 * everyMs;
  /** Before “there are no checks”. */
  const quietMs = 15 * everyMs;

  /** Acts as the person who asked, if they still can. */
  async function sessionOf(
    { isHeld, value: { by, agent: asked, approval } }: Claimed,
    calls: Entry['operations'][number][],
  ) {
    const claimedAt = performance.now();
    const account = await store.accounts.get(by);
    if (account?.state !== 'active') return 'The person who asked for it is no longer linked to the forge.';
    if (account.forgeUserId !== by.forgeUserId)
      return 'The person who asked for it has linked another forge account since.';
    const agent = asked && (await store.agents.get(asked.id));
    const trouble = asked && agentTrouble(agent, account, services);
    if (trouble !== undefined) return trouble;
    return openSession(services, {
      person: { team: by.team, user: by.user },
      channel: undefined,
      account,
      agent,
      approval,
      async beforeWrite() {
        if (performance.now() - claimedAt > longestTurnMs || !(await isHeld())) throw new Overtaken();
      },
      afterCall: (name, { status }) => {
        calls.push({ name, status });
      },
      progress: async () => {},
      offerUndo() {},
    });
  }

  /** How it ended; undefined while it goes on, with what was learned. */
  async function look({ value: wait }: Claimed, context: Context): Promise<Ended | MergeWait> {
    const ref = refIn(wait);
    const { owner, repo, head, base } = wait;
    const now = services.now().getTime();
    const verdict = await judgeChecks(context.api, { owner, repo, sha: head, base });
    // right before merging, and after its checks: nothing older decides
    const { pull, over } = await standing(context.api, ref, wait);
    if (pull.merged && pull.merged_by?.id === wait.by.forgeUserId) return merged(wait, pull, pull, context);
    if (over !== undefined) return endWith(wait, `${refOf(ref)} ${over}.`);
    const { green: before, ...rest } = wait;
    const { state, names, seen } = verdict;
    if (state === 'red')
      return endWith(wait, `${count(names.length, 'check')} of ${refOf(ref)} failed: ${names.slice(0, 5).join(', ')}.`);
    if (state === 'none' && now - wait.since > quietMs)
      return endWith(wait, `No checks were reported for ${refOf(ref)}, so there is nothing to wait for.`);
    if (now - wait.since > longestMs) return endWith(wait, `The checks of ${refOf(ref)} have not passed within a day.`);
    if (state !== 'green') return rest;
    const green = before?.seen === seen ? before : { seen, since: now };
    if (now - green.since < settleMs) return { ...rest, green };
    return mergeNow(wait, pull, context);
  }

  async function mergeNow(wait: MergeWait, pull: PullRequest, context: Context): Promise<Ended | MergeWait> {
    try {
      const after = await mergeBound({ ref: refIn(wait), pull, body: bodyOf(wait) }, context);
      return merged(wait, pull, after, context);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      // a required one that has not been reported yet
      if (error.cause instanceof ApiError && /required status checks/i.test(error.cause.serverMessage)) return wait;
      return endWith(wait, error.message, `The forge refused to merge ${refOf(refIn(wait))}.`);
    }
  }

  function merged(wait: MergeWait, before: PullRequest, after: PullRequest | undefined, context: Context): Ended {
    const { style, deleteBranch } = wait;
    const reply = mergedMessage({ ref: refIn(wait), style, before, after }, { deleteBranch }, context);
    return { outcome: 'done', detail: `merged into ${wait.base} after its checks passed`, reply };
  }

  /** Each part under an id of its own, so that nothing is said twice; over only when everyone has been told. */
  async function finish(
    { id, value: wait, end }: Claimed,
    ended: Ended,
    operations: Entry['operations'],
  ): Promise<void> {
    const name = `merge-${id}-${wait.since}`;
    const { by, agent, approval, style, deleteBranch, head, base } = wait;
    await deps.tell(by, ended.reply, name);
    if (ended.others !== undefined)
      for (const approver of approval?.approvers ?? [])
        await deps.tell(approver, approverWords(wait, ended.others), `${name}-${approver.user}`);
    if (await store.jobs.mark(name, 'reported'))
      await deps.record({
        person: { team: by.team, user: by.user },
        agent,
        login: by.login ?? '',
        command: 'pr merge',
        args: { pull: refIn(wait), style, deleteBranch, head, base, whenChecksSucceed: true },
        operations,
        outcome: ended.outcome,
        detail: ended.detail,
        durationMs: services.now().getTime() - wait.since,
        ...(approval && { approval }),
      });
    await end();
  }

  const approverWords = (wait: MergeWait, says: string): Message =>
    say(
      md`You approved merging ${refOf(refIn(wait))} for ${mentionOf(wait.by)}. ${says} It won’t be merged automatically.`,
    );

  async function turn(claimed: Claimed): Promise<void> {
    const { value: wait, keep } = claimed;
    const calls: Entry['operations'][number][] = [];
    const context = await sessionOf(claimed, calls);
    if (typeof context === 'string') return finish(claimed, endWith(wait, context), calls);
    const found = await look(claimed, context).catch((error: unknown) => {
      if (isAbsent(error)) return endWith(wait, `${refOf(refIn(wait))} can no longer be read.`);
      if (error instanceof UserError) return endWith(wait, error.message, 'It was refused.');
      throw error;
    });
    if ('outcome' in found) return finish(claimed, found, calls);
    const lasted = services.now().getTime() - wait.since;
    return keep(found, Math.min(30_000, Math.max(everyMs, lasted / 10)));
  }

  return async (): Promise<void> => {
    for (const claimed of await store.mergeWaits.due(holdMs)) {
      await turn(claimed).catch((error: unknown) => {
        if (!(error instanceof Overtaken))
          log.warn({ id: claimed.id, reason: String(error) }, 'could not check a waiting merge for now');
      });
    }
  };
}
