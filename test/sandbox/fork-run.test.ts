import { startForge } from '@bellows/sandbox/forge';
import { addForkRun } from '@bellows/sandbox/fork-run.js';
import { expect, it } from 'vitest';
import { createForge } from '../../src/forge/index.js';

it('the sandbox has a fork’s run that needs approval', async () => {
  const forge = await startForge();
  addForkRun(forge);
  const client = createForge({ url: forge.url });
  const api = client.as({ kind: 'token', token: forge.account('ada').token() });
  const { items } = await api.runs.list({ owner: 'acme', repo: 'website', query: { status: ['waiting'] } });
  const [pull] = items[0]?.pull_requests ?? [];
  expect(items).toHaveLength(1);
  expect(pull?.head?.repo?.id).not.toBe(pull?.base?.repo?.id);
  const files = await api.pulls.listFiles({ owner: 'acme', repo: 'website', index: pull?.number ?? 0 });
  expect(files.items.map(({ filename }) => filename)).toContain('.gitea/workflows/ci.yml');
  await client.close();
  await forge.close();
});
