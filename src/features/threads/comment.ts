import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { replyJobId } from '../../chat/act-job.js';
import { formButtonIfFits } from '../../chat/actions.js';
import { command, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { body, hidden, issue, plainField } from '../../chat/fields.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { knownIn, refuseTakenOver } from '../../chat/repo-ids.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { isLost } from '../../forge/index.js';
import { possible, soon } from '../../forge/possible.js';
import type { Comment } from '../../forge/schemas.js';
import type { Reply } from '../../store/index.js';
import { failureCard } from '../../view/cards/outcome.js';
import { message, say } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import { firstOf, isMine, isNew } from '../find.js';
import { orLocked } from '../issues/comment-shared.js';
import { refuseUnagreed } from './consent.js';

/** Adds where it came from; Slack made the address. */
export async function withMark(text: string, ts: string, { slack, channel }: Context): Promise<string> {
  const link = channel === undefined ? undefined : await soon(slack.permalink(channel, ts).catch(() => undefined));
  return `${text}\n\n${link === undefined ? '_from Slack_' : `_[from Slack](${link})_`}`;
}

interface ThreadReply {
  readonly issue: ItemRef;
  readonly body: string;
  readonly reply?: string | undefined;
  readonly thread?: string | undefined;
}

/** Remembers its id, so that the thread it came from does not show it again. */
async function keepComment(
  { issue, reply, thread }: ThreadReply,
  { id, user }: Comment,
  context: Context,
): Promise<void> {
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

const planThreadComment = ({ issue, body }: ThreadReply) => [request('issues.comment', { ...issue, body: { body } })];

/** Its button may be clicked twice. */
const isPosted = async (reply: string, { store, person, channel }: Context): Promise<boolean> =>
  reply !== '' &&
  channel !== undefined &&
  (await store.replies.get({ team: person.team, channel }, reply)) !== undefined;

async function postThreadComment(args: ThreadReply, context: Context) {
  const { issue, body, reply = '', thread } = args;
  const { api, store, person, channel } = context;
  if (reply !== '') await refuseUnagreed({ issue, body, reply, thread }, await api.repos.get(issue), context);
  if (await isPosted(reply, context)) throw new UserError('This reply is already a comment.');
  // the forge answers a comment on a missing item with an empty 500
  const item = await possible(api.issues.get(issue));
  const text = reply === '' ? body : await withMark(body, reply, context);
  const held =
    channel === undefined || thread === undefined ? undefined : ([{ team: person.team, channel }, thread] as const);
  if (held) await store.replies.begin(...held, person.user, context.job);
  const comment = await api.issues.comment({ ...issue, body: { body: text } }).catch(async (error: unknown) => {
    // a comment that was certainly not posted blocks nothing
    if (held && !isLost(error)) await store.replies.end(...held);
    return orLocked(issue, item)(error);
  });
  await keepComment(args, comment, context);
  return comment;
}

async function findThreadComment(args: ThreadReply, context: Context, sent: Sent) {
  const { issue, body } = args;
  const items = context.api.issues.listComments.each(
    { ...issue, query: { since: sent.since.toISOString() } },
    { max: 500 },
  );
  const comment = await firstOf(
    items,
    (each) => isMine(each.user, context) && isNew(each.created_at, sent) && isSame(each.body, body),
  );
  if (comment) await keepComment(args, comment, context);
  return comment;
}

const threadCommentMessage = ({ html_url }: Comment) => say(md`Posted your reply as ${link(html_url, 'a comment')}.`);

interface RefusedReply {
  readonly issue: ItemRef;
  readonly body: string;
}

/** A reply may be edited or deleted before anyone decides, so it is not requested: its person can request a comment. */
function replyStays({ issue, body }: RefusedReply, approvers: string, { slash }: Context): MessageError {
  const request = formButtonIfFits({ text: 'Request comment', command: 'issue comment', args: { issue, body } });
  return new MessageError(
    message({
      blocks: failureCard({
        says: md`Your reply was not posted on ${fullName(issue)}: comments there need approval by ${approvers}.`,
        attempt: request ? undefined : `${slash} issue comment ${refOf(issue)}`,
        buttons: [request],
      }),
    }),
  );
}

/** The comment that a reply became. */
export const commentStays = (_args: unknown, approvers: string): UserError =>
  new UserError(
    `This change needs approval by ${approvers}, and a reply can’t wait for it. Its comment stays on the forge as it is.`,
  );

const mark = (form: RegExp, what: string) =>
  hidden(
    plainField<string>(
      {},
      {
        label: what,
        placeholder: what,
        input: { kind: 'text' },
        schema: z.string().regex(form),
        read: (text) => {
          if (form.test(text.trim())) return text.trim();
          throw new UserError(`This is not a ${what}.`);
        },
        show: (value) => value,
      },
    ),
  );

/** The Slack timestamp of the reply. */
export const reply = () => mark(/^\d{1,12}\.\d{1,8}$/, 'reply');
/** The item whose card started the thread. */
export const thread = () => mark(/^r\d{1,16}-n\d{1,16}$/, 'thread');

export const threadComment = command({
  name: 'thread comment',
  summary: 'Post a reply in a synced thread as a comment',
  examples: ['thread comment acme/engine#12 Looks good'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    body: body({ label: 'Comment' }),
    reply: reply(),
    thread: thread(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  hidden: true,
  quiet: true,
  approval: { ruledAs: 'issue comment', refuseWaiting: replyStays },
  operations: ['issues.comment', 'issues.get', 'issues.listComments'],
  plan: planThreadComment,
  run: postThreadComment,
  findDone: findThreadComment,
  reply: threadCommentMessage,
});

const tries = 20;
const betweenMs = 500;

/** The comment a reply became, if it did; only the person and account that posted it may change it. */
export async function commentOf(ts: string | undefined, context: Context): Promise<Reply> {
  const { store, person, channel, login } = context;
  const place = { team: person.team, channel: channel ?? '' };
  let found: Reply | undefined;
  for (let left = tries; ts !== undefined && channel !== undefined && left > 0; left--) {
    found = await store.replies.get(place, ts);
    if (found && !(await isBehind(replyJobId(channel, ts), context))) break;
    await pause(betweenMs);
  }
  if (found?.user === person.user && found.login.toLowerCase() === login.toLowerCase()) {
    await refuseTakenOver(knownIn({ found }), context.api);
    return found;
  }
  throw new UserError('This reply was not posted as a comment, so nothing was changed on the forge.');
}

/** An earlier change of the same reply is under way: sent at the same time, it could be the one that stays. */
async function isBehind(reply: string, { store, person, job: id }: Context): Promise<boolean> {
  return id !== undefined && (await store.turns.ahead({ person, id })).some((each) => each.startsWith(reply));
}
