import { expect, it } from 'vitest';
import { forgetPerson } from '../../src/features/accounts/sign-out.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
const services = useFeed({ people: { grace: 'U0GRACE001', ada: 'U0ADA00001' } });
const person = (user: string) => ({ team: services.slack.teamId, user });
const dm = (name: string) => ({ team: services.slack.teamId, channel: services.slack.as(name).dm });
const link = (login: string, user: string) =>
  services.store.accounts.put(person(user), {
    login,
    forgeUserId: null,
    verified: true,
    credential: { kind: 'token', token: 'x' },
  });
const failRun = (as: string) => {
  const run = services.forge.world.startRun({ as, repo, title: `Push by ${as}`, branch: `by-${as}` });
  services.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
};

it('people who sign out during quiet hours get no comment and no run afterwards', async () => {
  await link('grace', 'U0GRACE001');
  await link('ada', 'U0ADA00001');
  await services.subscribe(engine, repo, 'runs');
  await services.subscribe(dm('grace').channel, repo, 'issues');
  for (const user of ['U0GRACE001', 'U0ADA00001'])
    await services.store.settings.put(person(user), { kinds: {}, quiet: { from: '08:00', to: '10:00' } });
  await services.round();
  services.pass(2_000);
  const assignees = ['grace', 'ada'];
  const { index } = services.forge.world.openIssue({ as: 'linus', repo, title: 'Valve', assignees });
  await services.round();
  services.pass(2_000);
  services.forge.world.comment({ as: 'linus', repo, index, body: 'Still leaking' });
  for (const login of assignees) failRun(login);
  await services.round();
  const queued = async (name: string) => {
    const { entries } = await services.store.outbox.view(dm(name), 100);
    return entries.map(({ id }) => id.split(':')[0]);
  };
  for (const kind of ['comment', 'own']) expect(await queued('grace')).toContain(kind);
  const others = await queued('ada');

  await forgetPerson(services.store, person('U0GRACE001'), 'The requester signed out.');
  expect(await queued('grace')).toEqual(['opened']);
  expect(await queued('ada')).toEqual(others);
  services.pass(2 * 3_600_000);
  await services.deliver();
  expect(services.shown(dm('grace').channel)).toEqual([expect.stringContaining('linus opened')]);
});
