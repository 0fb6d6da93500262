import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, turn, form, after } = talkTo(() => bellows);
const lists = 'GET /repos/{owner}/{repo}/actions/runs';
const repo = 'acme/website';
const queue = (title: string, labels = ['gpu']) =>
  bellows.forge.world.queueRun({
    as: 'grace',
    repo,
    title,
    jobs: [{ name: 'build', labels, needs: [], steps: ['make'] }],
  });

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists runs with filters, newest first', async () => {
  const answer = await type('ada', 'run list acme/engine --status failure --branch main');
  expect(bellows.forge.requests.of(lists).at(-1)?.query).toMatchObject({ status: 'failure', branch: 'main' });
  expect(words(answer)).toContain('❌ Failed');
  expect(words(answer)).not.toContain('✅ Passed');
});

it('pages a long list without losing a row', async () => {
  for (let at = 1; at <= 11; at += 1) queue(`Turn ${at}`);
  const first = await type('ada', 'run list');
  expect(words(first)).toContain('1–10 of 12');
  const second = await turn('ada', first, 'Show more');
  const rows = [...`${words(first)}${words(second)}`.matchAll(/Turn (\d+)/g)].map((found) => found[1]);
  expect(new Set(rows).size).toBe(11);
});

it('recognizes an unknown person before the forge fails on them', async () => {
  expect((await type('ada', 'run list --actor nobody')).text).toContain('can’t find nobody on the forge');
  expect(bellows.forge.requests.of(lists)).toEqual([]);
});

it('shows a run with its jobs', async () => {
  const run = queue('To be shown');
  const shown = words(await type('ada', `run show ${repo}#${run.id}`));
  expect(shown).toContain('To be shown');
  expect(shown).toContain('needs `gpu`');
});

it('takes a pasted address', async () => {
  const run = queue('Pasted');
  expect((await type('ada', `run show ${bellows.forge.url}/${repo}/actions/runs/${run.id}`)).text).toContain('Pasted');
});

it('cancels a queued run at once', async () => {
  const run = queue('To be cancelled');
  const answer = await type('ada', `run cancel ${run.id}`);
  expect(answer.text).toContain(`Canceled To be cancelled, run ${run.number}`);
  expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/actions/runs/{run}/cancel').at(-1)).toMatchObject({
    who: 'ada',
    path: `/repos/${repo}/actions/runs/${run.id}/cancel`,
  });
});

it('says when the runner still has to confirm, and what to do if it does not', async () => {
  const answer = await type('ada', `run cancel ${bellows.forge.url}/acme/engine/actions/runs/8`);
  expect(answer.text).toContain('Cancel requested for Deploy v0.9, run 7');
  expect(answer.text).toContain('If it still runs after a while, force-cancel it.');
  expect(words(answer)).not.toContain('"text":"Cancel"');
  const shown = await click('ada', answer, 'Show');
  expect(words(shown)).toContain('Cancel requested; waiting for the runner to confirm.');
  expect(words(shown)).not.toContain('"text":"Cancel"');
  expect(words(shown)).not.toContain('"text":"Show"');
  for (const card of [answer, shown]) expect(words(card)).toContain('Force-cancel this run?');
});

it('says when there is nothing to cancel', async () => {
  expect((await type('ada', 'run cancel acme/engine#1')).text).toContain('has already finished (✅ Passed)');
});

it('cancels from the card, after a confirmation', async () => {
  const run = queue('By button');
  const card = await type('ada', `run show ${run.id}`);
  expect(words(card)).toContain('Cancel this run?');
  expect((await click('ada', card, 'Cancel')).text).toContain('Canceled');
});

it('cancels from the list, after a confirmation', async () => {
  const run = queue('From the list');
  const list = await type('ada', 'run list');
  const ada = bellows.slack.as('ada');
  await ada.select(list, 'more', 'Cancel run…');
  await form('ada');
  const answer = await after('ada', () => ada.submit());
  expect(answer.text).toContain(`Canceled From the list, run ${run.number}`);
});

it('says so if a repository has no runs, and if none matches', async () => {
  expect((await type('ada', 'run list linus/notes')).text).toContain('linus/notes has no runs yet.');
  expect((await type('ada', 'run list linus/notes --branch main')).text).toContain('No matching runs in linus/notes');
});

it('says how many jobs it leaves out', async () => {
  const jobs = Array.from({ length: 30 }, (_, at) => ({ name: `job ${at}`, labels: ['gpu'], needs: [], steps: [] }));
  const run = bellows.forge.world.queueRun({ as: 'grace', repo, title: 'Many', jobs });
  const shown = words(await type('ada', `run show ${repo}#${run.id}`));
  expect(shown).toContain('job 19');
  expect(shown).not.toContain('job 20');
  expect(shown).toContain('10 more jobs on the forge');
});

describe('a number that is one run’s id and another’s number on the forge', () => {
  const cancels = 'POST /repos/{owner}/{repo}/actions/runs/{run}/cancel';
  const engine = 'acme/engine';
  const status = (id: number) => bellows.forge.world.run(id)?.status;

  /** Two runs, the second of which has the first one's id as its number. */
  function twins() {
    const { world } = bellows.forge;
    const start = (title: string) => world.queueRun({ as: 'grace', repo: engine, title });
    const first = start('The first');
    let second = start('The second');
    while (second.number < first.id) second = start('The second');
    return { first, second };
  }

  it('is shown as on the forge’s pages, never as an issue’s', async () => {
    const list = words(await type('ada', `run list ${engine}`));
    expect(list).toContain('Deploy v0.9, run 7');
    expect(list).not.toMatch(/engine#\d/);
  });

  it('cancels neither before a person chose', async () => {
    const { first, second } = twins();
    const answer = await type('ada', `run cancel ${engine}#${first.id}`);
    expect(answer.text).toContain('Which run do you mean?');
    expect(answer.text).toContain(`The first, run ${first.number}`);
    expect(answer.text).toContain(`The second, run ${second.number}`);
    expect(bellows.forge.requests.of(cancels)).toEqual([]);
    expect((await click('ada', answer, `Cancel run ${second.number}: The second`)).text).toContain(
      `Canceled The second, run ${second.number}`,
    );
    expect([status(first.id), status(second.id)]).toEqual(['waiting', 'cancelled']);
  });

  it('stays a dry run if the number is chosen from a dry run', async () => {
    const { first, second } = twins();
    const answer = await type('ada', `run cancel ${engine}#${first.id} --dry-run`);
    expect(answer.text).toContain('Which run do you mean?');
    expect(words(answer)).not.toContain('Cancel this run?');
    const shown = await click('ada', answer, `Dry run: cancel run ${second.number}: The second`);
    expect(shown.text).toContain('nothing was changed');
    expect(words(shown)).toContain(`/actions/runs/${second.id}/cancel`);
    expect(bellows.forge.requests.of(cancels)).toEqual([]);
    expect([status(first.id), status(second.id)]).toEqual(['waiting', 'waiting']);
  });

  it('asks for the same confirmation as a card', async () => {
    const { first } = twins();
    const answer = words(await type('ada', `run cancel ${engine}#${first.id}`));
    expect(answer.match(/Cancel this run\?/g)).toHaveLength(2);
    expect(answer.match(/"style":"danger"/g)?.length).toBeGreaterThanOrEqual(2);
  });

  it('needs no choice if an address or a card says which', async () => {
    const { first } = twins();
    const card = await type('ada', `run show ${bellows.forge.url}/${engine}/actions/runs/${first.id}`);
    expect((await click('ada', card, 'Cancel')).text).toContain(`Canceled The first, run ${first.number}`);
  });

  it('shows the one with that number and offers the one with that id', async () => {
    const { first, second } = twins();
    const card = await type('ada', `run show ${engine}#${first.id}`);
    expect(card.text).toContain(`The second, run ${second.number}`);
    expect(card.text).toContain(`Or did you mean The first, run ${first.number}?`);
    expect((await click('ada', card, 'Show The first')).text).toContain(`The first, run ${first.number}`);
  });

  it('is refused if it is another run’s, however it was typed', async () => {
    const [shown, meant] = [queue('Shown'), queue('Meant')];
    const typed = `run cancel "${repo}#${shown.number} (ID ${meant.id})"`;
    expect((await type('ada', typed)).text).toContain(`is run ${meant.number}, not ${shown.number}`);
    expect(bellows.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('needs no choice after the menu, and is the one in the audit', async () => {
    const { first, second } = twins();
    const ada = bellows.slack.as('ada');
    await type('ada', `repo use ${engine}`, 'general');
    await ada.command('general', '/forge', 'run cancel');
    const offered = JSON.stringify(await ada.suggest(await form('ada'), 'runs:run', 'The first'));
    const [label = ''] = new RegExp(`The first [^"]* run ${first.number}(?=")`).exec(offered) ?? [];
    await ada.fill({ run: label });
    await ada.submit();
    await bellows.slack.until(() => status(first.id) === 'cancelled');
    expect(status(second.id)).toBe('waiting');
    const rows = words(await type('ada', 'audit run cancel'));
    expect(rows).toContain(`run cancel ${engine}#${first.number}`);
    expect(rows).toContain(`${engine}#${first.number} ·`);
    expect(rows).not.toContain(`${engine}#${first.id}`);
  });

  describe('if the number is not an id at all', () => {
    const notes = 'linus/notes';
    const start = (title: string) => bellows.forge.world.queueRun({ as: 'linus', repo: notes, title });

    it('is shown right away, and so is its log', async () => {
      const run = start('Alone');
      const answer = await type('ada', `run show ${notes}#${run.number}`);
      expect(answer.text).toContain(`Alone, run ${run.number}`);
      expect(answer.text).not.toContain('Not this one?');
      expect((await type('ada', `run log ${notes}#${run.number}`)).text).not.toContain('can’t find');
    });

    it('is the number that people see', async () => {
      const run = start('Meant');
      const answer = await type('ada', `run cancel ${notes}#${run.number}`);
      expect(answer.text).toContain(`Canceled Meant, run ${run.number}`);
      expect(status(run.id)).toBe('cancelled');
    });
  });

  it('is the forge’s number wherever a run is named', async () => {
    const { first } = twins();
    expect(first.number).not.toBe(first.id);
    const card = await type('ada', `run show ${bellows.forge.url}/${engine}/actions/runs/${first.id}`);
    bellows.forge.world.finishRun({ run: first.id, conclusion: 'success' });
    const answer = await click('ada', card, 'Cancel');
    expect(answer.text).toContain(`Run ${first.number} in acme/engine has already finished`);
  });
});
