import { startForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { createForge } from '../../../src/forge/index.js';
import { operations } from '../../../src/forge/operations/index.js';
import { documented } from './documented.js';
import { contractOnSandbox } from './on-sandbox.js';

contractOnSandbox('gitea-1.28');
contractOnSandbox('gitea-1.26');

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
