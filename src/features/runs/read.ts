import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { moreMenu, openEntry, runButton, runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { type Needed, run } from '../../chat/fields.js';
import { MessageError } from '../../chat/message-error.js';
import {
  fullName,
  isAddress,
  type RepositoryRef,
  type RunRef,
  showWritten,
  type WrittenRepository,
} from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { isAbsent, possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { failureCard } from '../../view/cards/outcome.js';
import { numberOf, runCard, runName } from '../../view/cards/run.js';
import { openButton } from '../../view/elements.js';
import type { Look } from '../../view/look.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { workflowFile } from '../../workflow-file.js';

const mostRead = 500;

/** By id; servers that cannot read one run are searched among the latest. */
export async function readRun(ref: RunRef, { api }: Context): Promise<WorkflowRun> {
  const found = await possible(api.runs.get(ref));
  if (found) return found;
  const { owner, repo, run } = ref;
  for await (const each of api.runs.list.each({ owner, repo }, { max: mostRead })) if (each.id === run) return each;
  throw new UserError(
    `I can’t find run ${run} in the latest ${mostRead} runs of ${fullName(ref)}. Check the ID in its web address.`,
  );
}

/** For approval rules: the branch or tag it ran for. */
export const branchOf = async (ref: RunRef, context: Context) => (await readRun(ref, context)).head_branch;

/** The file name, on any branch. */
export const workflowOf = ({ path }: Pick<WorkflowRun, 'path'>) => workflowFile(path);

export const isDone = ({ status }: Pick<WorkflowRun, 'status'>) => status === 'completed';

/** What a button about a run holds. */
export const argsOf = ({ owner, repo }: RepositoryRef, run: WorkflowRun) => ({
  run: {
    owner,
    repo,
    run: run.id,
    number: numberOf(run),
    ...(run.repository && { repoId: run.repository.id }),
  },
});
const withRepository = (run: WorkflowRun, at: RepositoryRef) => ({ ...run, repository: { full_name: fullName(at) } });

const asking = { title: 'Cancel this run?', text: 'Its jobs will stop.', confirm: 'Cancel run', deny: 'Keep running' };

/** How a button that stops a run looks, wherever it is. */
export const stops = {
  'run cancel': { style: 'danger', confirm: asking },
  'run force-cancel': {
    style: 'danger',
    confirm: {
      ...asking,
      title: 'Force-cancel this run?',
      text: 'It ends without waiting for its runner.',
      confirm: 'Request approval',
    },
  },
} as const;

/** For a button that force-cancels this many. */
export const stopsAll = (runs: number) => {
  const one = stops['run force-cancel'];
  if (runs === 1) return one;
  const text = 'They end without waiting for their runners.';
  return {
    ...one,
    confirm: { ...one.confirm, title: `Force-cancel ${runs} runs?`, text },
  };
};

/** With a confirmation; nothing for a finished run. */
export const cancelButton = (run: WorkflowRun, at: RepositoryRef) =>
  isDone(run)
    ? undefined
    : runButton({ text: 'Cancel', command: 'run cancel', args: argsOf(at, run), ...stops['run cancel'] });

/** For a run that was asked to stop and has not. */
export const forceButton = (run: WorkflowRun, at: RepositoryRef) =>
  runButton({
    text: 'Force-cancel',
    command: 'run force-cancel',
    args: argsOf(at, run),
    ...stops['run force-cancel'],
  });

const didFail = ({ conclusion }: WorkflowRun) => conclusion === 'failure' || conclusion === 'cancelled';

/** Nothing for a run that did not fail. */
export const rerunButton = (run: WorkflowRun, at: RepositoryRef) =>
  didFail(run)
    ? runButton({ text: 'Rerun failed jobs', command: 'run rerun', args: { ...argsOf(at, run), failed: true } })
    : undefined;

export const logButton = (run: WorkflowRun, at: RepositoryRef) =>
  didFail(run) ? runButton({ text: 'Show log', command: 'run log', args: argsOf(at, run) }) : undefined;

export const showButton = (run: WorkflowRun, at: RepositoryRef, text = 'Show') =>
  runButton({ text, command: 'run show', args: argsOf(at, run) });

export const pageButton = (run: WorkflowRun) => openButton(run.html_url);

export function runBlocks(run: WorkflowRun, at: RepositoryRef, look: Look): KnownBlock[] {
  const own = didFail(run) ? [rerunButton(run, at), logButton(run, at)] : [cancelButton(run, at), showButton(run, at)];
  const buttons = [...own, pageButton(run)];
  return runCard(withRepository(run, at), { style: 'card', buttons, ...look });
}

/** A menu cannot confirm just one of its options, so canceling opens its form. */
export function runRow(run: WorkflowRun, at: RepositoryRef, now: Date): KnownBlock[] {
  const args = argsOf(at, run);
  const menu = moreMenu([
    { text: 'Show', command: 'run show', args },
    ...(didFail(run)
      ? [
          { text: 'Rerun failed jobs', command: 'run rerun' as const, args: { ...args, failed: true } },
          { text: 'Show log', command: 'run log' as const, args },
        ]
      : []),
    isDone(run) ? undefined : { text: 'Cancel run…', command: 'run cancel', args, form: true },
    openEntry(run.html_url),
  ]);
  return runCard({ ...run, repository: undefined }, { now, style: 'row', menu });
}

/**
 * Where a run's number came from. Only a button's is certainly the id: a typed one may be from the forge's pages, and in an
 * address some servers use the id and others the page's number.
 */
interface Origin {
  readonly byHand?: true | undefined;
  readonly pasted?: true | undefined;
  /** As a menu writes it, which anyone can type: its two numbers are compared. */
  readonly chosen?: true | undefined;
  /** On the forge's pages, if a button or a menu names the run by its id: people read this one. */
  readonly number?: number | undefined;
}

export type WrittenRun = RunRef & Origin;

export function writtenRun(): Needed<WrittenRepository & { readonly run: number } & Origin, WrittenRun> {
  const plain = run();
  const origin = z.object({
    byHand: z.literal(true).optional(),
    pasted: z.literal(true).optional(),
    chosen: z.literal(true).optional(),
    number: z.int().min(1).optional(),
  });
  return {
    ...plain,
    schema: z.intersection(plain.schema, origin),
    read: (text, reading) => {
      const [, name, number, id] = chosenRun.exec(text.trim()) ?? [];
      if (id !== undefined) return { ...plain.read(`${name}#${id}`, reading), chosen: true, number: Number(number) };
      const found = plain.read(text, reading);
      return isAddress(text.trim()) ? { ...found, pasted: true } : { ...found, byHand: true };
    },
    show: (value) => plain.show({ ...value, run: value.number ?? value.run }),
    chosen: (value) =>
      value.number === undefined ? plain.show(value) : runChoice(showWritten(value), value.number, value.run),
    resolve: async (value, context) => {
      const ref = await plain.resolve(value, context);
      if (value?.byHand) return { ...ref, byHand: true };
      if (value?.pasted) return { ...ref, pasted: true };
      if (value?.chosen) await refuseOtherNumber(ref, value.number, context);
      return value?.number === undefined ? ref : { ...ref, number: value.number };
    },
  };
}

/** The number is what cards and the audit name: it must be that run's. */
async function refuseOtherNumber(ref: RunRef, number: number | undefined, context: Context): Promise<void> {
  const now = numberOf(await readRun(ref, context));
  if (now !== number) throw new UserError(`The run with the ID ${ref.run} is run ${now}, not ${number}.`);
}

/** In a menu: both numbers, so that nobody has to be asked which was meant. */
export const runChoice = (name: string, number: number, id: number) => `${name}#${number} (ID ${id})`;
const chosenRun = /^(\S+)#([1-9]\d{0,14}) \(ID ([1-9]\d{0,14})\)$/;

export const exactly = ({ owner, repo, run }: RunRef): RunRef => ({ owner, repo, run });

/** What is about to be done to the run, for the buttons that choose one. */
interface Doing {
  readonly verb: string;
  readonly command: 'run show' | 'run cancel' | 'run force-cancel' | 'run rerun' | 'run log' | 'run approve';
  /** What else was typed. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Only the person knows which of the two is meant: neither is touched before they choose. */
function whichOf(
  ref: RunRef,
  typed: WorkflowRun | undefined,
  other: WorkflowRun | undefined,
  doing: Doing | undefined,
  context: Context,
): MessageError {
  const only = typed && other ? undefined : (typed ?? other);
  const says =
    typed && other
      ? md`Which run do you mean? ${runName(other)}, or ${runName(typed)}?`
      : md`No run of ${fullName(ref)} has the ID ${ref.run}.${only ? md` Did you mean ${runName(only)}?` : md``}`;
  const chosen = doing ? [other, typed].flatMap((run) => (run ? choose(run, ref, doing, context) : [])) : [];
  const next = chosen.length > 0 ? undefined : 'Use the run’s web address.';
  return new MessageError(message({ blocks: failureCard({ says, next, buttons: chosen }) }));
}

function choose(run: WorkflowRun, at: RepositoryRef, { verb, command, args }: Doing, { dryRun }: Context) {
  if (isDone(run) ? command === 'run cancel' || command === 'run force-cancel' : command === 'run rerun') return [];
  const drawn = runButtonIfFits({
    text: `${dryRun ? `Dry run: ${verb.toLowerCase()}` : verb} run ${numberOf(run)}: ${run.display_title}`,
    command,
    args: { ...args, ...argsOf(at, run) },
    dryRun,
    // A dry run changes nothing, so there is nothing to confirm.
    ...(!dryRun && (command === 'run cancel' || command === 'run force-cancel') && stops[command]),
  });
  return drawn ? [drawn] : [];
}

/** The run with this number on the forge's pages. */
async function findByNumber({ owner, repo, run }: RunRef, { api }: Context): Promise<WorkflowRun | undefined> {
  const query = { run_number: run, exclude_pull_requests: true, limit: 1 };
  return (await possible(api.runs.list({ owner, repo, query })))?.items[0];
}

/** Another run whose number on the forge's pages equals this one's id. */
export async function otherRunNumbered(ref: WrittenRun, context: Context): Promise<WorkflowRun | undefined> {
  if (!ref.byHand) return undefined;
  const other = await findByNumber(ref, context);
  return other?.id === ref.run ? undefined : other;
}

export async function ifThere(ref: RunRef, context: Context): Promise<WorkflowRun | undefined> {
  try {
    return await readRun(exactly(ref), context);
  } catch (error) {
    if (isNone(error)) return undefined;
    throw error;
  }
}

/** No run has that id, according to the forge or its list. */
const isNone = (error: unknown) => error instanceof UserError || isAbsent(error);

/** Whether this is the number in the run's own address, as the forge writes it. */
const isAt = ({ html_url }: WorkflowRun, number: number) =>
  new RegExp(`/actions/runs/${number}(?:[/?#]|$)`).test(html_url);

/** The run behind a pasted address: certain only if that is the run's own address. */
export async function runAt(ref: RunRef, context: Context, doing?: Doing): Promise<WorkflowRun> {
  const byId = await ifThere(ref, context);
  if (byId && isAt(byId, ref.run)) return byId;
  const byNumber = await findByNumber(ref, context);
  if (byNumber && isAt(byNumber, ref.run)) return byNumber;
  if (!byId && !byNumber)
    throw new UserError(`I can’t find a run at that address. See /forge run list ${fullName(ref)}.`);
  throw whichOf(ref, byId, byNumber, doing, context);
}

/** The id of the intended run. If that is not certain, nothing happens before the person chooses. */
export async function meantRun(ref: WrittenRun, doing: Doing | undefined, context: Context): Promise<RunRef> {
  if (ref.pasted) return { ...exactly(ref), run: (await runAt(ref, context, doing)).id };
  const other = await otherRunNumbered(ref, context);
  if (!other) return exactly(ref);
  const typed = await ifThere(ref, context);
  if (!typed) return { ...exactly(ref), run: other.id };
  throw whichOf(ref, typed, other, doing, context);
}
