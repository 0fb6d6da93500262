import { type Flavor, type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationNames } from '../../../src/forge/index.js';
import { contract } from './index.js';
import { type OpenServer, openServer } from './open.js';
import { figures, ledger } from './suite.js';

/** The whole contract on one sandbox forge, with its figures. */
export function contractOnSandbox(flavor: Flavor): void {
  describe(`the forge contract on the sandbox as ${flavor}`, () => {
    let sandbox: SandboxForge;
    let server: OpenServer;
    const book = ledger();

    beforeAll(async () => {
      sandbox = await startForge({ flavor });
      const { login, password = '' } = sandbox.account('ada');
      server = await openServer(sandbox.url, login, { kind: 'basic', login, secret: password });
    });
    afterAll(async () => {
      process.stdout.write(`${figures(flavor, book)}\n`);
      await server.close();
      await sandbox.close();
    });

    contract(book, () => server);

    it('covers every operation of the table', () => {
      expect(operationNames.filter((name) => !book.covered.has(name))).toEqual([]);
    });
  });
}
