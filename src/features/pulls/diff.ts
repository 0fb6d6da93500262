import { pageButton } from '../../chat/actions.js';
import { command, type Questions } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { body, choice, flag, hidden, number, optional, pull } from '../../chat/fields.js';
import { presentName } from '../../chat/present-name.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { reviewSettings } from '../../config/file.js';
import { UserError } from '../../errors.js';
import { type DiffRow, type FileDiff, readDiff } from '../../forge/diff.js';
import { ifAnswered } from '../../forge/possible.js';
import type { PullRequest } from '../../forge/schemas.js';
import { actions, list as asList, type Blocks, preformat, context as quiet, section } from '../../view/blocks.js';
import { linkButton } from '../../view/elements.js';
import { count } from '../../view/look.js';
import { bold, clip, code, entities, join, link, type Mrkdwn, md } from '../../view/text.js';
import { holdsKey, usuallySecret } from '../secret-files.js';
import { head, readPull, refuseClosed, short } from './read.js';
import { findVerdict, giveVerdict, type LineComment, planVerdict, verdictReply } from './verdict.js';

const generated =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|composer\.lock|Gemfile\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|go\.sum|flake\.lock|node_modules\/.*|vendor\/.*)$|\.(?:min\.(?:js|css)|map|pb\.go|snap)$|_pb2\.py$/;
const saysGenerated = /\bCode generated .* DO NOT EDIT\b|@generated\b/;

/** Why its lines are not shown; undefined if they are. */
function unshown(file: FileDiff): string | undefined {
  if (file.binary) return 'binary';
  const { hunks } = file;
  const names = [file.path, ...(file.from === undefined ? [] : [file.from])];
  if (
    names.some((name) => usuallySecret(name.split('/'))) ||
    hunks.some((rows) => rows.some(({ text }) => holdsKey(text)))
  )
    return 'may contain secrets, not shown';
  if (
    generated.test(file.path) ||
    hunks[0]?.slice(0, 20).some(({ text }) => saysGenerated.test(text.slice(0, limits.line)))
  )
    return 'generated, not shown';
  return hunks.length === 0 && file.status === undefined && file.from === undefined
    ? 'only its mode changed'
    : undefined;
}

const nameFile = (path: string) => code(clip(path, 200));

const title = (file: FileDiff): Mrkdwn => {
  const { added, removed } = file;
  return join([
    file.from === undefined ? nameFile(file.path) : md`${nameFile(file.from)} → ${nameFile(file.path)}`,
    file.status,
    added + removed > 0 ? `+${added} −${removed}` : undefined,
    unshown(file),
  ]);
};

/** Of a modal with room for the fields: all lines up to here at once, else file by file. */
const limits = { lines: 400, characters: 30_000, files: 30, line: 300, block: 2_800 };

/** Each line with the number to comment on it, as many as are shown: `-12` was line 12 before. */
function rowsOf({ hunks }: FileDiff): string[] {
  const width = String(hunks.at(-1)?.at(-1)?.line ?? 0).length;
  const drawn: string[] = [];
  for (const rows of hunks) {
    if (drawn.length > 0) drawn.push('⋯');
    for (const { sign, line, text } of rows) {
      if (drawn.length >= limits.lines) return drawn;
      const head = text.slice(0, 4 * limits.line).replaceAll('\t', '    ');
      drawn.push(clip(`${sign}${String(line).padStart(width)}  ${head}`.trimEnd(), limits.line));
    }
  }
  return drawn;
}

const linesIn = ({ hunks }: FileDiff) => hunks.reduce((sum, rows) => sum + rows.length, 0);

/** As many code blocks as it takes. */
function codeBlocks(rows: readonly string[]): Blocks {
  const pieces: string[] = [];
  for (const row of rows) {
    const together = pieces.length === 0 ? row : `${pieces.at(-1)}\n${row}`;
    if (pieces.length > 0 && entities(together).length <= limits.block) pieces[pieces.length - 1] = together;
    else pieces.push(row);
  }
  return pieces.map(preformat);
}

function fitting(rows: readonly string[]): string[] {
  let left = limits.characters;
  return rows.filter((row) => {
    left -= entities(row).length + 1;
    return left > 0;
  });
}

const hasLines = (file: FileDiff) => file.hunks.length > 0 && unshown(file) === undefined;

function fileBlocks(file: FileDiff, page: string): Blocks {
  const rows = hasLines(file) ? rowsOf(file) : [];
  const shown = fitting(rows);
  const rest = rows.length === 0 ? 0 : linesIn(file) - shown.filter((row) => row !== '⋯').length;
  return [
    section(title(file)),
    ...codeBlocks(shown),
    rest > 0 ? quiet([md`${count(rest, 'more line')}: ${link(page, 'see all of it in your browser')}`]) : undefined,
  ];
}

/** Everything if it is small; otherwise the names, and one file at a time. */
function filesBlocks(files: readonly FileDiff[], at: number, page: string): Blocks {
  const readable = files.filter(hasLines);
  const isSmall = readable.reduce((sum, file) => sum + linesIn(file), 0) <= limits.lines;
  const rows = isSmall ? readable.flatMap(rowsOf) : [];
  if (isSmall && files.length <= limits.files && fitting(rows).length === rows.length)
    return files.flatMap((file) => fileBlocks(file, page));
  const shown = readable[at] ?? readable[0];
  const next = shown ? (readable.indexOf(shown) + 1) % readable.length : 0;
  const names = files
    .slice(0, limits.files)
    .map((file) => (file === shown ? md`▸ ${bold(file.path)} · shown below` : title(file)));
  const more = files.length - names.length;
  return [
    ...asList(names),
    more > 0 ? quiet([`and ${count(more, 'more file')}`]) : undefined,
    ...(shown ? fileBlocks(shown, page) : []),
    actions(readable.length > 1 ? pageButton('Next file', { file: next }) : undefined, linkButton('View files', page)),
  ];
}

/** bellows.yaml may keep a repository's code out of Slack. */
async function refuseUnshown(ref: ItemRef, context: Context): Promise<void> {
  if (context.policy.reviews.length === 0) return;
  const name = fullName(await presentName(ref, context));
  const found = reviewSettings(context.policy.reviews, name);
  if (found?.diff === false)
    throw new UserError(`Diffs of ${name} are not shown in Slack. Review ${refOf(ref)} in your browser.`);
}

async function filesOf(ref: ItemRef, { api }: Context): Promise<FileDiff[]> {
  const { text, whole } = await api.pulls.diff({ ...ref, diffType: 'diff' });
  if (whole) return readDiff(text);
  throw new UserError(`The diff of ${refOf(ref)} is too large to show here. Review it in your browser.`);
}

const mostNew = 5;

/** What came after the commit that was seen. */
async function newSince({ owner, repo }: ItemRef, seen: string, now: string, { api }: Context): Promise<Blocks> {
  const query = { sha: now, not: seen, limit: mostNew + 1, stat: false, verification: false, files: false };
  const found = await ifAnswered(api.repos.listCommits({ owner, repo, query }));
  const commits = found?.items ?? [];
  const rows = commits.slice(0, mostNew).map(({ sha, html_url: page, commit, author }) => {
    const [subject = ''] = (commit?.message ?? '').split('\n');
    return md`• ${link(page, short(sha))} ${subject} by ${author?.login ?? commit?.author?.name ?? 'unknown'}`;
  });
  return [
    section(md`🆕 New commits since ${code(short(seen))}${rows.length > 0 ? ':' : '.'}`),
    ...asList(rows),
    commits.length > mostNew ? quiet(['and more']) : undefined,
  ];
}

interface ReviewForm {
  readonly pull: ItemRef;
  readonly verdict?: 'approve' | 'request-changes' | 'comment' | undefined;
  readonly body?: string | undefined;
  readonly lines?: string | undefined;
  readonly head?: string | undefined;
  readonly file?: number | undefined;
}

const about = (pull: PullRequest, files: readonly FileDiff[]): Blocks => {
  const total = (count: (file: FileDiff) => number) => files.reduce((sum, file) => sum + count(file), 0);
  return [
    section(bold(link(pull.html_url, `#${pull.number} ${pull.title}`))),
    quiet([
      `by ${pull.user?.login}`,
      md`${code(pull.base?.ref ?? '')} ← ${code(pull.head?.label || pull.head?.ref || '')}`,
      `+${total(({ added }) => added)} −${total(({ removed }) => removed)}`,
      count(files.length, 'file'),
      pull.head?.sha ? md`at ${code(short(pull.head.sha))}` : undefined,
    ]),
  ];
};

/** The pull request before its diff: a push in between is then refused as unseen, never taken as seen. */
async function showDiff(
  { pull: ref, head: seen, file = 0 }: Partial<ReviewForm>,
  context: Context,
): Promise<Questions> {
  if (!ref) return {};
  await refuseUnshown(ref, context);
  const found = await readPull(ref, context);
  refuseClosed(ref, found, 'it cannot be reviewed');
  const now = found.head?.sha ?? '';
  const files = await filesOf(ref, context);
  const moved = seen !== undefined && !now.startsWith(seen) ? await newSince(ref, seen, now, context) : [];
  return {
    asked: [],
    values: { head: now },
    notice: [...about(found, files), ...moved, ...filesBlocks(files, file, `${found.html_url}/files`)],
  };
}

const mostComments = 50;
const lineComment = /^(?:(.+?):)?L?(-?)(\d{1,7})[\s:]+(.+)$/;

function fileNamed(name: string | undefined, files: readonly FileDiff[]): FileDiff {
  const fits = files.filter(({ path }) => name === undefined || path === name || path.endsWith(`/${name}`));
  const [found, another] = fits.filter(({ path }) => path === name).concat(fits);
  if (found && (found.path === name || fits.length === 1)) return found;
  if (name === undefined) throw new UserError('Name the file before the line number, for example src/pump.ts:12.');
  if (another) throw new UserError(`More than one changed file is called ${name}. Write the whole path.`);
  throw new UserError(`${name} is not one of the changed files.`);
}

/** The forge looks at neither file nor line, so they are looked up in the diff. */
function readLines(text: string, files: readonly FileDiff[]): LineComment[] {
  const typed = text.split('\n').filter((line) => line.trim() !== '');
  if (typed.length > mostComments)
    throw new UserError(`A review takes at most ${mostComments} comments on lines here.`);
  return typed.map((each) => {
    const [, name, minus, digits, said] = lineComment.exec(each.trim()) ?? [];
    if (said === undefined)
      throw new UserError(
        `I can’t read “${clip(each.trim(), 60)}”. Start each line with file and line number, for example src/pump.ts:12 Why?`,
      );
    const file = fileNamed(name?.trim(), files);
    const line = Number(digits);
    const isMeant = (row: DiffRow) => row.line === line && (row.sign === '-') === (minus === '-');
    if (!file.hunks.flat().some(isMeant))
      throw new UserError(`Line ${minus}${line} of ${file.path} is not in the diff. Use a number that is shown.`);
    const at = minus === '-' ? { old_position: line } : { new_position: line };
    return { path: file.path, body: said, ...at };
  });
}

const usual = 'comment';
const events = { approve: 'APPROVED', 'request-changes': 'REQUEST_CHANGES', comment: 'COMMENT' } as const;

function refuseEmpty({ verdict = usual, body, lines }: Partial<Record<keyof ReviewForm, unknown>>): void {
  if (verdict === 'request-changes' && !body) throw new UserError('Say what needs to change.', { field: 'body' });
  if (verdict === usual && !body && !lines) throw new UserError('Write a comment.', { field: 'body' });
}

/** The lines first: the head is compared right before sending. */
async function verdictOf(asked: ReviewForm, context: Context) {
  const { pull: ref, verdict = usual, body, lines, head: seen } = asked;
  refuseEmpty(asked);
  await refuseUnshown(ref, context);
  const comments = lines === undefined ? undefined : readLines(lines, await filesOf(ref, context));
  return { event: events[verdict], ref, body, seen, comments };
}

export const prDiff = command({
  name: 'pr diff',
  aliases: ['diff'],
  title: 'Review pull request',
  summary: 'Read a pull request’s diff and review it',
  examples: ['pr diff acme/engine#5', 'pr diff #5', 'pr diff #5 --lines "src/pump.ts:12 Why not zero?"'],
  fields: {
    pull: pull({ only: 'open' }),
    verdict: { ...optional(choice(['approve', 'request-changes', 'comment'], { label: 'Review' })), begins: usual },
    body: optional(body({ label: 'Comment' })),
    lines: flag(
      body({
        label: 'Comments on lines',
        hint: 'One per line: the file, the line number and your comment. For a removed line, put a minus before its number.',
      }),
    ),
    head: head(),
    file: hidden(number({ label: 'File', min: 0 })),
  },
  form: {
    submit: 'Submit review',
    opens: 'edit',
    asks: { choice: 'pull', locks: ['pull'], again: true, of: showDiff },
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  notForAgents: 'A person reads the diff and decides.',
  approval: { ruledAs: ({ verdict = usual }) => (verdict === usual ? 'issue comment' : `pr ${verdict}`) },
  operations: [
    'pulls.submitReview',
    'pulls.diff',
    'pulls.get',
    'pulls.listReviews',
    'repos.get',
    'repos.listCommits',
    'issues.get',
  ],
  needs: ['pulls.submitReview', 'pulls.diff'],
  check: refuseEmpty,
  plan: async (asked, context) => planVerdict(await verdictOf(asked, context), context),
  run: async (asked, context) => giveVerdict(await verdictOf(asked, context), context),
  findDone: ({ pull: ref, verdict = usual, body }, context, sent) =>
    findVerdict({ event: events[verdict], ref, body }, context, sent),
  reply: (given, _args, context) => verdictReply(given, context),
});
