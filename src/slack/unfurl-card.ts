import type { Button, KnownBlock } from '@slack/types';
import { formButton, runButton } from '../chat/actions.js';
import type { Context } from '../chat/context.js';
import { fullName, readItem, type readPage } from '../chat/references.js';
import { itemMessage } from '../features/issues/card.js';
import { pullMessage } from '../features/pulls/card.js';
import { runAt, runBlocks } from '../features/runs/read.js';
import { ifAnswered } from '../forge/possible.js';
import { withOpenRequests } from '../forge/review-requests.js';
import type { Repository } from '../forge/schemas.js';
import { context as quiet } from '../view/blocks.js';
import { richBody } from '../view/body.js';
import { commitRow, repositoryCard } from '../view/cards/repository.js';
import { openButton } from '../view/elements.js';
import { frame } from '../view/look.js';
import { bold, link, md } from '../view/text.js';

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
      return runButton({ text: 'Show commits', command: 'repo commits', args: { repository: page.of } });
    case 'run':
    case 'release':
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
      return commitBlocks(page, context);
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

async function commitBlocks(page: Extract<Page, { kind: 'commit' }>, { api, now }: Context): Promise<KnownBlock[]> {
  const query = { sha: page.sha, limit: 1, stat: false, verification: false, files: false };
  const { items } = await api.repos.listCommits({ ...page.of, query });
  const [commit] = items;
  if (!commit) return [];
  const where = quiet([fullName(page.of)]);
  return [...commitRow(commit, { now, style: 'card', buttons: [buttonOf(page)] }), ...(where ? [where] : [])];
}
