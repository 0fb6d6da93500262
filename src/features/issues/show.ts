import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issue } from '../../chat/fields.js';
import type { ItemRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Comment } from '../../forge/schemas.js';
import { section } from '../../view/blocks.js';
import { prettyBody } from '../../view/body.js';
import { some } from '../../view/look.js';
import { withBlocks } from '../../view/message.js';
import { join, lines, link, type Mrkdwn, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { followEntry } from '../subscriptions/follow.js';
import { linkRelated, siftRelated } from './block.js';
import { itemMessage } from './card.js';

const lastComments = 3;

async function readWithComments(ref: ItemRef, context: Context) {
  const { api } = context;
  const item = await api.issues.get(ref);
  const [waitsFor, holdsUp, comments] = await Promise.all([
    ifAnswered(api.issues.listDependencies(ref)),
    ifAnswered(api.issues.listBlocks(ref)),
    item.comments > 0 ? ifAnswered(api.issues.listComments(ref)) : undefined,
  ]);
  return {
    item,
    waitsFor: await siftRelated(waitsFor?.items ?? [], ref, context),
    holdsUp: await siftRelated(holdsUp?.items ?? [], ref, context),
    comments: comments?.items ?? [],
    follow: await followEntry(ref, item.repository?.id, context),
  };
}

type Sifted = Awaited<ReturnType<typeof siftRelated>>;

function relations(ref: ItemRef, waitsFor: Sifted, holdsUp: Sifted): Mrkdwn[] {
  const nameAll = (what: string, { shown, rest }: Sifted) => {
    const items =
      shown.length > 0 ? some(shown.map((each) => md`${linkRelated(each, ref)} (${each.state})`)) : undefined;
    return items || rest ? [md`${what} ${join([items, rest], ', ')}`] : [];
  };
  return [...nameAll('⛔ Blocked by', waitsFor), ...nameAll('🚧 Blocks', holdsUp)];
}

function commentSection({ user, original_author, created_at, body, html_url }: Comment, now: Date) {
  const who = link(html_url, user?.login || original_author || 'someone');
  return section(join([md`💬 ${who} ${date(created_at, now, '')}`, lines(prettyBody(body, 500))], '\n'));
}

function shownIssueMessage(
  { item, waitsFor, holdsUp, comments, follow }: Awaited<ReturnType<typeof readWithComments>>,
  { issue: ref }: { readonly issue: ItemRef },
  context: Context,
) {
  const card = itemMessage(item, { ref, follow, style: 'full', notes: relations(ref, waitsFor, holdsUp) }, context);
  const latest = comments.slice(-lastComments).map((comment) => commentSection(comment, context.now));
  const controls = card.blocks.filter((block) => block.type === 'actions');
  const words = card.blocks.filter((block) => block.type !== 'actions');
  return withBlocks(card, [...words, ...latest, ...controls]);
}

export const issueShow = command({
  name: 'issue show',
  summary: 'Show an issue with its latest comments',
  examples: ['issue show acme/engine#12', 'issue show #12'],
  fields: { issue: issue() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.get', 'issues.listDependencies', 'issues.listBlocks', 'issues.listComments'],
  needs: ['issues.get'],
  plan: ({ issue }) => [request('issues.get', issue)],
  run: ({ issue }, context) => readWithComments(issue, context),
  reply: shownIssueMessage,
});
