import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { close, connect, createSeal, createStore, ready, type Store } from '../../src/store/index.js';
import { startWorker } from '../../src/worker.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { quickTempo } from '../support/quick.js';
import { testKeys } from '../support/redis.js';
import { decideIn } from './deciding.js';
import { type Shown, words } from './talk.js';

const users = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0LINUS001', name: 'linus' },
];
const releasers = { id: 'S0RELEASE1', handle: 'releasers', users: ['U0GRACE001'] };
const people = '{ users: [U0ADA00001], groups: [S0RELEASE1], teams: [acme/release] }';
const environments = ['group', 'team'].flatMap((each) => [`${each}-asked`, `${each}-voted`]);
const policy = `
roles: { admin: { users: [U0ADA00001] } }
deployments:
${environments
  .map(
    (name) =>
      `  ${name}: { repository: acme/engine, workflow: deploy.yml, refs: [main], inputs: { version: ${name} }, channel: C0ENGINE01 }`,
  )
  .join('\n')
  .replaceAll('C0ENGINE01 }', `C0ENGINE01, ask: ${people}, approve: ${people} }`)}
`;

let bellows: Bellows;
let store: Store;
let worker: Awaited<ReturnType<typeof startWorker>>;
const { ask, cardSays } = decideIn(() => bellows);
const work = () => startWorker(bellows.config, createLog({ level: 'silent' }), undefined, quickTempo);
const person = (name: string) => ({
  team: bellows.slack.teamId,
  user: users.find((each) => each.name === name)?.id ?? '',
});

beforeAll(async () => {
  bellows = await startBellows({ policy, slack: { seed: { users, userGroups: [releasers] } }, parts: ['bot'] });
  worker = await work();
  const redis = connect(bellows.redisUrl);
  await ready(redis);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
  const { world } = bellows.forge;
  world.createTeam({
    org: 'acme',
    name: 'release',
    permission: 'write',
    units: { code: 'write', actions: 'write' },
    allRepos: true,
    members: ['linus', 'bellows-bot'],
  });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('linus');
});
afterAll(async () => {
  await worker.stop();
  await close(store.redis);
  await bellows.close();
});

async function vote(card: Shown, name: string): Promise<void> {
  const [, id = ''] = /\\"id\\":\\"([^"\\]+)\\"/.exec(words(card)) ?? [];
  const account = await store.accounts.get(person(name));
  const by = { ...person(name), login: account?.login ?? null, forgeUserId: account?.forgeUserId ?? null };
  expect(await store.approvals.decide(id, { by, verdict: 'approve' })).toBe('approved');
}

it('deploys nothing once the requester or an approver lost what allowed it, and the card says so', async () => {
  const who = { group: 'grace', team: 'linus' } as const;
  const cards = new Map<string, Shown>();
  for (const [kind, name] of Object.entries(who)) {
    cards.set(`${kind}-asked`, await ask(`deploy ${kind}-asked`, name));
    cards.set(`${kind}-voted`, await ask(`deploy ${kind}-voted`));
  }
  await worker.stop();
  for (const [environment, card] of cards) {
    const [kind = '', part] = environment.split('-');
    const name = Object.entries(who).find(([each]) => each === kind)?.[1] ?? '';
    await vote(card, part === 'voted' ? name : 'ada');
  }
  releasers.users.length = 0;
  bellows.forge.world.removeTeamMember({ org: 'acme', team: 'release', login: 'linus' });
  worker = await work();
  const says = {
    'group-asked': 'may no longer deploy to group-asked',
    'team-asked': 'may no longer deploy to team-asked',
  };
  for (const [environment, card] of cards) {
    const why = Object.entries(says).find(([each]) => each === environment)?.[1] ?? 'an approval no longer counts';
    expect(words(await cardSays(card, ', but not run'))).toContain(why);
  }
  const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
  expect(bellows.forge.requests.of(dispatches)).toEqual([]);
  expect(bellows.slack.failures.all).toEqual([]);
});
