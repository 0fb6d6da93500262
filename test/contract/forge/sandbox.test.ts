import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForge, operationNames, operations } from '../../../src/forge/index.js';
import { type Flavour, type SandboxForge, startForge } from '../../../src/sandbox/forge/index.js';
import { documented } from './documented.js';
import { contract } from './index.js';
import { type OpenServer, openServer } from './open.js';
import { ledger } from './suite.js';

const flavours: Flavour[] = ['gitea-1.28', 'gitea-1.26'];

describe.each(flavours)('the forge contract on the sandbox as %s', (flavour) => {
  let sandbox: SandboxForge;
  let server: OpenServer;
  const book = ledger();

  beforeAll(async () => {
    sandbox = await startForge({ flavour });
    const admin = sandbox.account('ada');
    server = await openServer(sandbox.url, admin.login, { kind: 'token', token: admin.token() });
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
  });

  contract(book, () => server);

  it('covers every operation of the table', () => {
    expect(operationNames.filter((name) => !book.covered.has(name))).toEqual([]);
  });
});

describe('the API document', () => {
  const table = Object.entries(operations).flatMap(([noun, methods]) =>
    Object.entries(methods).map(([method, entry]) => ({ name: `${noun}.${method}`, ...entry })),
  );

  it('is in the table row by row', () => {
    const rows = table.filter((entry) => !('beyond' in entry)).map(({ route, name }) => [route, name]);
    expect(Object.fromEntries(rows)).toEqual(documented);
    expect(rows).toHaveLength(42);
  });

  it('is served by the sandbox row by row', async () => {
    const sandbox = await startForge();
    const { capabilities, close } = createForge({ url: sandbox.url });
    const has = await Promise.all(Object.values(documented).map(capabilities.has));
    await close();
    await sandbox.close();
    expect(Object.keys(documented).filter((_row, nth) => !has[nth])).toEqual([]);
  });
});
