import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo } from './talk.js';

let bellows: Bellows;
const { type, result } = talkTo(() => bellows);

beforeAll(async () => {
  // with someone who could approve
  bellows = await startBellows({ policy: 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n' });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const nowhere = 'I can’t find acme/nosuch, or you don’t have access to it.';

describe('what does not exist is named', () => {
  it.each([
    ['issue show acme/nosuch#1', nowhere],
    ['issue show acme/engine#4711', 'I can’t find issue #4711 in acme/engine.'],
    ['issue close acme/nosuch#1', nowhere],
    ['issue close acme/engine#4711', 'I can’t find issue #4711 in acme/engine.'],
    ['issue reopen acme/engine#4711', 'I can’t find issue #4711 in acme/engine.'],
    ['issue comment acme/nosuch#1 Hello', nowhere],
    ['issue comment acme/engine#4711 Hello', 'I can’t find issue #4711 in acme/engine.'],
    ['issue create --repository acme/nosuch A title', nowhere],
    ['issue create --repository acme/nosuch A title --labels bug', nowhere],
    ['issue create --repository acme/nosuch A title --milestone 1.0', nowhere],
    ['issue create --repository acme/nosuch A title --assignees ada', nowhere],
    ['issue list acme/nosuch', nowhere],
    ['issue label acme/nosuch#1 bug', nowhere],
    ['issue label acme/engine#4711 bug', 'I can’t find issue #4711 in acme/engine.'],
    ['issue assign acme/nosuch#1 ada', nowhere],
    ['issue assign acme/engine#4711 ada', 'I can’t find issue #4711 in acme/engine.'],
    ['issue block acme/nosuch#1 acme/engine#2', nowhere],
    ['issue block acme/engine#2 acme/nosuch#1', nowhere],
    ['issue block acme/engine#2 acme/engine#4711', 'I can’t find issue #4711 in acme/engine.'],
    ['issue log-time acme/nosuch#1 1h', nowhere],
    ['issue log-time acme/engine#4711 1h', 'I can’t find issue #4711 in acme/engine.'],
    ['issue due acme/engine#4711 2027-01-05', 'I can’t find issue #4711 in acme/engine.'],
    ['pr show acme/nosuch#1', nowhere],
    ['pr show acme/engine#4711', 'I can’t find pull request #4711 in acme/engine.'],
    ['pr merge acme/engine#4711 --style merge', 'I can’t find pull request #4711 in acme/engine.'],
    ['pr approve acme/engine#4711', 'I can’t find pull request #4711 in acme/engine.'],
    ['pr review acme/nosuch#1 grace', nowhere],
    ['pr review acme/engine#4711 grace', 'I can’t find pull request #4711 in acme/engine.'],
    ['pr retarget acme/nosuch#1 main', nowhere],
    ['pr retarget acme/engine#4711 main', 'I can’t find pull request #4711 in acme/engine.'],
    ['pr retarget acme/engine#5 nosuch', 'There is no branch `nosuch` in acme/engine.'],
    ['repo commits acme/nosuch --branch main', nowhere],
    ['repo commits acme/engine --branch nosuch', 'There is no branch, tag or commit `nosuch` in acme/engine.'],
    ['feed repo acme/nosuch', nowhere],
    ['feed user nobody', 'I can’t find nobody on the forge. Check the login.'],
    ['repo watched nobody', 'I can’t find nobody on the forge. Check the login.'],
    ['key list acme/nosuch', nowhere],
    ['run list acme/nosuch --branch main', nowhere],
    ['run show acme/nosuch#1', nowhere],
    ['run show acme/engine#4711', 'I can’t find run 4711 in acme/engine.'],
    ['run log acme/engine#4711', 'I can’t find run 4711 in acme/engine.'],
    ['run rerun acme/engine#4711', 'I can’t find run 4711 in acme/engine.'],
    ['run cancel acme/nosuch#1', nowhere],
    ['run flaky acme/nosuch', nowhere],
    ['run stuck acme/nosuch --workflow ci.yml', nowhere],
    ['workflow list acme/nosuch', nowhere],
    ['workflow run --repository acme/nosuch ci.yml', nowhere],
    ['workflow run --repository acme/engine nosuch.yml', 'has no workflow `nosuch.yml`'],
    ['workflow run --repository acme/engine ci.yml --ref nosuch', 'has no branch or tag `nosuch`'],
    ['workflow disable --repository acme/nosuch ci.yml', nowhere],
    ['workflow disable --repository acme/engine nosuch.yml', 'has no workflow `nosuch.yml`'],
    ['project create --repository acme/nosuch A title', nowhere],
    ['project close acme/nosuch#1', nowhere],
    ['project close acme/engine#4711', 'I can’t find project #4711 in acme/engine.'],
    ['project reopen acme/engine#4711', 'I can’t find project #4711 in acme/engine.'],
    ['project edit acme/engine#4711 --title Other', 'I can’t find project #4711 in acme/engine.'],
    ['project column-add acme/nosuch#1 Doing', nowhere],
    ['project column-add acme/engine#4711 Doing', 'I can’t find project #4711 in acme/engine.'],
    ['project mine columns 4711', 'You have no project 4711.'],
    ['project mine edit 4711 --title Other', 'You have no project 4711.'],
    ['project mine column-edit 4711 1 --title Other', 'You have no project 4711.'],
    ['package show nobody/npm/loom/1.0', 'I can’t find nobody on the forge.'],
    ['package show acme/npm/nosuch/1.0', 'There is no npm package `nosuch` with version `1.0` in acme.'],
    ['issue list acme/engine --labels nosuch', 'acme/engine has no label `nosuch`.'],
    ['issue search --repo acme/engine --milestone nosuch', 'acme/engine has no milestone “nosuch”.'],
    ['issue search --owner nosuchowner', 'I can’t find nosuchowner on the forge. Check the login.'],
    ['run list acme/engine --branch nosuch', 'There is no branch `nosuch` in acme/engine.'],
    ['run stuck acme/engine --workflow nosuch.yml', 'acme/engine has no workflow `nosuch.yml`.'],
    ['repo commits acme/engine --path nosuch', 'There is no file or folder `nosuch` in acme/engine.'],
    ['repo commits acme/nosuch --path nosuch', nowhere],
    ['repo commits acme/engine --branch nosuch --path src', 'There is no branch, tag or commit `nosuch`'],
    ['runner show 4711', 'I can’t find runner 4711. See /forge runner list.'],
    ['run force-cancel acme/nosuch#1', nowhere],
    ['run force-cancel acme/engine#4711', 'I can’t find run 4711 in acme/engine.'],
    ['run force-cancel acme/engine#8 --also 4711', 'I can’t find run 4711 in acme/engine.'],
    ['runner remove 4711', 'I can’t find runner 4711. See /forge runner list.'],
    ['subscribe acme/nosuch', nowhere],
    ['why acme/nosuch#1', nowhere],
  ])('%s', async (line, sentence) => {
    expect((await type('ada', line)).text).toContain(sentence);
  });

  it('in the form that would show its values', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'issue edit acme/engine#4711');
    await result('ada', 'I can’t find issue #4711 in acme/engine.');
    await ada.close();
  });
});
