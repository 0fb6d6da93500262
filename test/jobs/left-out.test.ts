import { expect, it } from 'vitest';
import { tellLeftOut } from '../../src/jobs/poll.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const services = useFeed({ people: { ada: 'U0ADA00001' } });

it('says in each channel once how much of a long backlog is not shown', async () => {
  await services.subscribe(engine, 'acme/engine', 'issues');
  await services.subscribe('C0GENERAL1', 'acme/*', 'issues');
  await services.round();
  const { id } = services.forge.world.repo('acme/engine');
  const { id: ownerId } = await services.service.users.get({ username: 'acme' });
  const about = { owner: 'acme', name: 'engine', ownerId, hidden: false };
  const mark = { v: 1, time: services.now(), seen: {}, total: 5_000 } as const;
  const polled = { events: [], mark, soon: false, capped: true, leftOut: 120 };
  for (let times = 0; times < 2; times++) await tellLeftOut(services, { kind: 'repo', id }, about, polled);
  await services.deliver();
  for (const channel of [engine, 'C0GENERAL1'])
    expect(services.shown(channel)).toEqual([
      expect.stringContaining('120 older updates in acme/engine are not shown'),
    ]);
});
