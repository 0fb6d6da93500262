import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001]
  maintainer:
    users: [U0GRACE001]
deployments:
  release:
    repository: acme/engine
    workflow: release.yml
    refs: [main]
    askFor: [version, notes]
    approve: maintainer
    channel: C0ENGINE01
`;
const repo = 'acme/engine';
const long = 'x'.repeat(2_500);
const many = (word: string) => Array.from({ length: 14 }, (_, at) => `${word}${'x'.repeat(80)}${at}`);
let bellows: Bellows;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ policy });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
afterEach(() => {
  bellows.forge.faults.clear();
  expect(bellows.slack.failures.all).toEqual([]);
});

function refusedPull(): number {
  const { world } = bellows.forge;
  world.push({ as: 'grace', repo, branch: 'gauge', commits: ['Gauge'] });
  const { index } = world.openPull({ as: 'grace', repo, title: 'Gauge', head: 'gauge' });
  world.review({ as: 'margaret', repo, index, verdict: 'reject', body: 'Not like this.' });
  return index;
}

it('a merge that is not ready says why, and how to merge anyway', async () => {
  const answer = await type('ada', `pr merge ${repo}#${refusedPull()} --message ${long}`);
  expect(answer.text).toContain('margaret requested changes');
  expect(words(answer)).toContain('run it again with --yes');
  expect(words(answer)).toContain('Open in browser');
});

it.each([
  ['a workflow', `workflow run ${repo} release.yml`],
  ['a deployment', 'deploy release'],
])('%s names the missing input, and how to give it', async (_what, line) => {
  const answer = await type('ada', `${line} --input notes=${long}`);
  expect(answer.text).toContain('`release.yml` needs a value for `version`.');
  expect(words(answer)).toContain('Run it again with --input version=…');
});

it('an import that the forge refused says why, and where the form is', async () => {
  bellows.forge.faults.add({ on: 'POST /repos/migrate', trouble: { status: 422, message: 'remote address is wrong' } });
  const answer = await type(
    'ada',
    `repo migrate https://example.org/ada/wheel acme/wheel --description ${'"'.repeat(2_000)}`,
  );
  expect(answer.text).toContain('remote address is wrong');
  expect(words(answer)).toContain('/forge repo migrate');
});

it('a preview says how to go ahead', async () => {
  const repositories = [repo, ...many('acme/')].join(',');
  const answer = await type('ada', `subscribe ${repositories} ${many('-author:').join(' ')} --preview`);
  expect(answer.text).toContain('would have posted');
  expect(words(answer)).toContain('run it again without --preview');
});

it('a subscription ends, however long its filters', async () => {
  for (const word of ['-author:', '+author:']) await type('ada', `subscribe ${repo} ${many(word).join(' ')}`);
  expect((await type('ada', `unsubscribe ${repo}`)).text).toContain('unsubscribed this channel from acme/engine');
});
