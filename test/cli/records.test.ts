import { expect, it } from 'vitest';
import { run } from '../../src/cli/records.js';
import { createSeal, createStore, openNamespace } from '../../src/store/index.js';
import { testKeys, useStore } from '../support/redis.js';

const at = useStore();
const forgeUrl = 'https://git.example.org';
const env = () => ({
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  FORGE_URL: forgeUrl,
  FORGE_TOKEN: 't',
  REDIS_URL: at.url,
  BELLOWS_KEYS: testKeys,
});

async function records(...args: string[]): Promise<string> {
  const printed: string[] = [];
  expect(await run(args, env(), (text) => printed.push(text))).toBe(0);
  return printed.join('\n');
}

it('lists unsigned records with their owner, and signs them when asked to', async () => {
  const { id } = await openNamespace(at.redis, 'main', forgeUrl);
  const store = createStore({ redis: at.redis, forgeId: id, seal: createSeal(testKeys) });
  const sub = {
    place: { team: 'T1', channel: 'C1' },
    target: { kind: 'repo', id: 7 } as const,
    owner: 'UADA',
    filter: {},
  };
  await store.subscriptions.put(sub, 'acme/engine');
  expect(await records()).toContain('Every subscription and reminder is signed');
  const key = `bellows:{${id}:subs}:of:r7`;
  const text = (await at.redis.hget(key, 'T1/C1')) ?? '';
  await at.redis.hset(key, 'T1/C1', text.slice(text.indexOf(' ') + 1));
  const listed = await records();
  expect(listed).toContain('acme/engine');
  expect(listed).toContain('owner UADA');
  expect(await store.subscriptions.get(sub)).toBeUndefined();
  expect(await records('sign')).toBe('Signed 1 subscriptions and 0 reminders.');
  expect(await store.subscriptions.get(sub)).toMatchObject({ owner: 'UADA' });
});

it('refuses other words', async () => {
  await expect(run(['drop'], env())).rejects.toThrow('bellows records');
});
