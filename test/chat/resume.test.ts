import { describe, expect, it } from 'vitest';
import type { ActJob, CommandJob } from '../../src/chat/act-job.js';
import { Carried } from '../../src/chat/actions.js';
import { resume } from '../../src/chat/linking.js';
import { giveUp, perform } from '../../src/chat/perform.js';
import type { Runtime } from '../../src/chat/runtime.js';
import { team, useApprovals } from './approval/scene.js';

const scene = useApprovals();
const ada = { team, user: 'U0ADA00001' };
const held = async () => true;

const job = (text: string, source: CommandJob['source'] = 'typed'): CommandJob => ({
  v: 1,
  kind: 'command',
  command: 'vault open',
  args: { why: text },
  dryRun: false,
  source,
  person: ada,
  answer: {},
  acceptedAt: scene.at.now(),
});

interface Begun {
  readonly id: string;
  readonly why: unknown;
}

/** A worker whose queue is a list; `dies`: the process ends right after it queued something. */
function worker(dies = () => false) {
  const begun: Begun[] = [];
  const runtime: Runtime = {
    ...scene.deps,
    answers: {
      answer: async () => undefined,
      progress: async () => {},
      wait: async () => {},
      reopen: async () => false,
    },
    async enqueue(work: ActJob, id: string) {
      // the queue knows each id once
      if (begun.some((each) => each.id === id)) return;
      begun.push({ id, why: work.kind === 'command' ? work.args['why'] : undefined });
      if (dies()) throw new Error('the process died');
    },
    keepUndo: async () => 'u1',
    acted() {},
  };
  return { runtime, begun };
}

const wait = async (...texts: readonly string[]) => {
  for (const text of texts) await scene.at.store.pending.put(ada, job(text));
};
const whys = (begun: readonly Begun[]) => begun.map(({ why }) => why);
const last = (begun: readonly Begun[]) => begun.at(-1)?.id ?? '';

describe('commands that were waiting for a link', () => {
  it('continue if the process died between the answer to one and the next', async () => {
    const { runtime, begun } = worker();
    await wait('Second', 'Third');
    await scene.at.store.answers.keep('j-first', 'known', { to: {} }, 0);
    for (let time = 0; time < 2; time++) await perform(runtime, job('First', 'resumed'), 'j-first', held);
    // the third waits for the second
    expect(whys(begun)).toEqual(['Second']);
  });

  it('are all run if the sign-in starts again after it had started the first', async () => {
    const { runtime, begun } = worker();
    await wait('First', 'Second');
    await resume(runtime, ada, 'j-signin');
    await resume(runtime, ada, 'j-signin');
    expect(whys(begun)).toEqual(['First']);
    await resume(runtime, ada, last(begun));
    expect(whys(begun)).toEqual(['First', 'Second']);
  });

  it('are all run if the process died before the first was taken off the list', async () => {
    let dying = true;
    const { runtime, begun } = worker(() => dying);
    await wait('First', 'Second');
    await expect(resume(runtime, ada, 'j-signin')).rejects.toThrow('died');
    dying = false;
    await resume(runtime, ada, last(begun));
    await resume(runtime, ada, 'j-signin');
    expect(whys(begun)).toEqual(['First', 'Second']);
  });

  it('continue if one of them was given up', async () => {
    const { runtime, begun } = worker();
    await wait('Second');
    await giveUp(runtime, job('First', 'resumed'), 'j-first');
    expect(whys(begun)).toEqual(['Second']);
  });

  it('have ids that a button can carry, however many there are', async () => {
    const { runtime, begun } = worker();
    const texts = Array.from({ length: 20 }, (_, at) => `Number ${at}`);
    await wait(...texts);
    await resume(runtime, ada, 'j-signin');
    while (begun.length < texts.length) await resume(runtime, ada, last(begun));
    expect(whys(begun)).toEqual(texts);
    for (const { id } of begun) expect(Carried.safeParse({ id }).success, id).toBe(true);
  });
});

it.each([
  ['lost', 'everyone', 0],
  ['kept', 'maintainer', 1],
] as const)('a role that only the policy asks for is read again before a write: %s', async (_what, now, sent) => {
  scene.configure('approvals:\n  risky: { ask: maintainer, count: 0 }\n', [
    scene.vault('vault open', { role: 'everyone' }),
  ]);
  Object.assign(scene.deps.services.roles, { fresh: async () => now });
  await perform(worker().runtime, job('Now'), 'j-now', held);
  expect(scene.sent()).toHaveLength(sent);
});
