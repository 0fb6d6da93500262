import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { program } from '../support/program.js';

it('exits silently when its output is closed, as in `bellows audit export | head`', async () => {
  const env = { PATH: process.env['PATH'] ?? '' };
  const child = spawn(process.execPath, [...program(), 'commands', '--json'], { env });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
