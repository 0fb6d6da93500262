import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSeal, createStore } from '../../src/store/index.js';
import { runHere } from '../support/cli.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
let folder: string;
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bellows-audit-'));
  said = [];
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((text) => void said.push(String(text)));
  const settings = {
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    FORGE_URL: 'https://git.example',
    FORGE_TOKEN: 'x',
    REDIS_URL: at.url,
    BELLOWS_KEYS: testKeys,
    BELLOWS_NAMESPACE: 'f0',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const who = { team: 'T1', user: 'U1' };
const append = (command: string, store = at.store) => store.audit.append({ who, command, args: {}, outcome: 'done' });
const trim = (file: string, ...more: string[]) =>
  runHere(['audit', 'trim', '--before', '2026-11-10T12:00:00Z', '--export', join(folder, file), ...more]);

/** Three rows in the morning, two in the afternoon. */
async function aDay(): Promise<void> {
  for (const command of ['one', 'two', 'three']) await append(command);
  at.pass(6 * 3_600_000);
  for (const command of ['four', 'five']) await append(command);
}

describe('bellows audit trim', () => {
  it('drops older rows behind a checkpoint, after keeping them in a file', async () => {
    await aDay();
    expect(await trim('old.jsonl')).toBe(0);
    const kept = (await readFile(join(folder, 'old.jsonl'), 'utf8')).trim().split('\n');
    expect(kept.map((line) => JSON.parse(line).command)).toEqual(['one', 'two', 'three']);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 2, from: 3 });
    await append('six');
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 3, from: 3 });
  });

  it('does not overwrite an existing file, and drops nothing then', async () => {
    await aDay();
    await trim('old.jsonl');
    await expect(trim('old.jsonl')).rejects.toThrow(/already exists/);
    expect(await runHere(['audit', 'trim', '--before', '2026-11-10'])).toBe(2);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 2 });
  });

  it('drops nothing of a broken chain unless asked to, and then starts a whole one', async () => {
    const seal = createSeal(`lost:${Buffer.alloc(32, 7).toString('base64')}`);
    await append('sealed away', createStore({ redis: at.redis, forgeId: 'f0', seal, now: at.now }));
    at.pass(6 * 3_600_000);
    await append('later');
    expect(await trim('old.jsonl')).toBe(1);
    expect(said.join('\n')).toContain('broken at row 1');
    expect(await trim('old.jsonl', '--unverified')).toBe(0);
    expect(await at.store.audit.verify()).toMatchObject({ ok: true, rows: 1, from: 1 });
  });
});
