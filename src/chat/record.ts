import type { Log } from '../log.js';
import { plainJson, type Store } from '../store/index.js';
import { maskArgs } from './arguments.js';
import type { Catalog } from './command.js';
import type { Entry } from './runtime.js';
import { targetOf } from './target.js';

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
