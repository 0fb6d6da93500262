import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideIn } from '../commands/deciding.js';
import { talkTo, words } from '../commands/talk.js';
import type { PlayedRunner } from '../contract/forge/server.js';
import { fresh, freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const label = fresh('label');
const workflow = `on: workflow_dispatch\njobs:\n  ship:\n    runs-on: ${label}\n    steps:\n      - run: make deploy\n`;

describe.skipIf(!live)(`deploying on ${nameOf(live)}`, { timeout: 120_000 }, () => {
  let bellows: Bellows;
  let runner: PlayedRunner;
  let at: { readonly owner: string; readonly repo: string };
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const { type } = talkTo(() => bellows);
  const { ask, cardSays } = decideIn(() => bellows);
  const started = async () =>
    (await server().people.alice.api.runs.list(at)).items.filter(({ event }) => event === 'workflow_dispatch');

  beforeAll(async () => {
    const { people, ground } = server();
    at = await freshRepo(server());
    await ground.workflow(at, 'deploy.yml', workflow);
    runner = await ground.runner(label);
    const policy = `
roles: { admin: { users: [U0ADA00001, U0GRACE001] } }
deployments:
  production:
    repository: ${at.owner}/${at.repo}
    workflow: deploy.yml
    refs: [main]
    approve: admin
`;
    bellows = await startBellows({ real: { url: server().url, token: await tokenOf(people.root) }, policy });
    await bellows.link('ada', people.alice.login, await tokenOf(people.alice));
    await bellows.link('grace', people.bob.login, await tokenOf(people.bob));
  }, 120_000);
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it('dispatches once approved and follows the run to its end', async () => {
    const card = await ask('deploy production');
    expect(words(card)).toContain('main');
    expect(await started()).toEqual([]);
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    expect(await started()).toHaveLength(1);
    await runner.take();
    await runner.write('done');
    await runner.finish('success');
    await cardSays(card, 'Deployed');
    expect(words(await type('ada', 'deploy status'))).toContain('main');
    expect(await started()).toHaveLength(1);
  });

  it('shows a failed one, with a way to rerun it', async () => {
    const card = await ask('deploy production');
    await bellows.slack.as('grace').click(card, 'Approve');
    await cardSays(card, 'Deploying');
    await runner.take();
    await runner.write('Error: no');
    await runner.finish('failure');
    expect(words(await cardSays(card, 'Deployment failed'))).toContain('Rerun failed jobs');
  });

  it('derives the checks of a commit from its runs', async () => {
    const { people, ground } = server();
    const other = fresh('label');
    const builder = await ground.runner(other);
    const run = await ground.queueRun(at, other);
    const { head_sha: ref } = await people.alice.api.runs.get({ ...at, run });
    const state = async () => (await people.alice.api.repos.commitStatus({ ...at, ref })).items[0]?.status;
    await expect.poll(state, { timeout: 15_000 }).toBe('pending');
    await builder.take();
    await builder.finish('failure');
    await expect.poll(state, { timeout: 15_000 }).toBe('failure');
  });
});
