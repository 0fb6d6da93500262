import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, flag, repository } from '../../chat/fields/index.js';
import type { Asked } from '../../chat/form/asked.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { runBlocks } from '../../domain/runs/card.js';
import {
  type Dispatch,
  dispatch,
  dispatchRequest,
  findStarted,
  type Started,
} from '../../domain/workflows/dispatch.js';
import { type Inputs, inputs, workflow } from '../../domain/workflows/field.js';
import { fittedInputs, missingOf, questionsOf } from '../../domain/workflows/given.js';
import { declaredAt, shortRef, wholeRef } from '../../domain/workflows/source.js';
import { soon } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas/run.js';
import { doneCard, failureCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { code, link, md } from '../../view/text.js';
import { runFormButton } from './list.js';

interface Wanted {
  readonly repository: RepositoryRef;
  readonly workflow: string;
  readonly ref?: string | undefined;
  readonly input?: Inputs | undefined;
}

/** Exactly what is sent, or a refusal that offers the form for what is missing. */
async function prepared(wanted: Wanted, context: Context): Promise<Dispatch> {
  const { repository: at, workflow, input = {} } = wanted;
  const ref = await wholeRef(at, wanted.ref, context);
  const declared = await declaredAt(at, workflow, ref, context);
  const missing = missingOf(declared, input);
  if (missing.length === 0) return { at, workflow, ref, inputs: fittedInputs(declared, input) };
  const names = missing.map(({ name }) => name).join(', ');
  const rest = { ...(wanted.ref !== undefined && { ref: wanted.ref }), ...(wanted.input && { input }) };
  throw new MessageError(
    message({
      blocks: failureCard({
        says: md`${code(workflow)} needs a value for ${names}.`,
        buttons: [runFormButton(at, workflow, rest)],
      }),
    }),
  );
}

/** The form is drawn from the file's own inputs, as it stands at that ref. */
async function questions(given: Partial<Wanted>, context: Context): Promise<{ asked: readonly Asked[] }> {
  const { repository: at, workflow, input = {} } = given;
  if (!at || workflow === undefined) return { asked: [] };
  const ref = await wholeRef(at, given.ref, context);
  return { asked: questionsOf(await declaredAt(at, workflow, ref, context), input) };
}

const followAfterMs = 2_000;

interface Result extends Started {
  readonly ref: string;
  readonly shown: WorkflowRun | undefined;
}

/** Shown as it stands, and followed from here on for the person who started it. */
async function withRun(what: Pick<Dispatch, 'at' | 'ref'>, { run }: Started, context: Context): Promise<Result> {
  const { api, store, person, job, now } = context;
  const shown = run === undefined ? undefined : await soon(api.runs.get({ ...what.at, run }));
  if (shown && job !== undefined) {
    const { owner, repo } = what.at;
    await store.follows.put(job, { owner, repo, run: shown.id, person, since: now.getTime() }, followAfterMs);
  }
  return { run, ref: what.ref, shown };
}

export const workflowRun = command({
  name: 'workflow run',
  summary: 'Run a workflow by hand',
  examples: [
    'workflow run acme/engine deploy.yml',
    'workflow run acme/engine deploy.yml --ref v0.9 --input environment=staging --input dry_run=true',
  ],
  fields: {
    repository: repository(),
    workflow: workflow(),
    ref: flag(branch({ label: 'Branch or tag' })),
    input: flag(inputs()),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: [
    'workflows.dispatch',
    'repos.get',
    'repos.getFile',
    'repos.listBranches',
    'repos.listCommits',
    'runs.get',
    'runs.list',
  ],
  needs: ['workflows.dispatch'],
  branches: async ({ repository, ref }, context) => [shortRef(await wholeRef(repository, ref, context))],
  asks: { into: 'input', of: questions },
  plan: async (wanted, context) => [dispatchRequest(await prepared(wanted, context))],
  async run(wanted, context) {
    const what = await prepared(wanted, context);
    return withRun(what, await dispatch(what, context), context);
  },
  async findDone({ repository: at, workflow, ref: written, input = {} }, context, { note }) {
    const ref = await wholeRef(at, written, context);
    const found = await findStarted({ at, workflow, ref, inputs: input }, context, note);
    return found === undefined || found === 'blind' ? found : withRun({ at, ref }, found, context);
  },
  reply({ shown, ref }, { repository, workflow }, { now, forge }) {
    if (shown)
      return message({
        blocks: runBlocks(shown, repository, {
          now,
          says: md`Started`,
          notes: ['You’ll see its progress in your direct messages.'],
        }),
      });
    const page = `${forge.web}/${fullName(repository)}/actions`;
    const says = md`Started ${code(workflow)} on ${code(shortRef(ref))} in ${link(page, fullName(repository))}.`;
    return message({ blocks: doneCard({ says, buttons: [openButton(page)] }) });
  },
});
