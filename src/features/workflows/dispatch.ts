import { setTimeout as pause } from 'node:timers/promises';
import type { Button } from '@slack/types';
import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { type Needed, plainField } from '../../chat/fields.js';
import type { Question } from '../../chat/form/questions.js';
import { MessageError } from '../../chat/message-error.js';
import type { RepositoryRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { inCode } from '../../chat/scopes.js';
import { UserError } from '../../errors.js';
import { ifAnswered, possible } from '../../forge/possible.js';
import type { WorkflowRun } from '../../forge/schemas.js';
import { shortRef } from '../../short-ref.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { isMine } from '../find.js';
import { workflowOf } from '../runs/read.js';
import type { Declared, DeclaredInput } from './file.js';

/** Exactly what to start. */
export interface Dispatch {
  readonly at: RepositoryRef;
  /** The file name. */
  readonly workflow: string;
  /** In full: refs/heads/main, refs/tags/v1.8. */
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface Started {
  /** Undefined if neither the server nor its list of runs says. */
  readonly run: number | undefined;
}

const event = 'workflow_dispatch';
const latest = 50;
const looksAfterMs = [0, 500, 1_500] as const;

const input = ({ at: { owner, repo }, workflow, ref, inputs }: Dispatch) => ({
  owner,
  repo,
  workflow_id: workflow,
  query: { return_run_details: true },
  body: { ref, ...(Object.keys(inputs).length > 0 && { inputs: { ...inputs } }) },
});

export const dispatchRequest = (what: Dispatch): Request => request('workflows.dispatch', input(what));

const isAt = ({ path, head_branch }: WorkflowRun, ref: string) => {
  const [, whole] = /@(refs\/.+)$/.exec(path) ?? [];
  return whole === undefined ? head_branch === shortRef(ref) : whole === ref;
};

/** Manually started runs, newest first; undefined if the server lists none. */
async function listStarted({ at }: Dispatch, { api }: Context): Promise<readonly WorkflowRun[] | undefined> {
  const query = { event, exclude_pull_requests: true, limit: latest };
  return (await possible(api.runs.list({ ...at, query })))?.items;
}

/** A run belongs to one job: two people who start the same workflow never get the same run. */
async function isOurs(run: number, { store, person, job = '' }: Context): Promise<boolean> {
  return (await store.claims.take(`dispatch:${run}`, 'started', job, person)).taken;
}

/** By workflow, ref, event and person, and newer than all existing runs. */
async function lookForRun(what: Dispatch, context: Context, newestBefore: number): Promise<Started | undefined> {
  const runs = (await listStarted(what, context)) ?? [];
  const fits = (run: WorkflowRun) =>
    run.id > newestBefore &&
    workflowOf(run) === what.workflow &&
    isAt(run, what.ref) &&
    isMine(run.trigger_actor ?? run.actor, context);
  for (const { id } of runs.filter(fits).reverse()) if (await isOurs(id, context)) return { run: id };
  return undefined;
}

/**
 * Sent once. The newest existing run is remembered with the job, so that after a crash `findStarted` can tell whether
 * the new run exists.
 */
export async function dispatch(what: Dispatch, context: Context): Promise<Started> {
  const before = await listStarted(what, context);
  const newest = Math.max(0, ...(before ?? []).map(({ id }) => id));
  if (before) context.remember(String(newest));
  const answer = await context.api.workflows.dispatch(input(what));
  if (answer?.run !== undefined) {
    await isOurs(answer.run, context);
    return { run: answer.run };
  }
  for (const ms of before ? looksAfterMs : []) {
    await pause(ms);
    const found = await ifAnswered(lookForRun(what, context, newest));
    if (found) return found;
  }
  return { run: undefined };
}

/** After a lost answer: the run it started, undefined if there is none, blind if that cannot be seen. */
export async function findStarted(
  what: Dispatch,
  context: Context,
  note: string | undefined,
): Promise<Started | 'unknowable' | undefined> {
  return note === undefined ? 'unknowable' : lookForRun(what, context, Number(note));
}

const named = /^[^\s/\\\p{Cc}][^/\\\p{Cc}]{0,99}$/u;

/** The file name, optionally with its folder. */
export function workflow(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Workflow',
      placeholder: 'ci.yml',
      input: { kind: 'external', source: 'workflows' },
      schema: z.string().regex(named),
      read: (text) => {
        const file = text.trim().replace(/^\.(?:gitea|forgejo|github)\/workflows\//, '');
        if (named.test(file) && /\.ya?ml$/i.test(file)) return file;
        throw new UserError(`“${file.slice(0, 60)}” is not a workflow file. Write its name, such as ci.yml.`);
      },
      show: (file) => file,
    },
  );
}

const mostInputs = 50;
const longest = 4_000;
const Inputs = z.record(z.string().min(1).max(100), z.string().max(longest));
export type Inputs = z.infer<typeof Inputs>;

function readInput(line: string): readonly [name: string, value: string] {
  const cut = line.indexOf('=');
  const name = line.slice(0, cut).trim();
  if (cut < 1 || name.length > 100 || !/^[\w.-]+$/.test(name))
    throw new UserError(`“${line.slice(0, 60)}” is not an input. Write name=value, such as --input version=1.8.`);
  if (line.length - cut > longest)
    throw new UserError(`The value of ${name} is too long: at most ${longest} characters.`);
  return [name, line.slice(cut + 1).trim()];
}

/** `--input name=value`, repeatable. */
export function inputs(): Needed<Inputs> {
  return {
    ...plainField<Inputs>(
      { hint: 'One per line: name=value.' },
      {
        label: 'Inputs',
        placeholder: 'name=value',
        input: { kind: 'text', multiline: true },
        schema: Inputs,
        read: (text) => {
          const lines = text.split('\n').filter((line) => line.trim() !== '');
          if (lines.length > mostInputs) throw new UserError(`Give at most ${mostInputs} inputs.`);
          return Object.fromEntries(lines.map(readInput));
        },
        show: (value) =>
          Object.entries(value)
            .map((pair) => pair.join('='))
            .join('\n'),
      },
    ),
    repeats: true,
  };
}

/** A refusal that offers the form, or says what to add if the rest is too long for a button. */
export function missingInputs(workflow: string, names: readonly string[], fill: Button | undefined): MessageError {
  const flags = names.map((name) => `--input ${name}=…`).join(' ');
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`${code(workflow)} needs a value for ${inCode(names)}.`,
        next: fill ? undefined : `Run it again with ${flags}`,
        buttons: [fill],
      }),
    }),
  );
}

const byHandOnly = () => new UserError('This workflow can’t be started by hand: it has no workflow_dispatch.');
const wrong = (name: string, what: string) => new UserError(`${name} ${what}`, { field: 'input' });

function checkInput(input: DeclaredInput, value: string): string {
  const { name, type, options } = input;
  if (type === 'choice' && !options.includes(value))
    throw wrong(name, `can’t be “${value.slice(0, 40)}”. Choose one of: ${options.slice(0, 20).join(', ')}.`);
  if (type === 'number' && (value.trim() === '' || !Number.isFinite(Number(value))))
    throw wrong(name, 'must be a number.');
  if (type !== 'boolean') return value;
  if (/^(true|yes|on)$/i.test(value)) return 'true';
  if (/^(false|no|off)$/i.test(value)) return 'false';
  throw wrong(name, 'must be true or false.');
}

/** What a form can remember. */
const mostAsked = 25;
const mostNamed = 20;

/** As many inputs as fit, as form questions prefilled with what was typed: that and the required ones come first. */
export function questionsOf(
  declared: Declared,
  typed: Inputs,
  isWanted = (_name: string) => true,
): readonly Question[] {
  if (declared === 'none') throw byHandOnly();
  if (declared === 'unreadable')
    throw new UserError('This workflow file is too large or not valid, so its inputs can’t be shown.');
  const wanted = declared.filter(({ name }) => isWanted(name));
  const rank = ({ name, required }: DeclaredInput) => (typed[name] !== undefined ? 0 : required ? 1 : 2);
  const asked = new Set([...wanted].sort((one, other) => rank(one) - rank(other)).slice(0, mostAsked));
  return wanted
    .filter((each) => asked.has(each))
    .map(({ name, type, description, required, default: usual, options }) => ({
      name,
      label: name,
      hint: description === '' ? undefined : description,
      kind: type === 'boolean' || type === 'choice' ? type : 'text',
      choices: options,
      required,
      initial: typed[name] ?? (type === 'boolean' ? usual?.toLowerCase() : usual),
      // left out, the default would run
      mayBeCleared: type === 'string' && !!usual,
    }));
}

/** Required inputs without a value. */
export function missingOf(declared: Declared, given: Inputs): readonly DeclaredInput[] {
  if (typeof declared === 'string') return [];
  return declared.filter(
    ({ name, required, default: usual }) => required && !usual && (given[name] === undefined || given[name] === ''),
  );
}

/** The values to send, in the types the file wants. Throws for inputs the workflow does not have. */
export function fittedInputs(declared: Declared, given: Inputs): Inputs {
  if (declared === 'none') throw byHandOnly();
  if (declared === 'unreadable') return given;
  const byName = new Map(declared.map((input) => [input.name, input]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const input = byName.get(name);
      if (input) return [name, checkInput(input, value)];
      const names = [...byName.keys()].slice(0, mostNamed).join(', ');
      throw wrong(
        name,
        names === '' ? 'is not an input: this workflow has none.' : `is not an input. It has: ${names}.`,
      );
    }),
  );
}

/** As the server takes them. */
export async function wiredInputs(declared: Declared, fitted: Inputs, { forge }: Context): Promise<Inputs> {
  const { yes, keepsEmpty } = await forge.capabilities.workflows();
  if (typeof declared === 'string') return fitted;
  const replaced = keepsEmpty ? undefined : declared.find(({ name, default: usual }) => usual && fitted[name] === '');
  if (replaced)
    throw wrong(
      replaced.name,
      `can’t be empty: ${(await forge.capabilities.server()).product} would use its default instead.`,
    );
  const switches = new Set(declared.filter(({ type }) => type === 'boolean').map(({ name }) => name));
  const wireValue = (name: string, value: string) => (value === 'true' && switches.has(name) ? yes : value);
  return Object.fromEntries(Object.entries(fitted).map(([name, value]) => [name, wireValue(name, value)]));
}
