import { expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { withCalls } from '../../src/worker.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const message = say(md`Halfway`);
const job = {
  v: 1,
  kind: 'command',
  command: 'repo migrate',
  args: {},
  dryRun: false,
  source: 'agent',
  person: { team: 'T1', user: 'U1' },
  acceptedAt: 0,
} as const;

it('shows an agent’s answer, progress and waiting line to nobody', async () => {
  const shown: string[] = [];
  const line = { first: async () => true, keep: async () => {} };
  const { answer, progress, wait } = withCalls(
    {
      answer: async () => void shown.push('answer'),
      progress: async () => void shown.push('progress'),
      wait: async () => void shown.push('wait'),
      reopen: async () => false,
    },
    at.store.calls,
    createCatalog([]),
  );
  const call = { id: 'c1', agent: 'a1' };
  for (const to of [{ call }, {}]) {
    await progress({ ...job, answer: to }, message);
    await wait({ ...job, answer: to }, message, line);
    await answer({ ...job, answer: to }, message);
    expect(shown.splice(0)).toEqual('call' in to ? [] : ['progress', 'wait', 'answer']);
  }
  expect(await at.store.calls.get(call)).toEqual({ state: 'done', text: 'Halfway' });
});
