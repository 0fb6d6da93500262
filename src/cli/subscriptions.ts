import { readFile } from 'node:fs/promises';
import { readConfig } from '../config.js';
import { filterOf, filterWords } from '../domain/subscriptions/filters.js';
import { titleOf } from '../domain/subscriptions/titles.js';
import { UserError } from '../errors.js';
import { createLog } from '../log.js';
import { type OpenServices, openServices } from '../services.js';
import type { Subscription } from '../store/index.js';
import { apply, problemOf } from './subscriptions/apply.js';
import { keyOf, type Noted, readEntries, writeEntries } from './subscriptions/file.js';
import { planId, planOf, type Step, showStep } from './subscriptions/plan.js';
import type { Print } from './with-store.js';

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
