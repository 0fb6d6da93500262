import { expect, it } from 'vitest';
import { PostError } from '../../../src/feed/ports.js';
import { leaveOut } from '../../../src/jobs/fanout.js';
import { createLostChannels } from '../../../src/jobs/lost-channels.js';
import { room, useDelivery } from './scene.js';

const scene = useDelivery();

it('a channel that refuses for hours says once how many updates were left out, with the latest number', async () => {
  const lost = createLostChannels(scene.deps);
  await scene.subscribe();
  await scene.open('One');
  scene.world.answer = () => new PostError('channel', 'restricted_action');
  await scene.deliver();
  for (const id of ['first', 'second', 'third']) {
    await leaveOut(scene.at.store, room, id);
    await lost.look();
    await scene.deliver();
    scene.at.pass(3_600_000);
  }
  expect((await scene.view()).pause?.reason).toBe('The workspace does not let the bot write there.');
  scene.world.answer = () => undefined;
  await lost.look();
  await scene.deliverAll();
  expect(scene.posts().filter((text) => text.includes('not shown'))).toEqual([
    '3 more updates arrived while updates were paused here and are not shown.',
  ]);
});
