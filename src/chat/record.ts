import { z } from 'zod';
import type { Log } from '../log.js';
import { plainJson, type Store } from '../store/index.js';
import { maskArgs } from './arguments.js';
import type { Catalog } from './command.js';
import type { Entry } from './runtime.js';

/** A forge item as arguments name it: its repository, and its number if it has one. */
const Reference = z.object({
  owner: z.string(),
  repo: z.string().optional(),
  name: z.string().optional(),
  index: z.number().optional(),
  run: z.number().optional(),
  number: z.number().optional(),
});

/** `acme/engine#12`, with the number people read: what a command is about, for the audit; undefined if its arguments name no repository. */
function targetOf(args: Readonly<Record<string, unknown>>): string | undefined {
  for (const value of Object.values(args).flat()) {
    const { owner, repo, name, index, run, number: read } = Reference.safeParse(value).data ?? {};
    const place = repo ?? name;
    if (owner === undefined || place === undefined) continue;
    const number = index ?? read ?? run;
    return `${owner}/${place}${number === undefined ? '' : `#${number}`}`;
  }
  return undefined;
}

/** Who asked, who approved, what was sent and how it ended; arguments without their secrets. */
export function createRecord({ store, catalog, log }: { store: Store; catalog: Catalog; log: Log }) {
  return async (entry: Entry): Promise<void> => {
    const { person, login, operations, approval } = entry;
    const command = catalog.get(entry.command);
    const args = command ? maskArgs(command, entry.args) : entry.args;
    const target = targetOf(args);
    const main = operations.findLast(({ status }) => status !== undefined) ?? operations.at(-1);
    const head = await store.audit.append({
      who: { ...person, ...(login === '' ? {} : { login }) },
      command: entry.command,
      args: plainJson(args),
      outcome: entry.outcome,
      // the forge's clock may be behind ours
      durationMs: Math.max(0, entry.durationMs),
      ...(main ? { operation: operations.map(({ name }) => name).join(' ') } : {}),
      ...(main?.status === undefined ? {} : { status: main.status }),
      ...(entry.detail === undefined || entry.detail === '' ? {} : { note: entry.detail.slice(0, 500) }),
      ...(entry.agent ? { agent: entry.agent } : {}),
      ...(target === undefined ? {} : { target }),
      ...(approval ? { approvedBy: approval.approvers.map(who), job: approval.id } : {}),
    });
    // An external log reveals if the end of the chain is ever cut off.
    log.info({ seq: head.seq, head: head.hash.slice(-16), command: entry.command, outcome: entry.outcome }, 'audit');
  };
}

const who = ({ team, user, login }: NonNullable<Entry['approval']>['approvers'][number]) => ({
  team,
  user,
  ...(login === null ? {} : { login }),
});
