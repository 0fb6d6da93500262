import type { Button, KnownBlock } from '@slack/types';
import { formButton, runButton } from '../chat/actions.js';
import type { Context } from '../chat/context.js';
import { fullName, readItem, type readPage, webAddress } from '../chat/references.js';
import { itemMessage } from '../features/issues/card.js';
import { pullMessage } from '../features/pulls/card.js';
import { runAt, runBlocks } from '../features/runs/read.js';
import { holdsKey, usuallySecret } from '../features/secret-files.js';
import { commitAt } from '../features/workflows/file.js';
import { ifAnswered } from '../forge/possible.js';
import { withOpenRequests } from '../forge/review-requests.js';
import type { Repository } from '../forge/schemas.js';
import { preformat, context as quiet } from '../view/blocks.js';
import { richBody } from '../view/body.js';
import { commitRow, repositoryCard } from '../view/cards/repository.js';
import { openButton } from '../view/elements.js';
import { count, frame } from '../view/look.js';
import { issueState } from '../view/state.js';
import { bold, clip, code, link, md } from '../view/text.js';
import { day } from '../view/when.js';

export type Page = NonNullable<ReturnType<typeof readPage>>;

/** The card for a link, with the one button most people want; it acts as the person who clicks. */
export async function cardOf(page: Page, repository: Repository, context: Context): Promise<readonly KnownBlock[]> {
  const blocks = await drawPage(page, repository, context);
  const chosen = buttonOf(page);
  return blocks.map((block) =>
    block.type === 'actions' ? { ...block, elements: chosen ? [chosen] : block.elements.slice(0, 1) } : block,
  );
}

/** Undefined: the card's own first button. */
function buttonOf(page: Page): Button | undefined {
  switch (page.kind) {
    case 'issue':
    case 'comment':
      return formButton({ text: 'Comment', command: 'issue comment', args: { issue: page.of } });
    case 'pull':
      return runButton({ text: 'Show details', command: 'pr show', args: { pull: page.of } });
    case 'repository':
      return formButton({ text: 'New issue', command: 'issue create', args: { repository: page.of } });
    case 'commit':
    case 'compare':
      return runButton({ text: 'Show commits', command: 'repo commits', args: { repository: page.of } });
    case 'run':
    case 'release':
    case 'source':
    case 'milestone':
      return undefined;
  }
}

async function drawPage(page: Page, repository: Repository, context: Context): Promise<readonly KnownBlock[]> {
  const { api, now } = context;
  // Everyone in the channel gets the same buttons, no matter who shared the link.
  const anybody: Context = { ...context, login: '' };
  switch (page.kind) {
    case 'issue':
      return itemMessage(await api.issues.get(page.of), { ref: page.of }, anybody).blocks;
    case 'pull':
      return pullMessage(await withOpenRequests(api, page.of, await api.pulls.get(page.of)), { ref: page.of }, anybody)
        .blocks;
    case 'comment':
      return commentBlocks(page, context, anybody);
    case 'release':
      return releaseBlocks(page, context);
    case 'run':
      return runBlocks(await runAt(page.of, context), page.of, { now });
    case 'repository':
      return repositoryCard(repository, { now, style: 'card', buttons: [buttonOf(page)] });
    case 'commit':
      return commitBlocks(page, page.sha, context);
    case 'compare':
      return comparisonBlocks(page, context);
    case 'source':
      return sourceBlocks(page, context);
    case 'milestone':
      return milestoneBlocks(page, context);
  }
}

/** The comment itself, or its item if the comment was deleted, is not a plain one or was made on another item. */
async function commentBlocks(
  page: Extract<Page, { kind: 'comment' }>,
  { api, forge, now }: Context,
  anybody: Context,
): Promise<readonly KnownBlock[]> {
  const { of, comment } = page;
  const item = await api.issues.get(of);
  const found = await ifAnswered(api.issues.getComment({ owner: of.owner, repo: of.repo, id: comment }));
  // the forge finds a comment by its id alone, whichever item the address names
  const made = found && readItem(found.pull_request_url || found.issue_url, forge.web);
  if (!found || found.body === '' || made?.index !== of.index) return itemMessage(item, { ref: of }, anybody).blocks;
  return frame(
    {
      subject: link(found.html_url, `#${of.index} ${item.title}`),
      facts: [fullName(of)],
      body: [richBody(found.body, found.html_url, 600)],
    },
    {
      now,
      style: 'full',
      says: md`${bold(found.user?.login ?? found.original_author)} commented on`,
      buttons: [buttonOf(page)],
    },
  );
}

async function releaseBlocks(
  { of, tag }: Extract<Page, { kind: 'release' }>,
  { api, now }: Context,
): Promise<readonly KnownBlock[]> {
  const release = await api.repos.getRelease({ ...of, tag });
  return frame(
    {
      subject: link(release.html_url, release.name || release.tag_name),
      facts: [fullName(of), release.tag_name, release.prerelease ? 'pre-release' : undefined],
      body: [richBody(release.body, release.html_url, 600)],
    },
    {
      now,
      style: 'full',
      says: md`${bold(release.author?.login ?? fullName(of))} released`,
      buttons: [openButton(release.html_url)],
    },
  );
}

const short = { stat: false, verification: false, files: false };

async function commitBlocks(page: Page, sha: string, { api, now }: Context): Promise<KnownBlock[]> {
  const { items } = await api.repos.listCommits({ ...page.of, query: { ...short, sha, limit: 1 } });
  const [commit] = items;
  if (!commit) return [];
  const where = quiet([fullName(page.of)]);
  const buttons = [buttonOf(page) ?? openButton(commit.html_url)];
  return [...commitRow(commit, { now, style: 'card', buttons }), ...(where ? [where] : [])];
}

const mostCompared = 5;

/** The commits that the second side has and the first has not. */
async function comparisonBlocks(
  page: Extract<Page, { kind: 'compare' }>,
  { api, forge, now }: Context,
): Promise<KnownBlock[]> {
  const { of, from, to } = page;
  const query = { ...short, sha: to, not: from, limit: mostCompared + 1 };
  const { items } = await api.repos.listCommits({ ...of, query });
  const rows = items.slice(0, mostCompared).flatMap((commit) => commitRow(commit, { now, style: 'line' }));
  const more = items.length > mostCompared ? quiet(['and more']) : undefined;
  return frame(
    {
      subject: link(webAddress(forge.web, page), `${from}...${to}`),
      facts: [fullName(of), items.length > mostCompared ? undefined : count(items.length, 'commit')],
      body: [...rows, more],
    },
    { now, style: 'full', buttons: [buttonOf(page)] },
  );
}

const mostOfName = 4;
const mostLines = 20;
const firstLines = 8;
const mostOfCode = 1500;

/** The lines of a file, or the latest commit of a ref; nothing of a folder or of files that usually hold secrets. */
async function sourceBlocks(page: Extract<Page, { kind: 'source' }>, context: Context): Promise<readonly KnownBlock[]> {
  const { of, by, parts } = page;
  if (usuallySecret(parts)) return [];
  const sizes = by === 'commit' ? 1 : Math.min(parts.length, mostOfName);
  for (let size = 1; size <= sizes; size++) {
    const name = parts.slice(0, size).join('/');
    const ref = by === 'commit' ? name : `refs/${by === 'tag' ? 'tags' : 'heads'}/${name}`;
    const sha = await commitAt(of, ref, context);
    if (sha === undefined) continue;
    if (size === parts.length) return commitBlocks(page, sha, context);
    return fileBlocks(page, { name, sha, path: parts.slice(size).join('/') }, context);
  }
  return [];
}

async function fileBlocks(
  page: Extract<Page, { kind: 'source' }>,
  { name, sha, path }: { readonly name: string; readonly sha: string; readonly path: string },
  { api, forge, now }: Context,
): Promise<readonly KnownBlock[]> {
  const { type, encoding, content } = await api.repos.getFile({ ...page.of, filepath: path, query: { ref: sha } });
  if (type !== 'file' || encoding !== 'base64') return [];
  const text = Buffer.from(content, 'base64').toString('utf8');
  if (text.includes('\u{0000}') || holdsKey(text)) return [];
  const all = text.trimEnd() === '' ? [] : text.trimEnd().split(/\r?\n/u);
  // lines that were there once show how the file begins
  const asked = page.lines && page.lines.first <= all.length ? page.lines : undefined;
  const { first, last } = asked ?? { first: 1, last: firstLines };
  const shown = all.slice(first - 1, Math.min(last, first - 1 + mostLines));
  const end = first + shown.length - 1;
  const lines = first === end ? `line ${first}` : `lines ${first}–${end}`;
  const anchor = asked ? `#L${first}${last > first ? `-L${last}` : ''}` : '';
  return frame(
    {
      subject: link(`${webAddress(forge.web, page)}${anchor}`, path),
      facts: [
        fullName(page.of),
        code(page.by === 'commit' ? name.slice(0, 10) : name),
        all.length === 0 ? 'empty file' : lines,
      ],
      body: [shown.join('').trim() === '' ? undefined : preformat(clip(shown.join('\n'), mostOfCode))],
    },
    { now, style: 'full', buttons: [openButton(`${webAddress(forge.web, page)}${anchor}`)] },
  );
}

const mostMilestones = 200;

async function milestoneBlocks(
  page: Extract<Page, { kind: 'milestone' }>,
  { api, forge, now }: Context,
): Promise<readonly KnownBlock[]> {
  const all = api.repos.listMilestones.each({ ...page.of, query: { state: 'all' } }, { max: mostMilestones });
  for await (const { id, title, description, state, open_issues, closed_issues, due_on } of all) {
    if (id !== page.milestone) continue;
    const address = webAddress(forge.web, page);
    const due = day(due_on);
    return frame(
      {
        state: issueState(state ?? 'open'),
        subject: link(address, title),
        facts: [
          fullName(page.of),
          `${open_issues} open, ${closed_issues} closed`,
          due === undefined ? undefined : `due ${due}`,
        ],
        body: [richBody(description, address, 600)],
      },
      { now, style: 'full', buttons: [openButton(address)] },
    );
  }
  return [];
}
