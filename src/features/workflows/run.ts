import { formButtonIfFits } from '../../chat/actions.js';
import { refuseOtherCommit } from '../../chat/approval/bound.js';
import type { AsPerson } from '../../chat/as-person.js';
import { command, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, flag, repository } from '../../chat/fields.js';
import type { Question } from '../../chat/form/questions.js';
import { notify } from '../../chat/notice.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import type { Services } from '../../chat/session.js';
import { reasonOf } from '../../errors.js';
import { isAbsent, soon } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { shortRef } from '../../short-ref.js';
import { type Follow, nextLookMs } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { bold, code, link, md } from '../../view/text.js';
import { refuseUngated } from '../deploy/gate.js';
import { isDone, runBlocks } from '../runs/read.js';
import {
  type Dispatch,
  dispatch,
  dispatchRequest,
  findStarted,
  fittedInputs,
  type Inputs,
  inputs,
  missingInputs,
  missingOf,
  questionsOf,
  type Started,
  wiredInputs,
  workflow,
} from './dispatch.js';
import { declaredAt, headOf, wholeRef, workflowName } from './file.js';

interface WorkflowStart {
  readonly repository: RepositoryRef;
  readonly workflow: string;
  readonly ref?: string | undefined;
  readonly input?: Inputs | undefined;
}

/** Exactly what is sent, or a refusal that offers the form for missing inputs. */
async function prepareStart(wanted: WorkflowStart, context: Context): Promise<Dispatch> {
  const { repository: at, workflow, input = {} } = wanted;
  const ref = await wholeRef(at, wanted.ref, context);
  const sha = await headOf(at, ref, context);
  const declared = await declaredAt(at, workflow, { ref, sha }, context);
  const missing = missingOf(declared, input);
  if (missing.length === 0) {
    const inputs = fittedInputs(declared, input);
    await refuseUngated({ at, file: workflow, sha }, inputs, context);
    return { at, workflow, ref, inputs: await wiredInputs(declared, inputs, context) };
  }
  const names = missing.map(({ name }) => name);
  const args = {
    repository: { owner: at.owner, repo: at.repo },
    workflow,
    ...(wanted.ref !== undefined && { ref: wanted.ref }),
    ...(wanted.input && { input }),
  };
  const fill = formButtonIfFits({ text: 'Fill in inputs', command: 'workflow run', args, style: 'primary' });
  throw missingInputs(workflow, names, fill);
}

/** The form is drawn from the file's inputs at that ref. */
async function inputQuestions(
  given: Partial<WorkflowStart>,
  context: Context,
): Promise<{ asked: readonly Question[] }> {
  const { repository: at, workflow, input = {} } = given;
  if (!at || workflow === undefined) return { asked: [] };
  const ref = await wholeRef(at, given.ref, context);
  const sha = await headOf(at, ref, context);
  return { asked: questionsOf(await declaredAt(at, workflow, { ref, sha }, context), input) };
}

const followAfterMs = 2_000;

interface StartedRun extends Started {
  readonly ref: string;
  /** The file's, if the workflow has none of its own. */
  readonly name: string;
  readonly shown: WorkflowRun | undefined;
}

/** Shows the run and follows it for the person who started it. */
async function withRun(what: Omit<Dispatch, 'inputs'>, { run }: Started, context: Context): Promise<StartedRun> {
  const { api, store, person, job, now } = context;
  const shown = run === undefined ? undefined : await soon(api.runs.get({ ...what.at, run }));
  if (shown && job !== undefined) {
    const { owner, repo } = what.at;
    await store.follows.put(job, { owner, repo, run: shown.id, person, since: now.getTime() }, followAfterMs);
  }
  const named = shown && (await soon(workflowName({ at: what.at, file: what.workflow, sha: shown.head_sha }, context)));
  return { run, ref: what.ref, name: named || what.workflow, shown };
}

const planStart = async (wanted: WorkflowStart, context: Context) => [
  dispatchRequest(await prepareStart(wanted, context)),
];

async function startWorkflow(wanted: WorkflowStart, context: Context) {
  const what = await prepareStart(wanted, context);
  // nobody cancels its run if the branch moved, so it is read last
  if (context.approval) refuseOtherCommit(await headOf(what.at, what.ref, context), context);
  return withRun(what, await dispatch(what, context), context);
}

async function findStartedWorkflow(
  { repository: at, workflow, ref: written, input = {} }: WorkflowStart,
  context: Context,
  { note }: Sent,
) {
  const ref = await wholeRef(at, written, context);
  const found = await findStarted({ at, workflow, ref, inputs: input }, context, note);
  return found === undefined || found === 'unknowable' ? found : withRun({ at, workflow, ref }, found, context);
}

function startedMessage({ shown, ref, name }: StartedRun, { repository }: WorkflowStart, { now, forge }: Context) {
  if (shown)
    return message({
      // a title would be that of its commit, which nobody started
      blocks: runBlocks({ ...shown, display_title: '', path: '' }, repository, {
        now,
        says: md`Started ${bold(name)} on ${code(shortRef(ref))},`,
        notes: ['You’ll see its progress in your direct messages.'],
      }),
    });
  const page = `${forge.web}/${fullName(repository)}/actions`;
  const says = md`Started ${bold(name)} on ${code(shortRef(ref))} in ${link(page, fullName(repository))}.`;
  return message({ blocks: doneCard({ says, buttons: [openButton(page)] }) });
}

export const workflowRun = command({
  name: 'workflow run',
  summary: 'Run a workflow by hand',
  examples: [
    'workflow run acme/engine ci.yml',
    'workflow run acme/engine deploy.yml --ref v0.9 --input environment=staging --input dry_run=true',
  ],
  fields: {
    repository: repository(),
    workflow: workflow(),
    ref: flag(branch({ label: 'Branch or tag' })),
    input: flag(inputs()),
  },
  form: { asks: { into: 'input', of: inputQuestions } },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['workflows.dispatch', 'repos.get', 'repos.getFile', 'repos.listCommits', 'runs.get', 'runs.list'],
  needs: ['workflows.dispatch'],
  approval: {
    branches: async ({ repository, ref }, context) => [shortRef(await wholeRef(repository, ref, context))],
  },
  plan: planStart,
  run: startWorkflow,
  findDone: findStartedWorkflow,
  reply: startedMessage,
});

const holdMs = 30_000;
const longestMs = 24 * 3_600_000;

const stateOf = ({ status, conclusion, run_attempt }: WorkflowRun) => `${run_attempt}-${status}-${conclusion ?? ''}`;

/** Shows a run's progress to the person who started it: one direct message, updated until the run ends. */
export function createFollowRuns(services: Services, as: AsPerson, everyMs: number) {
  const { store, log } = services;

  async function show(id: string, { person, owner, repo }: Follow, run: WorkflowRun): Promise<void> {
    const card = `follow-${id}`;
    const drawn = message({ blocks: runBlocks(run, { owner, repo }, { now: services.now() }) });
    // a state that was there before is a change too
    await notify(store, person, `${card}:${services.now().getTime()}`, drawn, { card });
  }

  async function look(id: string, follow: Follow): Promise<void> {
    const lasted = services.now().getTime() - follow.since;
    const api = await as(follow.person);
    if (!api || lasted > longestMs) return store.follows.drop(id);
    const { owner, repo } = follow;
    const run = await api.runs.get({ owner, repo, run: follow.run });
    const state = stateOf(run);
    if (state !== follow.shown) await show(id, follow, run);
    if (isDone(run)) return store.follows.drop(id);
    return store.follows.put(id, { ...follow, shown: state }, nextLookMs(lasted, everyMs));
  }

  return async (): Promise<void> => {
    const due = await store.follows.due(holdMs);
    await Promise.all(
      due.map(async ({ id, value: follow }) => {
        try {
          await look(id, follow);
        } catch (error) {
          if (isAbsent(error)) await store.follows.drop(id);
          else log.warn({ id, reason: reasonOf(error) }, 'a run could not be followed for now');
        }
      }),
    );
  };
}
