import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { commands } from '../../src/features/index.js';
import { describe as operation } from '../../src/forge/index.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { decideIn, people, requestOn } from '../commands/deciding.js';
import type { Shown } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { beyond, lines } from './command-lines.js';
import { deskLines, otherLines } from './field-lines.js';

/** Everything that changes the forge and can wait for an approval. */
const writing = commands.filter(
  ({ risk, approval, account, operations }) =>
    risk !== 'read' &&
    account !== 'none' &&
    !approval?.refuseWaiting &&
    operations.some((name) => operation(name).effect !== 'read'),
);
/** Why no line of these asks for an approval here. */
const elsewhere: Readonly<Record<string, string>> = {
  'runner add': 'no Gitea has it',
  'pr reopen': 'there is no closed pull request; it is planned like pr close',
  'issue unblock': 'nothing blocks anything here; it is planned like issue block',
  'queue remove': 'it changes the queue, and on the forge only says so',
  'queue require': 'no branch is protected here; test/commands/queue.test.ts asks for it',
  'inbox mark': 'about a notification, which belongs to one account',
};
const catalog = createCatalog(commands);
const policy = `
roles: { admin: { users: [U0ADA00001, U0GRACE001] } }
approvals:
  commands:
${writing.map(({ name }) => `    ${name}: { count: 1, approve: admin }`).join('\n')}
deployments:
  staging: { repository: acme/engine, workflow: deploy.yml, refs: [main], checks: any, askFor: [version] }
`;

let bellows: Bellows;
let store: Store;
const redis: { end(): Promise<void> } = { end: async () => {} };
const { ask } = decideIn(() => bellows);
const made = new Map<string, string>();
/** Bound alike, and approved after their repository’s name was taken over. */
const taken = ['key add', 'issue close', 'pr merge', 'workflow run', 'run force-cancel'];
const asked = new Map<string, Shown>();

beforeAll(async () => {
  bellows = await startBellows({
    policy,
    slack: { seed: { users: people } },
    publicUrl: 'https://bellows.example.org',
  });
  for (const name of ['ada', 'grace']) await bellows.link(name);
  const connection = connect(bellows.redisUrl);
  redis.end = () => close(connection);
  store = createStore({ redis: connection, forgeId: 'main', seal: createSeal(testKeys) });
  const { world } = bellows.forge;
  const queue = (what: { needsApproval?: boolean; event?: string } = {}) =>
    world.queueRun({ as: 'grace', repo: 'acme/engine', event: 'workflow_dispatch', ...what }).id;
  const page = (run: number) => `${bellows.forge.url}/acme/engine/actions/runs/${run}`;
  const [stuck, stuckToo] = [queue(), queue()];
  for (const run of [stuck, stuckToo]) world.freezeRun({ run });
  world.createProject({ as: 'ada', title: 'My week', template: 'basic_kanban' });
  made.set('fork', page(queue({ needsApproval: true, event: 'pull_request' })));
  made.set('queued', page(queue()));
  made.set('stuck', page(stuck));
  made.set('stuckToo', String(stuckToo));
  const off = world.addRunner({ name: 'builder-8', labels: ['old'] });
  off.disabled = true;
  made.set('off', String(off.id));
  made.set('runner', String(world.addRunner({ name: 'builder-7', labels: ['old'] }).id));
});
afterAll(async () => {
  await redis.end();
  await bellows.close();
});

/** Where the first line of the lists depends on more than is there. */
const written = new Map([
  ['issue create', 'issue create acme/engine Leaking pipe'],
  ['issue label', 'issue label acme/engine#6 docs'],
  ['runner enable', 'runner enable {off}'],
  ['run force-cancel', 'run force-cancel {stuck} --also {stuckToo}'],
]);
for (const line of [...Object.values({ ...lines, ...beyond }), ...deskLines, ...otherLines]) {
  const filled = line.replaceAll(/\{(\w+)\}/g, '5');
  const parsed = parseCommand(filled, catalog, {
    now: new Date(),
    webUrl: 'https://forge.example.org',
    slash: '/forge',
  });
  if (parsed.kind === 'command' && !written.has(parsed.command.name)) written.set(parsed.command.name, line);
}
const walked = writing.filter(({ name }) => !(name in elsewhere));

it('has a line for each command that changes the forge, or says why not', () => {
  expect(walked.filter(({ name }) => !written.has(name)).map(({ name }) => name)).toEqual([]);
});

describe('asked for under a policy', () => {
  it.each(walked.map(({ name }) => name))('%s is bound to what it names', async (name) => {
    const line = (written.get(name) ?? '').replaceAll(/\{(\w+)\}/g, (_all, what: string) => made.get(what) ?? what);
    const card = await ask(line);
    const approval = await store.approvals.get(requestOn(card));
    expect(approval?.bound).toMatchObject({
      [JSON.stringify(approval?.bound).includes('request 1') ? 'request 1' : 'request']: expect.any(String),
    });
    const [, repository] = /\b(acme\/(?:engine|website))\b/.exec(line) ?? [];
    if (repository) {
      expect(approval?.bound).toMatchObject({ [`repository ${repository}`]: expect.any(Number) });
      if (taken.includes(name)) asked.set(name, card);
    }
  });

  it('and sent to no repository that took over a name', async () => {
    for (const repo of ['acme/engine', 'acme/website'])
      bellows.forge.world.takeOverName({ as: 'ada', repo, name: `${repo.slice(5)}-old` });
    bellows.forge.requests.clear();
    expect([...asked.keys()].sort()).toEqual([...taken].sort());
    for (const card of asked.values()) await bellows.slack.as('grace').clickOnOldScreen(card, 'Approve');
    const open = async () => {
      const states = [...asked].map(async ([name, card]) => [
        name,
        (await store.approvals.get(requestOn(card)))?.state,
      ]);
      return (await Promise.all(states)).filter(([, state]) => state !== 'withdrawn');
    };
    await expect.poll(open).toEqual([]);
    expect(bellows.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
