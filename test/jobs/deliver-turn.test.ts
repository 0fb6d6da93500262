import { describe, expect, it } from 'vitest';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { useDelivery } from './deliver/scene.js';

describe('a long outbox', () => {
  const scene = useDelivery();

  it('is drained a hundred at a time, and continued at once', async () => {
    const message = { type: 'message', message: say(md`Hello`) } as const;
    for (let at = 0; at < 101; at++) await scene.put(`m${at}`, message);
    expect(await scene.deliver()).toBe(1);
    expect(scene.calls).toHaveLength(100);
    expect(await scene.deliver()).toBeUndefined();
    expect(scene.calls).toHaveLength(101);
  });
});
