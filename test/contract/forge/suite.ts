import { it } from 'vitest';
import type { OperationName } from '../../../src/forge/index.js';
import type { ContractServer } from './server.js';

/** Which operations a run of the suite covered, and the results. */
export interface Ledger {
  readonly covered: Set<OperationName>;
  readonly ran: Set<OperationName>;
  readonly absent: Set<OperationName>;
  readonly failed: Set<OperationName>;
}

export function ledger(): Ledger {
  return { covered: new Set(), ran: new Set(), absent: new Set(), failed: new Set() };
}

/** One line per figure: `figure contract.forgejo-15.failed 0` */
export function figures(server: string, { ran, absent, failed }: Ledger): string {
  const counts = { ran: ran.size, absent: absent.size, failed: failed.size };
  return Object.entries(counts)
    .map(([name, count]) => `figure contract.${server}.${name} ${count}`)
    .join('\n');
}

/** `on('issues.edit', 'closes an issue', async (server) => …)`: one behavior of one operation. */
export type On = (name: OperationName, title: string, act: (server: ContractServer) => Promise<void>) => void;

export function recordIn(book: Ledger, server: () => ContractServer): On {
  return (name, title, act) => {
    book.covered.add(name);
    it(`${name} ${title}`, async ({ skip }) => {
      const at = server();
      if (!(await at.has(name))) {
        book.absent.add(name);
        skip(`${at.version} has no ${name}`);
      }
      book.ran.add(name);
      await act(at).catch((problem: unknown) => {
        book.failed.add(name);
        throw problem;
      });
    });
  };
}
