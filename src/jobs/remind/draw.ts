import { moreMenu } from '../../chat/actions.js';
import { itemRow } from '../../domain/issues/card.js';
import type { MessageDelivery, ReminderPart } from '../../feed/delivery.js';
import { isHidden } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas/issue.js';
import type { PullRequest } from '../../forge/schemas/pull.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { splitFullName } from '../../full-name.js';
import { type Blocks, context as quiet, section } from '../../view/blocks.js';
import { pullCard } from '../../view/cards/pull.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { bold, md } from '../../view/text.js';
import type { Waiting } from './read.js';

const most = 15;

interface Look {
  readonly now: Date;
  /** The Slack user of a login; reviewers are mentioned, since that is what a reminder is for. */
  who(login: string): string | undefined;
  /** The Slack user group of a team `org/team`. */
  group(team: string): string | undefined;
}

/** One part per repository; the sender leaves out those that may no longer be shown. */
export const reminderParts = (waiting: readonly Waiting[], look: Look): ReminderPart[] =>
  waiting.map(({ repository, pulls }) => ({
    repo: { id: repository.id, fullName: repository.full_name, hidden: isHidden(repository) },
    total: pulls.length,
    rows: pulls.slice(0, most).map((pull) => row(pull, repository, look)),
  }));

const wait = (number: number) => (number === 1 ? 'waits' : 'wait');

/** The parts that may be shown, as one message. */
export function reminderMessage(parts: readonly ReminderPart[]): Message {
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const said = `${count(total, 'pull request')} ${wait(total)} for review`;
  const rows = parts.flatMap((part) => part.rows).slice(0, most);
  return framed(said, total, rows.flat());
}

function row(pull: PullRequest, { id, owner, name, full_name }: Repository, { now, who, group }: Look) {
  const at = { owner: owner?.login ?? splitFullName(full_name).owner, repo: name, repoId: id };
  const ref = { ...at, index: pull.number };
  const menu = moreMenu([
    { text: 'Show', command: 'pr show', args: { pull: ref } },
    { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
  ]);
  return pullCard({ ...pull, base: { ref: '', repo: { full_name } } }, { now, style: 'row', who, group, menu });
}

export function ownReminder(items: readonly Issue[], now: Date): MessageDelivery {
  const said = `${count(items.length, 'pull request')} ${wait(items.length)} for your review`;
  const rows = items.slice(0, most).flatMap((item) => itemRow(item, { now }));
  return { type: 'message', message: framed(said, items.length, rows) };
}

function framed(said: string, total: number, rows: Blocks): Message {
  const rest = total - most;
  return message({
    text: said,
    blocks: [section(md`⏰ ${bold(said)}`), ...rows, rest > 0 ? quiet([`and ${rest} more`]) : undefined],
  });
}
