import { expect, it } from 'vitest';
import { createMentions } from '../../src/jobs/deliver/plan.js';
import { createLog } from '../../src/log.js';

/** Looks up `grace`, with a clock of its own. */
function lookedUp(answer: () => Promise<string | undefined>) {
  const at = { minutes: 0, asked: 0 };
  const slackUserOf = () => {
    at.asked += 1;
    return answer();
  };
  const mentions = createMentions({
    people: { slackUserOf, loginOf: async () => undefined },
    log: createLog({ level: 'silent' }),
    now: () => at.minutes * 60_000,
  });
  return { at, find: async () => (await mentions('T1', ['Grace'])).get('grace') };
}

it('asks again after ten minutes, even if the person was mentioned in between', async () => {
  const { at, find } = lookedUp(async () => 'U0GRACE001');
  for (const [minutes, asked] of [
    [0, 1],
    [6, 1],
    [12, 2],
  ] as const) {
    at.minutes = minutes;
    expect(await find()).toBe('U0GRACE001');
    expect(at.asked).toBe(asked);
  }
});

it('remembers that nobody has this login, but no failure', async () => {
  const nobody = lookedUp(async () => undefined);
  for (const _ of ['first', 'second']) expect(await nobody.find()).toBeUndefined();
  expect(nobody.at.asked).toBe(1);
  const busy = lookedUp(() => Promise.reject(new Error('busy')));
  for (const _ of ['first', 'second']) expect(await busy.find()).toBeUndefined();
  expect(busy.at.asked).toBe(2);
});
