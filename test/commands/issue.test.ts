import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, click, form, turn, after, opens } = talkTo(() => bellows);
const edits = 'PATCH /repos/{owner}/{repo}/issues/{index}';
const last = (route: string) => bellows.forge.requests.of(route).at(-1);
const open = (title: string, more: object = {}) =>
  bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title, ...more }).index;
const issue = (index: number) => bellows.forge.world.issue('acme/engine', index);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await type('ada', 'repo use acme/engine');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('issue close and reopen', () => {
  it('closes, offers to undo, and undoes', async () => {
    const index = open('To be closed');
    const answer = await type('ada', `issue close #${index}`);
    expect(answer.text).toBe(`Closed #${index} To be closed`);
    expect(last(edits)).toMatchObject({
      who: 'ada',
      path: `/repos/acme/engine/issues/${index}`,
      body: { state: 'closed' },
    });
    const undone = await click('ada', answer, 'Undo');
    expect(undone.text).toContain('Reopened acme/engine#');
    expect(issue(index)?.state).toBe('open');
  });

  it('shows Undo instead of the button that does the same', async () => {
    const index = open('To and fro');
    const closed = words(await type('ada', `close acme/engine#${index}`));
    expect(closed).toContain('"Undo"');
    expect(closed).not.toContain('"Reopen"');
    expect((await type('ada', `reopen acme/engine#${index}`)).text).toBe(`Reopened #${index} To and fro`);
  });

  it('says so if it is already closed, sends nothing and offers no undo', async () => {
    const index = open('Closed before');
    bellows.forge.world.close({ as: 'ada', repo: 'acme/engine', index });
    const answer = await type('ada', `issue close #${index}`);
    expect(answer.text).toContain('Already closed');
    expect(words(answer)).not.toContain('Undo');
    expect(bellows.forge.requests.of(edits)).toEqual([]);
  });

  it('says what blocks closing, with links, and removes the block', async () => {
    const [first, second] = [open('First things first'), open('Has to wait')];
    bellows.forge.world.dependOn({ as: 'ada', repo: 'acme/engine', index: second, by: first });
    const answer = await type('ada', `issue close #${second}`);
    expect(answer.text).toContain('cannot be closed while these are open');
    expect(words(answer)).toContain(`<${bellows.forge.url}/acme/engine/issues/${first}|#${first} First things first>`);
    const freed = await click('ada', answer, 'Remove dependency');
    expect(freed.text).toContain('no longer blocks');
    expect((await type('ada', `issue close #${second}`)).text).toContain('Closed');
  });

  it('offers to close it once the block is removed', async () => {
    const [first, second] = [open('Once the first'), open('Then the second')];
    bellows.forge.world.dependOn({ as: 'ada', repo: 'acme/engine', index: second, by: first });
    const freed = await click('ada', await type('ada', `issue close #${second}`), 'Remove dependency');
    expect((await click('ada', freed, `Close #${second}`)).text).toBe(`Closed #${second} Then the second`);
  });

  it('names the repository of blocking items elsewhere, and removes any of several blocks', async () => {
    const [near, waiting] = [open('Near'), open('Waits for two')];
    const far = bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Far' });
    bellows.forge.world.dependOn({ as: 'ada', repo: 'acme/engine', index: waiting, by: near });
    await type('ada', `issue block acme/website#${far.index} #${waiting}`);
    const answer = await type('ada', `issue close #${waiting}`);
    const shown = words(answer);
    expect(shown).toContain(`|acme/website#${far.index} Far>`);
    expect(shown).toContain(`|#${near} Near>`);
    expect(shown).toContain(`<${bellows.forge.url}/acme/engine/issues/${waiting}|acme/engine#${waiting}>`);
    const freed = await click('ada', answer, `Unblock from acme/website#${far.index}`);
    expect(freed.text).toContain(`acme/website#${far.index} no longer blocks acme/engine#${waiting}`);
    expect(words(await type('ada', `issue show acme/website#${far.index}`))).not.toContain('Blocks');
    await click('ada', freed, 'Undo');
    expect(words(await type('ada', `issue show acme/website#${far.index}`))).toContain(`|acme/engine#${waiting} Waits`);
  });

  it('explains a number that does not exist', async () => {
    expect((await type('ada', 'issue close #4711')).text).toBe('I can’t find issue #4711 in acme/engine.');
    const nobody = await type('ada', 'issue search --author nobody');
    expect(nobody.text).toContain('I can’t find nobody on the forge. Check the login.');
  });
});

describe('issue create', () => {
  it('opens one with labels, people, milestone, due date and a text below the first line', async () => {
    const line =
      'issue create Leaking valve --labels bug,docs --assignees me --milestone 1.0 --due 2027-01-05\nIt drips.';
    const answer = await type('ada', line);
    const made = last('POST /repos/{owner}/{repo}/issues')?.body;
    expect(made).toMatchObject({ title: 'Leaking valve', body: 'It drips.', assignees: ['ada'] });
    expect(made).toMatchObject({ due_date: '2027-01-05T23:59:59Z', labels: [expect.any(Number), expect.any(Number)] });
    expect(answer.text).toMatch(/^Opened #\d+ Leaking valve$/);
    expect(words(answer)).toContain('due 2027-01-05');
  });

  it('asks in a form for what is missing', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'issue create');
    await form('ada');
    await ada.fill({ repository: 'acme/engine', title: 'From a form', labels: ['bug'] });
    const answer = await after('ada', () => ada.submit());
    expect(answer.text).toContain('From a form');
  });

  it.each([
    ['--labels nonsense', 'has no label `nonsense`. It has: `bug`'],
    ['--milestone 9.9', 'has no milestone “9.9”. Open milestones: 1.0'],
    ['--assignees stranger', 'stranger cannot be assigned in acme/engine'],
  ])('refuses %s before anything is sent', async (flags, sentence) => {
    expect((await type('ada', `issue create A title ${flags}`)).text).toContain(sentence);
    expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues')).toEqual([]);
  });

  it('needs a repository if the channel has none', async () => {
    expect(words(await opens('ada', 'issue create A title', 'general'))).toContain('Repository');
  });
});

describe('issue search and show', () => {
  it('finds by words, and pages without losing a row', async () => {
    for (let at = 1; at <= 12; at += 1) open(`Needle ${at}`);
    const first = await type('ada', 'issue search needle');
    expect(first.text).toContain('12');
    expect(words(first)).toContain('1–10 of 12');
    const second = await turn('ada', first, 'Show more');
    expect(words(second)).toContain('11–12 of 12');
    const rows = [...`${words(first)}${words(second)}`.matchAll(/Needle (\d+)/g)].map((found) => found[1]);
    expect(new Set(rows).size).toBe(12);
  });

  it('narrows to one repository and passes filters on', async () => {
    const answer = await type('ada', 'issue search --repo acme/website --labels bug --state all --type issues');
    // the poll of her inbox searches too
    const searches = bellows.forge.requests.of('GET /repos/issues/search').filter(({ query }) => !query['since']);
    expect(searches.at(-1)?.query).toMatchObject({
      owner: 'acme',
      labels: 'bug',
      state: 'all',
      type: 'issues',
    });
    expect(words(answer)).toContain('acme/website/issues/5');
    expect(words(answer)).not.toContain('acme/engine/issues');
  });

  it('says when nothing open is found, and searches all with a button', async () => {
    const index = open('Zebra crossing');
    bellows.forge.world.close({ as: 'ada', repo: 'acme/engine', index });
    const answer = await type('ada', 'issue search zebra');
    expect(answer.text).toBe('No open results.');
    expect(words(await click('ada', answer, 'Include closed'))).toContain('Zebra crossing');
    expect((await type('ada', 'issue search xyzzy --state all')).text).toBe('No results.');
  });

  it('says which ones were counted', async () => {
    open('Giraffe house');
    expect((await type('ada', 'issue search giraffe')).text).toContain('open result');
    expect((await type('ada', 'issue search giraffe --state all')).text).not.toContain('open');
  });

  it('says that a repository does not exist, instead of finding nothing in it', async () => {
    expect((await type('ada', 'issue search --repo acme/nosuch')).text).toContain('I can’t find acme/nosuch');
    expect((await type('ada', 'issue search xyzzy --repo acme/engine')).text).toBe('No open results.');
  });

  it('shows text, blocks and the latest comments', async () => {
    const [first, second] = [open('Dig'), open('Fill', { body: 'With *gravel*.' })];
    bellows.forge.world.dependOn({ as: 'ada', repo: 'acme/engine', index: second, by: first });
    bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: second, body: 'Nearly there <!channel>' });
    const shown = words(await type('ada', `issue show #${second}`));
    expect(shown).toContain('gravel');
    expect(shown).toContain('Blocked by');
    expect(shown).toContain('Nearly there &lt;!channel&gt;');
  });
});

it('shows unusual titles in notifications unchanged, escaped once', async () => {
  const index = open('Fix <b> & more');
  const text = `#${index} Fix &lt;b&gt; &amp; more`;
  expect((await type('ada', `issue show #${index}`)).text).toContain(text);
  expect((await type('ada', `issue search "Fix <b>"`)).text).toBe('1 open result');
});

describe('issue assign and due', () => {
  it('replaces the assignees, and undoes that', async () => {
    const index = open('Somebody must', { assignees: ['grace'] });
    const answer = await type('ada', `issue assign #${index} me, margaret`);
    expect(last(edits)?.body).toMatchObject({ assignees: ['ada', 'margaret'] });
    expect(words(answer)).toContain('assigned to ada, margaret');
    await click('ada', answer, 'Undo');
    expect(issue(index)?.assignees.map(({ login }) => login)).toEqual(['grace']);
  });

  it('removes everyone, and says when there is nothing to do', async () => {
    const index = open('Nobody must', { assignees: ['grace'] });
    await type('ada', `issue assign #${index} nobody`);
    expect(last(edits)?.body).toMatchObject({ assignees: [] });
    expect((await type('ada', `issue assign #${index} nobody`)).text).toContain('No changes');
  });

  it('shows the current ones in its form', async () => {
    const index = open('Form of assigning', { assignees: ['grace'] });
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', `issue assign #${index}`);
    expect(words(await form('ada'))).toContain('"value":"grace"');
    await ada.close();
  });

  it('refuses a stranger before anything is sent', async () => {
    const index = open('For a stranger');
    expect((await type('ada', `issue assign #${index} stranger`)).text).toContain('Those who can: ada');
    expect(bellows.forge.requests.of(edits)).toEqual([]);
  });

  it('sets a due date, and clears it', async () => {
    const index = open('In time');
    const set = await type('ada', `issue due #${index} 2027-02-01`);
    expect(last(edits)?.body).toMatchObject({ due_date: '2027-02-01T23:59:59Z' });
    expect(words(set)).toContain('due 2027-02-01');
    await type('ada', `issue due #${index} none`);
    expect(last(edits)?.body).toMatchObject({ unset_due_date: true });
  });

  it('reports what the forge silently ignored', async () => {
    const { world } = bellows.forge;
    const index = world.openIssue({ as: 'ada', repo: 'linus/notes', title: 'A guest’s wish' }).index;
    world.setCollaborator({ repo: 'linus/notes', login: 'ada', level: 'read' });
    const user = world.user('ada');
    if (user) user.admin = false;
    const answer = await type('ada', `issue due linus/notes#${index} 2027-02-01`);
    if (user) user.admin = true;
    expect(answer.text).toContain('did not save due date');
  });
});

describe('issue comment', () => {
  it('writes what is typed, over several lines', async () => {
    const index = open('Talk');
    const answer = await type('ada', `issue comment #${index} One\nTwo & <three>`);
    expect(last('POST /repos/{owner}/{repo}/issues/{index}/comments')?.body).toEqual({ body: 'One\nTwo & <three>' });
    expect(words(answer)).toContain('#issuecomment-');
  });

  it('mentions linked people by their forge login', async () => {
    const index = open('Mentions');
    await bellows.link('alan', 'linus');
    await type('ada', `issue comment #${index} over to @alan and @grace`);
    expect(last('POST /repos/{owner}/{repo}/issues/{index}/comments')?.body).toEqual({
      body: 'over to @linus and @grace',
    });
  });

  it('is found by a reference in two words, and takes flags in its text as text', async () => {
    const index = open('Two words');
    await type('ada', `issue comment acme/engine #${index} never --force it`);
    expect(last('POST /repos/{owner}/{repo}/issues/{index}/comments')).toMatchObject({
      path: `/repos/acme/engine/issues/${index}/comments`,
      body: { body: 'never --force it' },
    });
  });

  it('refuses a number that does not exist, instead of a 500', async () => {
    expect((await type('ada', 'comment #4711 Hello')).text).toContain('I can’t find issue #4711');
    expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/comments')).toEqual([]);
  });
});

it('comments from a message, quoted with its permalink', async () => {
  const index = open('Discussed in Slack');
  const ada = bellows.slack.as('ada');
  const said = await ada.post('engine', 'It drips\nfrom above');
  await ada.messageShortcut('comment_on_item', said);
  await form('ada');
  await ada.fill({ issue: `acme/engine#${index}` });
  await ada.submit();
  await expect
    .poll(() => last('POST /repos/{owner}/{repo}/issues/{index}/comments')?.body)
    .toEqual({
      body: expect.stringMatching(/^> It drips\n> from above\n\n\[ada on Slack\]\(https?:\/\/[^)]+\)$/),
    });
});

it('opens an issue from a message, and links it in the thread for everyone', async () => {
  const ada = bellows.slack.as('ada');
  const said = await bellows.slack.as('grace').post('engine', 'Valve sticks <when cold>\nSince Monday');
  await ada.messageShortcut('create_issue', said);
  await form('ada');
  await ada.fill({ repository: 'acme/engine' });
  await ada.submit();
  const linked = await bellows.slack.until(() =>
    bellows.slack
      .as('alan')
      .sees('engine')
      .find(({ threadTs }) => threadTs === said.ts),
  );
  expect(words(linked)).toContain('Valve sticks');
  expect(last('POST /repos/{owner}/{repo}/issues')?.body).toMatchObject({
    title: 'Valve sticks <when cold>',
    body: expect.stringMatching(/^> Valve sticks <when cold>\n> Since Monday\n\n\[grace on Slack\]/),
  });
});

describe('issue block and unblock', () => {
  it('blocks once, says so the second time, and refuses a cycle', async () => {
    const [a, b] = [open('A'), open('B')];
    expect((await type('ada', `issue block #${a} #${b}`)).text).toContain('now blocks');
    expect(last('POST /repos/{owner}/{repo}/issues/{index}/blocks')).toMatchObject({
      path: `/repos/acme/engine/issues/${a}/blocks`,
      body: { owner: 'acme', repo: 'engine', index: b },
    });
    expect((await type('ada', `issue block #${a} #${b}`)).text).toContain('already');
    expect((await type('ada', `issue block #${b} #${a}`)).text).toContain('already blocks');
    expect((await type('ada', `issue block #${a} #${a}`)).text).toContain('cannot block itself');
    expect(bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/blocks')).toHaveLength(1);
  });

  it('removes a block, with undo, and says when there is none', async () => {
    const [a, b] = [open('C'), open('D')];
    bellows.forge.world.dependOn({ as: 'ada', repo: 'acme/engine', index: b, by: a });
    const answer = await type('ada', `issue unblock #${a} #${b}`);
    expect((await type('ada', `issue unblock #${a} #${b}`)).text).toContain('does not block');
    expect((await click('ada', answer, 'Undo')).text).toContain('blocks acme/engine');
  });
});

it('says that blocking needs a permission, if both issues are visible', async () => {
  await bellows.link('alan', 'linus');
  const [a, b] = [open('Seen by a guest'), open('Also seen by a guest')];
  const answer = await type('alan', `issue block acme/engine#${a} acme/engine#${b}`);
  expect(answer.text).toContain('You don’t have permission to mark the issue as blocking.');
  expect(words(answer)).toContain('You need write access to issues in acme/engine');
});

describe('issue log-time', () => {
  it('logs seconds', async () => {
    const index = open('Long work');
    expect((await type('ada', `issue log-time #${index} 1h30m`)).text).toContain('1h30m');
    expect(last('POST /repos/{owner}/{repo}/issues/{index}/times')?.body).toEqual({ time: 5400 });
  });

  it('says at the field what is not a duration', async () => {
    const index = open('Odd work');
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', `issue log-time #${index}`);
    await form('ada');
    await ada.fill({ time: 'a while' });
    expect(Object.values((await ada.submit()).errors)[0]).toContain('Write 1h30m');
    await ada.close();
  });
});

it('shows with --dry-run what would be sent, and sends nothing', async () => {
  const index = open('Previewed');
  const shown = words(await type('ada', `issue close #${index} --dry-run`));
  expect(shown).toContain(`PATCH /repos/acme/engine/issues/${index}`);
  expect(issue(index)?.state).toBe('open');
});

it('says that a locked issue takes no comment, not that a scope is missing', async () => {
  const index = open('Heated');
  bellows.forge.world.lock({ as: 'ada', repo: 'acme/engine', index });
  await bellows.link('alan', 'linus');
  const shown = words(await type('alan', `issue comment acme/engine#${index} One more thing`));
  expect(shown).toContain(`acme/engine#${index} is locked: only people with write access can comment.`);
  expect(shown).not.toContain('scope');
  expect((await type('ada', `issue comment acme/engine#${index} Enough`)).text).toContain('Commented on');
});
