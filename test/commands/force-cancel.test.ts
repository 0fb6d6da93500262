import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn, force, repo } from './deciding.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { stuck } = decideIn(() => bellows);
const roles = 'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001]\n';

describe('run force-cancel', () => {
  beforeAll(async () => {
    bellows = await startBellows({ policy: `${roles}approvals:\n  risky: { count: 0 }\n` });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());
  beforeEach(() => bellows.forge.requests.clear());
  afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

  it('ends a run that a regular cancel did not', async () => {
    const run = stuck('Deaf');
    expect((await type('ada', `run cancel ${repo}#${run}`)).text).toContain('Cancel requested');
    expect(words(await type('ada', `run force-cancel ${repo}#${run} --dry-run`))).toContain(
      'not confirmed by the runner',
    );
    expect((await type('ada', `run force-cancel ${repo}#${run}`)).text).toContain('Force-canceled');
    expect(bellows.forge.world.run(run)?.status).toBe('cancelled');
    expect(bellows.forge.requests.of(force)).toHaveLength(1);
  });

  it('refuses a finished run before anyone is asked', async () => {
    expect((await type('ada', `run force-cancel ${repo}#1 --dry-run`)).text).toContain('already finished');
  });

  it('ends several, checks each again and reports exactly which were left alone', async () => {
    const [first, second, third] = [stuck('One'), stuck('Two'), stuck('Three')];
    bellows.forge.world.finishRun({ run: second, conclusion: 'success' });
    const refused = await type('ada', `run force-cancel ${repo}#${first} --also ${second},${third}`);
    expect(refused.text).toContain('Which run do you mean?');
    expect(bellows.forge.requests.of(force)).toEqual([]);
    const address = `${bellows.forge.url}/${repo}/actions/runs/${first}`;
    const answer = await type('ada', `run force-cancel ${address} --also ${second},${third}`);
    expect(answer.text).toContain('Force-canceled 2 of 3 runs');
    expect(words(answer)).toContain(
      `Run ${bellows.forge.world.run(second)?.number} in acme/engine has already finished.`,
    );
    expect(bellows.forge.requests.of(force).map(({ path }) => path)).toEqual(
      [first, third].map((run) => `/repos/acme/engine/actions/runs/${run}/force-cancel`),
    );
  });

  it('names the ones that the forge refused by their numbers, and says why', async () => {
    const [first, second] = [stuck('Open'), stuck('Refused')];
    const { world, faults } = bellows.forge;
    faults.add({ on: new RegExp(`runs/${second}/force-cancel$`), trouble: { status: 403, message: '' } });
    const address = `${bellows.forge.url}/${repo}/actions/runs/${first}`;
    const answer = words(await type('ada', `run force-cancel ${address} --also ${second}`));
    expect(answer).toContain(`Run ${world.run(second)?.number}: You don’t have permission to force-cancel the run.`);
    faults.clear();
  });

  it('keeps the reason when the run is chosen, and asks for confirmation', async () => {
    const first = stuck('Reasoned');
    const { world } = bellows.forge;
    while ((world.run(stuck('Also reasoned'))?.number ?? 0) < first);
    const answer = words(await type('ada', `run force-cancel ${repo}#${first} --reason "it hangs"`));
    expect(answer).toContain('Force-cancel this run?');
    expect(answer).toContain('Request approval');
    expect(answer).toContain('it hangs');
  });

  it('says so when the run does not exist', async () => {
    expect((await type('ada', `run force-cancel ${repo}#4711`)).text).toContain('I can’t find run 4711');
  });
});

describe('on an older forge', () => {
  beforeAll(async () => {
    bellows = await startBellows({ policy: roles, forge: { flavor: 'gitea-1.26' } });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it.each([
    [`run force-cancel ${repo}#7`, 'run force-cancel'],
    [`project create ${repo} Later`, 'project create'],
    ['project mine columns 2', 'project mine columns'],
  ])('%s says which version adds it before anyone is asked to approve', async (line, command) => {
    const { slack } = bellows;
    const before = slack.state.messages('engine').length;
    const answer = await type('ada', line);
    expect(answer.text).toContain(`Gitea 1.26.0 does not support ${command}: it needs Gitea 1.28 or later.`);
    expect(slack.state.messages('engine')).toHaveLength(before);
  });

  it('draws no button for what this server cannot do', async () => {
    const listed = words(await type('ada', 'run list acme/engine'));
    expect(listed).toContain('"text":"Show"');
    expect(listed).not.toContain('"text":"Cancel"');
  });

  it('draws none on an error either, and names the server on its links', async () => {
    const address = `${bellows.forge.url}/${repo}/actions/runs/${stuck('Slow')}`;
    const refused = words(await type('ada', `run rerun ${address}`));
    expect(refused).toContain('Still running');
    expect(refused).not.toContain('"text":"Cancel"');
    expect(refused).toContain('Open in Gitea');
  });
});
