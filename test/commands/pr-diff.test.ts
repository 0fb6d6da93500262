import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readDiff } from '../../src/forge/diff.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { servers } from '../support/servers.js';
import { talkTo, words } from './talk.js';

const reviews = 'POST /repos/{owner}/{repo}/pulls/{index}/reviews';
const repo = 'acme/engine';
let bellows: Bellows;
const { type, form, result } = talkTo(() => bellows);
const world = () => bellows.forge.world;
const sent = () => bellows.forge.requests.of(reviews).map(({ body }) => body);

const numbered = (upTo: number) => Array.from({ length: upTo }, (_, at) => `const n${at + 1} = ${at + 1};\n`).join('');
let branches = 0;

/** A pull request of grace that writes these files. */
function open(texts: Readonly<Record<string, string>>, as = 'grace') {
  branches += 1;
  const branch = `diff-${branches}`;
  world().push({ as, repo, branch, commits: [{ message: 'Change', texts }] });
  const { index } = world().openPull({ as, repo, title: `Belt ${branches}`, head: branch });
  const push = (more: Readonly<Record<string, string>>) =>
    world().push({ as, repo, branch, commits: [{ message: 'Tighten the belt', texts: more }] })[0]?.sha ?? '';
  const head = () => [...world().state.repos.values()].find(({ name }) => name === 'engine')?.branches.get(branch);
  return { index, name: `${repo}#${index}`, push, head };
}

async function review(name: string, user = 'ada') {
  await bellows.slack.as(user).command('engine', '/forge', `pr diff ${name}`);
  return form(user);
}

const submit = async (values: Record<string, string>, user = 'ada') => {
  await bellows.slack.as(user).fill(values);
  return bellows.slack.as(user).submit();
};

/** People, and a file to change. */
async function settle(): Promise<void> {
  await bellows.link('ada');
  await bellows.link('grace');
  const commits = [{ message: 'Lines', texts: { 'src/pump.ts': numbered(12) } }];
  world().push({ as: 'ada', repo, branch: 'main', commits });
}

describe.each(servers)('reviewing with the diff, on %s', (flavor) => {
  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor } });
    await settle();
  });
  afterAll(() => bellows.close());
  beforeEach(() => bellows.forge.requests.clear());

  it('shows files, sizes and numbered lines, and submits one review of that head', async () => {
    const { name, head } = open({
      'src/pump.ts': numbered(12).replace('const n6 = 6;\n', 'const n6 = 0;\nconst extra = 1;\n'),
      'docs/pump.md': 'All <about> & pumps\n',
      'logo.png': 'PNG\u0000',
      'package-lock.json': '{}\n',
      '.env': 'TOKEN=abcdef\n',
      'deploy/notes.txt': '-----BEGIN PRIVATE KEY-----\nabc\n',
    });
    const shown = words(await review(name));
    for (const part of [
      '`src/pump.ts` · +2 −1',
      '- 6  const n6 = 6;\\n+ 6  const n6 = 0;\\n+ 7  const extra = 1;\\n  8  const n7 = 7;',
      '`docs/pump.md` · new · +1 −0',
      '+1  All <about> & pumps',
      '`logo.png` · new · binary',
      '`package-lock.json` · new · +1 −0 · generated, not shown',
      '`.env` · new · +1 −0 · may contain secrets, not shown',
      '`deploy/notes.txt` · new · +2 −0 · may contain secrets, not shown',
      '6 files',
    ])
      expect(shown).toContain(part);
    expect(shown).not.toMatch(/abcdef|BEGIN PRIVATE/);
    await submit({
      verdict: 'Request changes',
      body: 'Two things.',
      lines: 'pump.ts:7 Why?\nsrc/pump.ts:-6 Keep this.',
    });
    expect(words(await result('ada', 'Requested changes on'))).toContain('2 line comments');
    expect(sent()).toEqual([
      {
        event: 'REQUEST_CHANGES',
        body: 'Two things.',
        commit_id: head(),
        comments: [
          { path: 'src/pump.ts', body: 'Why?', new_position: 7 },
          { path: 'src/pump.ts', body: 'Keep this.', old_position: 6 },
        ],
      },
    ]);
  });

  it('sends nothing if the head moved, and the form says what is new', async () => {
    const { name, push, head } = open({ 'src/pump.ts': `${numbered(12)}const last = 1;\n` });
    await review(name);
    push({ 'src/pump.ts': `${numbered(12)}const last = 2;\n` });
    await submit({ verdict: 'Approve', lines: '13 Why one?' });
    const again = words(await result('ada', 'New commits'));
    expect(again).toMatch(/has new commits: you saw .* Nothing was changed/);
    expect(again).toContain('Tighten the belt by grace');
    expect(again).toContain('+13  const last = 2;');
    expect(again).toContain('13 Why one?');
    expect(sent()).toEqual([]);
    await bellows.slack.as('ada').submit();
    await result('ada', 'Approved');
    expect(sent()).toMatchObject([{ event: 'APPROVED', commit_id: head(), comments: [{ new_position: 13 }] }]);
  });

  it('comments on one’s own, without a word beside the lines', async () => {
    const { name } = open({ 'src/own.ts': 'one\n' }, 'ada');
    await review(name);
    await submit({ verdict: 'Comment', lines: '1 Note to self' });
    expect(words(await result('ada', 'Commented on'))).toContain('1 line comment');
    expect(sent()).toMatchObject([{ event: 'COMMENT', comments: [{ path: 'src/own.ts' }] }]);
  });
});

describe('reviewing with the diff', () => {
  beforeAll(async () => {
    bellows = await startBellows({
      slack: { seed: { users: ['ada', 'grace'].map((name) => ({ id: `U0${name.toUpperCase()}`, name })) } },
      policy: [
        'roles: { admin: { users: [U0ADA] } }',
        'reviews:',
        '  - { repository: acme/website, diff: false }',
        'approvals:',
        '  rules:',
        '    - { command: pr approve, repository: acme/engine }',
        '',
      ].join('\n'),
    });
    await settle();
  });
  afterAll(() => bellows.close());
  beforeEach(() => bellows.forge.requests.clear());

  it('shows a large one file by file, and keeps what was typed', async () => {
    const { name } = open({
      '.env': 'A=1\n',
      'a.ts': numbered(300),
      'b.ts': numbered(300),
      'c.ts': 'end\n',
    });
    const first = words(await review(name));
    expect(first).toContain('▸ *a.ts*');
    expect(first).toContain('`b.ts` · new · +300 −0');
    expect(first).not.toContain('`a.ts` · new · +300 −0 · shown');
    const ada = bellows.slack.as('ada');
    await ada.fill({ lines: 'a.ts:3 First' });
    for (const [file, line] of [
      ['b.ts', '+300  const n300 = 300;'],
      ['c.ts', '+1  end'],
      ['a.ts', '+  3  const n3 = 3;'],
    ] as const) {
      const view = ada.openView();
      if (view) await ada.click(view, 'Next file');
      const shown = words(await result('ada', `▸ *${file}*`));
      expect(shown).toContain(line);
      expect(shown).toContain('a.ts:3 First');
    }
    await submit({ verdict: 'Comment' });
    await result('ada', 'Commented on');
    expect(sent()).toMatchObject([{ comments: [{ path: 'a.ts', new_position: 3 }] }]);
  });

  it('says how many lines of one file are left, and stays within what a form holds', async () => {
    const { name } = open({ 'wide.ts': `${'x'.repeat(400)}\n`.repeat(900) });
    const shown = words(await review(name));
    expect(shown).toMatch(/\d+ more lines: <[^>]*\/files\|see all of it in your browser>/);
    expect(shown).toContain('"lines');
    await bellows.slack.as('ada').close();
  });

  it('is not stopped by a diff made for that', async () => {
    const { name } = open({ 'a.ts': 'x\n'.repeat(150_000), 'b.ts': `${'Code generated '.repeat(30_000)}\n` });
    const shown = words(await review(name));
    expect(shown).toContain('▸ *a.ts* · shown below');
    expect(shown).toContain('149600 more lines');
    await bellows.slack.as('ada').close();
  });

  it.each([
    ['nosuch.ts:1 Why?', 'nosuch.ts is not one of the changed files'],
    ['pump.ts:1 Why?', 'More than one changed file is called pump.ts'],
    ['1 Why?', 'Name the file before the line number'],
    ['src/pump.ts:99 Why?', 'Line 99 of src/pump.ts is not in the diff'],
    ['src/pump.ts:-13 Why?', 'Line -13 of src/pump.ts is not in the diff'],
    ['Why is this?', 'I can’t read “Why is this?”'],
  ])('refuses %s and keeps the form', async (lines, says) => {
    const { name } = open({ 'src/pump.ts': `${numbered(12)}more\n`, 'old/pump.ts': 'x\n' });
    await review(name);
    await submit({ verdict: 'Comment', lines });
    expect(words(await result('ada', says))).toContain(lines);
    expect(sent()).toEqual([]);
    await bellows.slack.as('ada').close();
  });

  it('asks for the words that are missing, also in a form that was drawn again', async () => {
    const { name } = open({ 'a.ts': numbered(300), 'b.ts': numbered(300) });
    await review(name);
    const refused = await submit({ verdict: 'Request changes' });
    expect(JSON.stringify(refused)).toContain('Say what needs to change.');
    const ada = bellows.slack.as('ada');
    const view = ada.openView();
    if (view) await ada.click(view, 'Next file');
    await result('ada', '▸ *b.ts*');
    expect(JSON.stringify(await submit({ verdict: 'Comment' }))).toContain('Write a comment.');
    await ada.close();
  });

  it('reads no diff and sends nothing where bellows.yaml keeps the code out of Slack', async () => {
    await bellows.slack.as('ada').command('engine', '/forge', 'pr diff acme/website#3');
    await result('ada', 'Diffs of acme/website are not shown in Slack');
    expect((await type('ada', 'pr diff acme/website#3 comment Hm')).text).toContain('are not shown in Slack');
    expect(bellows.forge.requests.all.filter(({ path }) => path.includes('.diff'))).toEqual([]);
    expect(sent()).toEqual([]);
  });

  it('needs what pr approve needs, and is bound to the head all the same', async () => {
    const { name, head } = open({ 'a.ts': 'a\n' });
    expect((await type('ada', `pr diff ${name} approve`)).text).toContain('approv');
    expect(sent()).toEqual([]);
    const dry = words(await type('ada', `pr diff ${name} comment Hm --dry-run`));
    expect(dry).toContain(head());
    expect(sent()).toEqual([]);
    await type('ada', `pr diff ${name} comment Hm`);
    expect(sent()).toMatchObject([{ event: 'COMMENT', commit_id: head() }]);
  });

  it('refuses one that is merged or an issue, with one sentence', async () => {
    const { index, name } = open({ 'a.ts': 'a\n' });
    world().merge({ as: 'ada', repo, index });
    await bellows.slack.as('ada').command('engine', '/forge', `pr diff ${name}`);
    await result('ada', 'is already merged: it cannot be reviewed');
  });

  it('shows the diff of the pull request that is chosen in the form', async () => {
    const { name } = open({ 'a.ts': 'chosen\n' });
    const ada = bellows.slack.as('ada');
    await type('ada', `repo use ${repo}`);
    await ada.command('engine', '/forge', 'pr diff');
    await form('ada');
    await ada.fill({ pull: name });
    expect(words(await result('ada', '+1  chosen'))).toContain('"lines');
    await submit({ body: 'Fine' });
    await result('ada', 'Commented on');
    expect(sent()).toMatchObject([{ event: 'COMMENT', body: 'Fine' }]);
  });

  it('says in one sentence that a diff is too large', async () => {
    const { name } = open({ 'huge.ts': `${'x'.repeat(1_000)}\n`.repeat(2_200) });
    await bellows.slack.as('ada').command('engine', '/forge', `pr diff ${name}`);
    await result('ada', 'is too large to show here. Review it in your browser.');
    expect((await type('ada', `pr diff ${name} --lines "1 Why?"`)).text).toContain('is too large to show here');
    expect(sent()).toEqual([]);
  });

  it('sends no lines along with an unfinished review', async () => {
    const { index, name } = open({ 'a.ts': 'a\n' });
    world().review({ as: 'ada', repo, index, verdict: 'draft', comments: ['Later'] });
    await review(name);
    await submit({ verdict: 'Comment', lines: '1 Now' });
    expect(words(await result('ada', 'unfinished review'))).toContain('Finish or discard that review');
    expect(sent()).toEqual([]);
  });

  it('opens from a card, at the commit the card shows', async () => {
    const { name, push } = open({ 'a.ts': 'a\n' });
    const card = await type('grace', `pr show ${name}`);
    expect(words(card)).not.toContain('"Review"');
    const theirs = await type('ada', `pr show ${name}`);
    push({ 'a.ts': 'b\n' });
    await bellows.slack.as('ada').click(theirs, 'Review');
    expect(words(await form('ada'))).toContain('Tighten the belt by grace');
  });

  it('records who reviewed what', async () => {
    const { name } = open({ 'a.ts': 'a\n' });
    await type('ada', `pr diff ${name} comment Recorded`);
    const rows = async () => words(await type('ada', 'audit pr diff --outcome done'));
    await expect.poll(rows).toContain(name);
  });
});

/** As Gitea 1.26, 1.28 and Forgejo 11, 15 wrote it. */
const recorded = [
  'diff --git a/empty.txt b/empty.txt',
  'new file mode 100644',
  'index 0000000..e69de29',
  'diff --git a/gone.txt b/gone.txt',
  'deleted file mode 100644',
  'index 286c5f5..0000000',
  '--- a/gone.txt',
  '+++ /dev/null',
  '@@ -1 +0,0 @@',
  '-gone',
  'diff --git a/logo.png b/logo.png',
  'index e57fd5b..c93ff56 100644',
  'Binary files a/logo.png and b/logo.png differ',
  'diff --git a/nonl.txt b/nonl.txt',
  'new file mode 100644',
  'index 0000000..20cbb4d',
  '--- /dev/null',
  '+++ b/nonl.txt',
  '@@ -0,0 +1 @@',
  '+no newline',
  '\\ No newline at end of file',
  'diff --git a/run.sh b/run.sh',
  'old mode 100644',
  'new mode 100755',
  'diff --git a/src/app.ts b/src/app.ts',
  'index 203c68d..0c5151d 100644',
  '--- a/src/app.ts',
  '+++ b/src/app.ts',
  '@@ -1,2 +1,2 @@',
  ' const a2 = 2',
  '-const a3 = 3',
  '+const a3 = 6',
  '@@ -38,2 +38,2 @@ const a36 = 36',
  '--- a/looks like a header',
  '+++ b/looks like one too',
  ' const a41 = 41',
  'diff --git a/src/old name.ts b/src/new name.ts',
  'similarity index 100%',
  'rename from src/old name.ts',
  'rename to src/new name.ts',
  'diff --git "a/tab\\there.txt" "b/tab\\there.txt"',
  'index 8be8316..b66b116 100644',
  '--- "a/tab\\there.txt"',
  '+++ "b/tab\\there.txt"',
  '@@ -1 +1 @@',
  '-\u00e4',
  '+\u00e4\u00e4',
  '',
].join('\n');

it('reads a diff as real servers write it', () => {
  const files = readDiff(recorded).map(({ path, from, status, binary, hunks }) => [
    [path, from, status, binary],
    hunks.flat().map(({ sign, line }) => `${sign}${line}`),
  ]);
  expect(files).toEqual([
    [['empty.txt', undefined, 'new', false], []],
    [['gone.txt', undefined, 'deleted', false], ['-1']],
    [['logo.png', undefined, undefined, true], []],
    [['nonl.txt', undefined, 'new', false], ['+1']],
    [['run.sh', undefined, undefined, false], []],
    [
      ['src/app.ts', undefined, undefined, false],
      [' 1', '-2', '+2', '-38', '+38', ' 39'],
    ],
    [['src/new name.ts', 'src/old name.ts', undefined, false], []],
    [
      ['tab\there.txt', undefined, undefined, false],
      ['-1', '+1'],
    ],
  ]);
});
