import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import type { ItemRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { ApiError } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import type { Comment } from '../../forge/schemas/comment.js';
import { say } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { firstOf, isMine, isNew } from '../find-sent.js';
import { orLocked } from '../issues/comment.js';
import { withMark } from './comment-text.js';
import { refuseUnagreed } from './consent.js';

interface Reply {
  readonly issue: ItemRef;
  readonly body: string;
  readonly reply?: string | undefined;
  readonly thread?: string | undefined;
}

/** Remembers its id, so that the thread it came from does not show it again. */
async function kept({ issue, reply, thread }: Reply, { id, user }: Comment, context: Context): Promise<void> {
  const { store, person, channel, login } = context;
  if (channel === undefined || reply === undefined) return;
  const place = { team: person.team, channel };
  const { owner, repo } = issue;
  const repoId = await context.repoId(issue);
  const by = { user: person.user, login: user?.login ?? login };
  await store.replies.keep(place, reply, { comment: id, owner, repo, ...(repoId && { repoId }), ...by });
  if (thread !== undefined) await store.replies.end(place, thread);
}

/** The forge may change the end of a comment: the mark is recognized by its beginning. */
const isSame = (written: string, body: string) => written.trim().startsWith(body.trim());

export const planThreadComment = ({ issue, body }: Reply) => [request('issues.comment', { ...issue, body: { body } })];

export async function postThreadComment(args: Reply, context: Context) {
  const { issue, body, reply = '', thread } = args;
  const { api, store, person, channel } = context;
  if (reply !== '') await refuseUnagreed(issue, await api.repos.get(issue), context);
  // the forge answers a comment on a missing item with an empty 500
  const item = await possible(api.issues.get(issue));
  const text = reply === '' ? body : await withMark(body, reply, context);
  const place = channel === undefined || thread === undefined ? undefined : { team: person.team, channel };
  if (place && thread !== undefined) await store.replies.begin(place, thread, context.job);
  const comment = await api.issues.comment({ ...issue, body: { body: text } }).catch(async (error: unknown) => {
    // a comment that was certainly not posted blocks nothing
    const isOpen = error instanceof ApiError && (error.kind === 'timeout' || error.kind === 'unavailable');
    if (place && thread !== undefined && !isOpen) await store.replies.end(place, thread);
    return orLocked(issue, item)(error);
  });
  await kept(args, comment, context);
  return comment;
}

export async function findThreadComment(args: Reply, context: Context, sent: Sent) {
  const { issue, body } = args;
  const items = context.api.issues.listComments.each(
    { ...issue, query: { since: sent.since.toISOString() } },
    { max: 500 },
  );
  const comment = await firstOf(
    items,
    (each) => isMine(each.user, context) && isNew(each.created_at, sent) && isSame(each.body, body),
  );
  if (comment) await kept(args, comment, context);
  return comment;
}

export const threadCommentMessage = ({ html_url }: Comment) =>
  say(md`Posted your reply as ${link(html_url, 'a comment')}.`);
