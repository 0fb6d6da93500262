import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import type { Context } from '../chat/context.js';
import { readOnlySession } from '../chat/session.js';
import { readConfig } from '../config.js';
import { ConfigError, UserError } from '../errors.js';
import { filterOf, filterWords, slim } from '../features/subscriptions/fields.js';
import { follow } from '../features/subscriptions/save.js';
import {
  type Found,
  find,
  here,
  readTarget,
  refuseForeignTarget,
  showable,
  titleOf,
} from '../features/subscriptions/target.js';
import { parseFilter } from '../feed/filter.js';
import { createLog } from '../log.js';
import { type OpenServices, openServices } from '../services.js';
import { plainJson, type Subscription } from '../store/index.js';
import type { Print } from './with-store.js';

const Entry = z.strictObject({
  channel: z.string().regex(/^[CGD][A-Z0-9]{2,20}$/, 'must be a Slack channel id such as C012AB3CD'),
  follows: z
    .string()
    .superRefine(refusing(refuseForeignTarget))
    .refine((text) => {
      const target = readTarget(text);
      return target !== undefined && target.kind !== 'slack';
    }, 'must be owner/repo, owner/* or @login'),
  filter: z.string().max(1500).superRefine(refusing(parseFilter)).default(''),
  owner: z.string().regex(/^[UW][A-Z0-9]{2,20}$/, 'must be a Slack user id such as U012AB3CD'),
});
/** One subscription as written in a file. */
type Entry = z.infer<typeof Entry>;

const FileShape = z.strictObject({ version: z.literal(1), subscriptions: z.array(Entry) });

/** What the parser refuses becomes a problem on this line. */
function refusing(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}

/** What one entry is about; a file may name it only once. */
const keyOf = ({ channel, follows }: Pick<Entry, 'channel' | 'follows'>): string =>
  `${channel} ${follows.toLowerCase()}`;

/** Every problem at once, each with its line. */
function readEntries(text: string, name: string): Entry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  if (document.errors.length > 0)
    throw new ConfigError(document.errors.map((error) => `${name} line ${lineAt(error.pos[0])}: ${error.message}`));
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true);
      if (isNode(node)) return lineAt(node.range?.[0]);
    }
    return 1;
  };
  const read = FileShape.safeParse(document.toJS());
  if (!read.success)
    throw new ConfigError(
      read.error.issues.map(
        ({ path, message }) => `${name} line ${lineOf(path)}: ${path.join('.') || 'file'}: ${message}`,
      ),
    );
  const entries = read.data.subscriptions;
  const twice = entries.findIndex((entry, at) => entries.findIndex((other) => keyOf(other) === keyOf(entry)) < at);
  if (twice !== -1)
    throw new ConfigError([
      `${name} line ${lineOf(['subscriptions', twice])}: ${entries[twice]?.follows} is listed twice`,
    ]);
  return entries;
}

interface Noted extends Entry {
  /** A note for readers: the channel's name, a pause. */
  readonly note?: string;
}

/** Sorted, so that two exports of the same subscriptions are identical. */
function writeEntries(entries: readonly Noted[]): string {
  const sorted = [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rows = sorted.map(({ note, ...entry }) => {
    const [first = '', ...rest] = stringify(entry, { lineWidth: 0 }).trimEnd().split('\n');
    return [`  - ${first}${note ? ` # ${note.replace(/\s+/g, ' ')}` : ''}`, ...rest.map((line) => `    ${line}`)].join(
      '\n',
    );
  });
  return ['version: 1', rows.length === 0 ? 'subscriptions: []' : 'subscriptions:', ...rows].join('\n');
}

/** One difference between the file and the current subscriptions. */
type Step =
  | { readonly kind: 'add'; readonly entry: Entry }
  | { readonly kind: 'change'; readonly entry: Entry; readonly old: Entry }
  | { readonly kind: 'remove'; readonly old: Entry };

/** The same text for the same filter, however it was written. */
const plainWords = (text: string): string => filterWords(parseFilter(text));

const differs = (a: Entry, b: Entry): boolean => a.owner !== b.owner || plainWords(a.filter) !== plainWords(b.filter);

/** The steps that make the file true. `keep` leaves alone what the file does not name. */
function planOf(present: readonly Entry[], wanted: readonly Entry[], keep: boolean): Step[] {
  const now = new Map(present.map((entry) => [keyOf(entry), entry]));
  const named = new Set(wanted.map(keyOf));
  const steps = wanted.flatMap((entry): Step[] => {
    const old = now.get(keyOf(entry));
    if (!old) return [{ kind: 'add', entry }];
    return differs(old, entry) ? [{ kind: 'change', entry, old }] : [];
  });
  const gone = keep ? [] : present.filter((entry) => !named.has(keyOf(entry)));
  return [...steps, ...gone.map((old): Step => ({ kind: 'remove', old }))];
}

const place = ({ channel, follows }: Entry): string => `${channel} ${follows}`;

function showStep(step: Step): string[] {
  switch (step.kind) {
    case 'add':
      return [`+ ${place(step.entry)}: ${plainWords(step.entry.filter)} (owner ${step.entry.owner})`];
    case 'remove':
      return [`- ${place(step.old)}: ${plainWords(step.old.filter)} (owner ${step.old.owner})`];
    case 'change': {
      const { entry, old } = step;
      const [was, is] = [plainWords(old.filter), plainWords(entry.filter)];
      return [
        `~ ${place(entry)}`,
        ...(was === is ? [] : [`    filter: ${was} -> ${is}`]),
        ...(old.owner === entry.owner ? [] : [`    owner: ${old.owner} -> ${entry.owner}`]),
      ];
    }
  }
}

/** Identifies exactly this plan: another state or another file gives another id. */
const planId = (steps: readonly Step[]): string =>
  createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 12);

/** Existing subscriptions by their key in the file. */
type PresentById = ReadonlyMap<string, Subscription>;

/** The same checks as the command, as the future owner. */
async function prepareEntry(entry: Entry, open: OpenServices): Promise<{ found: Found; context: Context }> {
  const person = { team: open.identity.teamId, user: entry.owner };
  const account = await open.services.store.accounts.get(person);
  if (account?.state !== 'active')
    throw new UserError(`${entry.owner} has no linked forge account; ask them to run /forge signin`);
  const context = await readOnlySession(open.services, {
    person,
    channel: entry.channel,
    account,
  });
  const target = readTarget(entry.follows);
  if (!target) throw new UserError(`${entry.follows} is not a repository, a pattern or a person`);
  const where = await here(context);
  const shown = showable(await find(target, context), where, context.policy.exposure);
  if ('refusal' in shown) throw new UserError(shown.refusal);
  return { found: shown.found, context };
}

/** Why it would be refused; writes nothing. */
async function problemOf(step: Step, open: OpenServices): Promise<string | undefined> {
  if (step.kind === 'remove') return undefined;
  try {
    await prepareEntry(step.entry, open);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

async function apply(step: Step, present: PresentById, open: OpenServices): Promise<void> {
  const { subscriptions } = open.services.store;
  if (step.kind === 'remove') {
    const old = present.get(keyOf(step.old));
    if (old) await subscriptions.remove(old);
    return;
  }
  const { found, context } = await prepareEntry(step.entry, open);
  const filter = slim(parseFilter(step.entry.filter));
  const sub = await follow(found, filter, { team: context.person.team, channel: step.entry.channel }, context);
  await subscriptions.change(sub, { owner: step.entry.owner, filter: plainJson(filter) });
}

interface Options {
  readonly keep?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
  readonly plan?: string;
}

export async function run(
  word: 'export' | 'plan' | 'apply',
  file: string | undefined,
  { keep = false, check = false, yes = false, plan }: Options,
  env: Readonly<Record<string, string | undefined>>,
  print: Print,
): Promise<number> {
  const config = readConfig(env);
  const open = await openServices({ config, log: createLog({ level: 'warn', destination: process.stderr }) });
  try {
    const present = await presentOnes(open, word === 'export');
    if (word === 'export') {
      print(writeEntries(present.map(({ entry }) => entry)));
      return 0;
    }
    const wanted = readEntries(await contentOf(file ?? ''), file ?? '');
    const steps = planOf(
      present.map(({ entry: { note: _note, ...entry } }) => entry),
      wanted,
      keep,
    );
    if (word === 'plan') return await show(steps, open, check, print);
    const rows = new Map(present.map(({ entry, sub }) => [keyOf(entry), sub]));
    return await carryOut(steps, rows, open, { agreed: plan, anyway: yes }, print);
  } finally {
    await open.close();
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UserError(`Cannot read ${file}: check the path and its permissions.`);
  }
}

interface Present {
  readonly entry: Noted;
  readonly sub: Subscription;
}

/** In a fixed order, so that the same difference always gives the same plan. */
async function presentOnes({ services, identity }: OpenServices, notes: boolean): Promise<Present[]> {
  const found: Present[] = [];
  for await (const { subscription: sub, name } of services.store.subscriptions.each()) {
    if (sub.place.team !== identity.teamId) continue;
    const note = notes ? await noteOf(sub, services) : '';
    const entry = {
      channel: sub.place.channel,
      follows: titleOf(sub.target, name),
      filter: filterWords(filterOf(sub.filter)),
      owner: sub.owner,
      ...(note !== '' && { note }),
    };
    found.push({ entry, sub });
  }
  return found.sort((a, b) => (keyOf(a.entry) < keyOf(b.entry) ? -1 : 1));
}

async function noteOf({ place, paused }: Subscription, { slack }: OpenServices['services']): Promise<string> {
  const facts = await slack.channel(place.channel);
  return [facts?.name && `#${facts.name}`, paused && `paused: ${paused.reason}`].filter(Boolean).join(', ');
}

async function show(steps: readonly Step[], open: OpenServices, check: boolean, print: Print): Promise<number> {
  if (steps.length === 0) {
    print('No changes.');
    return 0;
  }
  for (const step of steps) {
    for (const line of showStep(step)) print(line);
    const problem = await problemOf(step, open);
    if (problem !== undefined) print(`    ! would be refused: ${problem}`);
  }
  print(`${summary(steps)}. To apply this plan, run apply with --plan ${planId(steps)}`);
  return check ? 1 : 0;
}

function summary(steps: readonly Step[]): string {
  const count = (kind: Step['kind']) => steps.filter((step) => step.kind === kind).length;
  return `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove`;
}

async function carryOut(
  steps: readonly Step[],
  rows: ReadonlyMap<string, Subscription>,
  open: OpenServices,
  { agreed, anyway }: { readonly agreed: string | undefined; readonly anyway: boolean },
  print: Print,
): Promise<number> {
  if (steps.length === 0) {
    print('No changes.');
    return 0;
  }
  if (!anyway && agreed !== planId(steps))
    throw new UserError(
      agreed === undefined
        ? 'Nothing was changed. Run plan first, then add its id: --plan <id>. To apply without a plan, add --yes.'
        : 'Nothing was changed: the file or the subscriptions have changed since the plan was made. Run plan again.',
    );
  let failed = 0;
  for (const step of steps) {
    const [line = ''] = showStep(step);
    try {
      await apply(step, rows, open);
      print(`done    ${line}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failed += 1;
      print(`refused ${line}\n    ! ${error.message}`);
    }
  }
  return failed > 0 ? 1 : 0;
}
