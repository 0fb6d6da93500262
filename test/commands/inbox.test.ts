import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { servers } from '../support/servers.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, turn } = talkTo(() => bellows);
const marks = 'PATCH /notifications/threads/{id}';
const repo = 'acme/engine';
const last = (route: string) => bellows.forge.requests.of(route).at(-1);
const notify = (title: string) => bellows.forge.world.openIssue({ as: 'grace', repo, title, assignees: ['ada'] }).index;

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', `repo use ${repo}`);
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists what is unread or pinned, newest first, and pages', async () => {
  notify('The newest');
  const answer = await type('ada', 'inbox');
  expect(words(answer).indexOf('The newest')).toBeGreaterThan(0);
  expect(words(answer)).toContain('1–10 of');
  expect(words(await turn('ada', answer, 'Show more'))).toContain('11–');
});

it('marks one as done from the list, which is shown again without it', async () => {
  notify('Read me');
  const list = await type('ada', 'inbox');
  const first = /🔵 <([^|]+)\|/u.exec(words(list))?.[1];
  const again = await turn('ada', list, 'more', 'Mark as done');
  expect(last(marks)?.query).toEqual({ 'to-status': 'read' });
  expect(words(again)).not.toContain(first);
});

it('pins from the list, and offers to undo', async () => {
  notify('Pin me');
  const list = await type('ada', 'inbox');
  const again = await turn('ada', list, 'more', 'Pin');
  expect(words(again)).toContain('📌');
  expect((await click('ada', again, 'Undo')).text).toContain('is unread again');
});

it('marks by reference', async () => {
  const index = notify('By reference');
  expect((await type('ada', `inbox mark #${index} read`)).text).toContain('Marked as done: By reference');
  expect((await type('ada', `inbox mark #${index} unread`)).text).toContain('Marked as unread');
  // as the button says
  expect((await type('ada', `inbox mark #${index} done`)).text).toContain('Marked as done: By reference');
  expect((await type('ada', 'inbox mark #4711 read')).text).toContain(
    'You have no notification about acme/engine#4711',
  );
});

it('lists read ones when asked', async () => {
  const index = notify('Old news');
  await type('ada', `inbox mark #${index} read`);
  expect(words(await type('ada', 'inbox read'))).toContain('Old news');
});

it('reads the thread again when a proxy dropped the answer', async () => {
  const index = notify('No body');
  bellows.forge.faults.add({ on: marks, trouble: { text: '', status: 205 } });
  expect((await type('ada', `inbox mark #${index} read`)).text).toMatch(/No body|is now done/);
});

it('clears what is older, pinned ones stay', async () => {
  await type('ada', 'inbox clear --older-than 7d');
  const { query = {} } = last('PUT /notifications') ?? {};
  expect(query).toMatchObject({ 'status-types': 'unread', 'to-status': 'read' });
  expect(Date.now() - Date.parse(query['last_read_at'] ?? '')).toBeGreaterThan(6.9 * 86_400_000);
});

it('leaves what came after the list unread', async () => {
  const list = await type('ada', 'inbox');
  bellows.forge.world.at(Math.floor(Date.now() / 1000) + 60, () => notify('Came later'));
  const answer = await turn('ada', list, 'Mark all as done');
  expect(words(answer)).toMatch(/Marked \d+ notifications? as done\./);
  expect(words(await type('ada', 'inbox'))).toContain('Came later');
});

it('clears all, pinned ones included, and is then empty', async () => {
  const answer = await type('ada', 'inbox clear --all');
  expect(answer.text).toContain('including pinned ones');
  expect((await type('ada', 'inbox clear --all')).text).toContain('No unread or pinned notifications');
  expect((await type('ada', 'inbox')).text).toContain('No unread notifications');
  expect((await type('ada', 'inbox clear')).text).toContain('No unread notifications');
});

it('shows one line and one menu for each, ten of them, and the actions for all on top', async () => {
  for (let each = 0; each < 12; each += 1) notify(`Row ${each}`);
  const { blocks } = await type('ada', 'inbox');
  const kinds = blocks.map(({ type, accessory }) => [type, Object(accessory).type].filter(Boolean).join(' '));
  expect(kinds.slice(0, 2)).toEqual(['section', 'actions']);
  expect(kinds.filter((kind) => kind === 'section overflow')).toHaveLength(10);
  expect(JSON.stringify(blocks[2])).not.toContain('\\n');
});

it('marks one repository as done, and the list is shown again without it', async () => {
  await type('ada', 'inbox clear');
  const title = 'Elsewhere';
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/website', title, assignees: ['ada'] });
  notify('Stays');
  const list = await type('ada', 'inbox');
  expect(words(list)).toContain(title);
  const again = await turn('ada', list, 'pick', 'acme/website');
  expect(last('PUT /repos/{owner}/{repo}/notifications')?.query).toMatchObject({ 'to-status': 'read' });
  expect(words(again)).toContain('in acme/website as done');
  expect(words(again)).toContain('Stays');
  expect(words(again)).not.toContain(title);
});

describe.each(servers)('access lost on %s', (flavor) => {
  let lost: Bellows;
  const says = (line: string) =>
    talkTo(() => lost)
      .type('alan', line)
      .then(words);

  beforeAll(async () => {
    lost = await startBellows({ forge: { flavor } });
    await lost.link('alan', 'linus');
    const { world } = lost.forge;
    await says('inbox clear --all');
    world.setPrivate({ repo: 'acme/website', private: true });
    world.setCollaborator({ repo: 'acme/website', login: 'linus', level: 'write' });
    world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Takeover of Initech', body: '@linus' });
    world.openIssue({ as: 'ada', repo, title: 'Still shown', body: '@linus' });
  });
  afterAll(() => lost.close());

  it('shows an item in a private repository while its reader can see it', async () => {
    expect(await says('inbox')).toContain('Takeover of Initech');
    expect(await says('todo')).toContain('Takeover of Initech');
  });

  it('shows nothing of it afterwards, only that it is there', async () => {
    lost.forge.world.setCollaborator({ repo: 'acme/website', login: 'linus', level: 'none' });
    const [thread] = lost.forge.world.threadsOf('linus').filter(({ issue }) => issue?.title === 'Takeover of Initech');
    const alan = lost.slack.as('alan');
    await alan.openHome();
    const home = await lost.slack.until(() => {
      const shown = JSON.stringify(alan.home()?.blocks ?? []);
      return shown.includes('Notifications') ? shown : undefined;
    });
    for (const shown of [await says('inbox'), await says('todo'), home]) {
      expect(shown).toContain('1 in a repository you can no longer see');
      expect(shown).toContain('Still shown');
      expect(shown).not.toMatch(/Initech|acme\/website/);
    }
    expect(await says(`inbox mark ${thread?.id} read`)).not.toMatch(/Initech|acme\/website/);
    expect(await says('inbox')).not.toContain('no longer see');
  });
});
