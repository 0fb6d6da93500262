import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { postedBefore } from '../../feed/route.js';
import { actions, list, context as quiet, section } from '../../view/blocks.js';
import { linkButton } from '../../view/elements.js';
import { type Message, message } from '../../view/message.js';
import { bold, channel, code, join, link, type Mrkdwn, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { shownTitles } from '../subscriptions/titles.js';
import type { Coverage, Trace, Traced } from './trace.js';

export interface Reason extends Trace {
  readonly subject: string;
  readonly url: string | undefined;
  readonly repository?: string;
  readonly coverage?: Coverage;
  readonly card?: string | undefined;
  /** How many events the message shows. */
  readonly events?: number;
}

const most = 15;

/** When it was seen, which subscription and which of its words decided, which message. */
export function reasonReply(reason: Reason, context: Context): Message {
  const { decisions, elsewhere, repository, card } = reason;
  const head = decisions.length === 0 ? unseen(reason, context) : seen(reason);
  const rows = decisions.slice(0, most).map((each) => row(each, context));
  const more = decisions.length - rows.length;
  const others = elsewhere === 1 ? '1 other channel was checked' : `${elsewhere} other channels were checked`;
  return message({
    blocks: [
      section(head),
      ...list(rows),
      quiet([
        more > 0 ? `${more} earlier not shown` : undefined,
        elsewhere > 0 ? others : undefined,
        'decisions are kept for 14 days',
      ]),
      actions(
        linkButton('Open the message', card),
        repository !== undefined && reason.coverage?.titles.length === 0
          ? formButton({ text: 'Subscribe', command: 'subscribe', args: { repositories: [repository] } })
          : undefined,
        runButton({ text: 'Status', command: 'status' }),
      ),
    ],
  });
}

function seen({ subject, url, events }: Reason): Mrkdwn {
  if (events !== undefined) return md`${bold(subject)} shows ${events === 1 ? 'one event' : `${events} events`}:`;
  return md`What happened to ${link(url, subject)}:`;
}

function unseen({ subject, url, repository, coverage }: Reason, { now }: Context): Mrkdwn {
  const about = link(url, subject);
  if (!coverage) return md`${about}: no decision on record.`;
  if (coverage.titles.length === 0)
    return md`${about} was not posted here: this channel is not subscribed to ${repository ?? 'its repository'}.`;
  const { answeredAt, error } = coverage.source ?? {};
  const poll =
    answeredAt === undefined ? md`Bellows has not checked it yet.` : md`Last checked ${date(answeredAt, now)}.`;
  const trouble = error === undefined ? md`` : md` Checks have failed since: ${error.slice(0, 200)}`;
  return md`No event about ${about} since this channel subscribed to ${shownTitles(coverage.titles)}. ${poll}${trouble}`;
}

const fates: Readonly<Record<Traced['fate'], string>> = {
  posted: '✅ posted',
  waiting: '⏳ waiting to be posted',
  dropped: '🚫 not posted',
};

/** A reason in words rather than the filter's own: `the subscription is paused: …`. */
const isReason = (clause: string) => /^(?!commits )[a-z]+:? /.test(clause);

function why(fate: Traced['fate'], clause: string): Mrkdwn {
  if (isReason(clause)) return md`because ${clause}`;
  return md`${fate === 'dropped' ? 'dropped by' : 'kept by'} ${code(clause)}`;
}

function row({ at, kind, fate, clause, title, channel: where }: Traced, { channel: here, now }: Context): Mrkdwn {
  return md`• ${join([
    clause === postedBefore
      ? md`${fates[fate]} again: another subscription in this channel already posted it`
      : md`${fates[fate]}: ${code(kind)}, ${why(fate, clause)}`,
    title === undefined ? undefined : md`subscription ${title}`,
    where === here ? undefined : channel(where),
    md`seen ${date(at, now)}`,
  ])}`;
}
