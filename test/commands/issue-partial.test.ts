import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const labels = 'PUT /repos/{owner}/{repo}/issues/{index}/labels';

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('says which parts of a guest’s new issue the forge ignored', async () => {
  const line = 'issue create acme/engine A wish --labels bug,docs --milestone 1.0 --assignees ada';
  const shown = words(await type('alan', line));
  expect(shown).toContain('Opened');
  expect(shown).toContain('The forge did not save assignees ada; milestone; labels bug, docs.');
});

it('takes labels separated by spaces wherever they are written', async () => {
  const { world } = bellows.forge;
  world.addLabel({ repo: 'acme/engine', name: 'good first issue' });
  const opened = await type('ada', 'issue create acme/engine Spaces --labels "bug good first issue docs"');
  for (const part of ['Opened', '`bug`', '`good first issue`', '`docs`']) expect(words(opened)).toContain(part);
  expect(words(opened)).not.toContain('did not save');
  const index = Number(/#(\d+) Spaces/.exec(opened.text)?.[1]);
  const edited = words(await type('ada', `issue edit acme/engine#${index} --labels "urgent good first issue"`));
  expect(edited).toContain('Changed labels of');
  expect(edited).not.toContain('did not save');
  expect(edited).not.toContain('`bug`');
  const listed = await type('ada', 'issue list acme/engine --labels "good first issue docs"');
  expect(listed.text).toContain('2 open issues');
});

it('takes people as people list them', async () => {
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'For both' });
  const said = await type('ada', `assign acme/engine#${index} to ada and grace`);
  expect(words(said)).toContain('assigned to ada, grace');
});

it('says which part no longer exists', async () => {
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Gone meanwhile' });
  bellows.forge.faults.add({ on: labels, trouble: { status: 404, message: '' } });
  const answer = await type('ada', `issue edit acme/engine#${index} --title "Still here" --labels docs`);
  expect(answer.text).toContain('Changed title of');
  expect(answer.text).toContain('The labels did not change. One of them no longer exists.');
});

it('opens without a warning if everything was applied', async () => {
  const line = 'issue create acme/engine All of it --labels BUG --milestone 1.0 --assignees ada --due 2027-01-05';
  const shown = words(await type('ada', line));
  expect(shown).toContain('Opened');
  expect(shown).not.toContain('did not save');
});

it('reports every part of an edit that stayed unchanged, refused or silently dropped', async () => {
  const { index } = bellows.forge.world.openIssue({ as: 'linus', repo: 'acme/engine', title: 'A guest’s wish' });
  const flags = '--title "A better wish" --labels bug --assignees ada --milestone 1.0 --due 2027-01-05';
  const shown = words(await type('alan', `issue edit acme/engine#${index} ${flags}`));
  expect(shown).toContain('Changed title of');
  expect(shown).toContain(
    'The labels did not change. You don’t have permission to update the labels. Ask a repository owner',
  );
  expect(shown).toContain('The forge did not save assignees ada; milestone; due date.');
  expect(shown).not.toContain('forbidden');
});

it('reports what worked when a later part fails, in the forge’s own words', async () => {
  const { index } = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Half' });
  bellows.forge.faults.add({ on: labels, trouble: { status: 403, message: 'no labels for you' } });
  const answer = await type('ada', `issue edit acme/engine#${index} --title "Half done" --labels docs`);
  expect(answer.text).toContain('Changed title of');
  expect(answer.text).toContain('The forge answered: no labels for you');
});

it('reports that a pull request’s milestone stayed', async () => {
  const { world, faults } = bellows.forge;
  const index = 5;
  await type('ada', `pr edit acme/engine#${index} --milestone 1.0`);
  faults.add({ on: 'PATCH /repos/{owner}/{repo}/issues/{index}', trouble: { status: 403, message: '' } });
  const answer = await type('ada', `pr edit acme/engine#${index} --title "Without it" --milestone none`);
  expect(answer.text).toContain('The milestone did not change.');
  expect(world.issue('acme/engine', index)?.milestone?.title).toBe('1.0');
});
