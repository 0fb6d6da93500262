import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { type Exchange, password, send } from './replay.js';
import { replay } from './replayer.js';

const gpuWorkflow = 'on: push\njobs:\n  train:\n    runs-on: gpu\n    steps:\n      - run: sleep 1\n';

async function prepare(forge: SandboxForge, exchange: Exchange): Promise<void> {
  const alice = `alice:${password}`;
  if (exchange.note === 'package') {
    await send(`${forge.url}/api/packages/acme/generic/tool/1.0/file.bin`, 'PUT', { as: alice, body: {} });
  }
  if (exchange.note === 'run queued') {
    const name = exchange.path.split('/')[3] ?? '';
    await send(`${forge.apiUrl}/orgs/acme/repos`, 'POST', { as: alice, body: { name, auto_init: true } });
    const content = Buffer.from(gpuWorkflow).toString('base64');
    const path = `${forge.apiUrl}/repos/acme/${name}/contents/.gitea/workflows/gpu.yml`;
    await send(path, 'POST', { as: alice, body: { content, message: 'gpu' } });
  }
}

/** Other repositories of the recorder had jobs too. */
const passes = ({ path }: Exchange, difference: string): boolean =>
  difference.startsWith('x-total-count') && path.startsWith('/admin/actions/jobs?status=in_progress');

describe('against the recordings of real servers', () => {
  it('answers every exchange of Gitea 1.28 with the same status and shape', async () => {
    expect(await replay('gitea-1.28-dev', { flavor: 'gitea-1.28', prepare, passes })).toEqual([]);
  });

  it('answers every exchange of Gitea 1.26 with the same status and shape', async () => {
    expect(await replay('gitea-1.26.0', { flavor: 'gitea-1.26', prepare, passes })).toEqual([]);
  });
});
