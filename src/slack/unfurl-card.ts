import type { KnownBlock } from '@slack/types';
import { formButton, runButton } from '../chat/actions.js';
import type { Context } from '../chat/context.js';
import { fullName, type readPage } from '../chat/references.js';
import { itemMessage } from '../commands/issue/card.js';
import { pullMessage } from '../commands/pr/card.js';
import { runBlocks } from '../commands/run/card.js';
import { runAt } from '../commands/run/namesake.js';
import { withOpenRequests } from '../forge/review-requests.js';
import type { Repository } from '../forge/schemas/repository.js';
import { context as quiet } from '../view/blocks.js';
import { commitRow, repositoryCard } from '../view/cards/repository.js';
import { openButton } from '../view/elements.js';

export type Page = NonNullable<ReturnType<typeof readPage>>;

/** The card of what a link points to, with buttons that act as whoever clicks. */
export async function cardOf(page: Page, repository: Repository, context: Context): Promise<readonly KnownBlock[]> {
  const { api, now } = context;
  // Everybody in the channel gets the same buttons, whoever shared the link.
  const anybody: Context = { ...context, login: '' };
  switch (page.kind) {
    case 'issue':
      return itemMessage(await api.issues.get(page.of), { ref: page.of }, anybody).blocks;
    case 'pull':
      return pullMessage(await withOpenRequests(api, page.of, await api.pulls.get(page.of)), { ref: page.of }, anybody)
        .blocks;
    case 'run':
      return runBlocks(await runAt(page.of, context), page.of, { now });
    case 'repository': {
      const args = { repository: page.of };
      const buttons = [
        formButton({ text: 'New issue', command: 'issue create', args }),
        runButton({ text: 'Commits', command: 'repo commits', args }),
        openButton(repository.html_url),
      ];
      return repositoryCard(repository, { now, style: 'card', buttons });
    }
    case 'commit':
      return commitBlocks(page, context);
  }
}

async function commitBlocks(page: Extract<Page, { kind: 'commit' }>, { api, now }: Context): Promise<KnownBlock[]> {
  const query = { sha: page.sha, limit: 1, stat: false, verification: false, files: false };
  const { items } = await api.repos.listCommits({ ...page.of, query });
  const [commit] = items;
  if (!commit) return [];
  const where = quiet([fullName(page.of)]);
  const buttons = [
    runButton({ text: 'Commits', command: 'repo commits', args: { repository: page.of } }),
    openButton(commit.html_url),
  ];
  return [...commitRow(commit, { now, style: 'card', buttons }), ...(where ? [where] : [])];
}
