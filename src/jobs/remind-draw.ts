import { moreMenu } from '../chat/actions.js';
import { itemRow } from '../commands/issue/card.js';
import type { MessageDelivery } from '../feed/delivery.js';
import type { Issue } from '../forge/schemas/issue.js';
import type { PullRequest } from '../forge/schemas/pull.js';
import type { Repository } from '../forge/schemas/repository.js';
import { type Blocks, context as quiet, section } from '../view/blocks.js';
import { pullCard } from '../view/cards/pull.js';
import { count } from '../view/look.js';
import { type Message, message } from '../view/message.js';
import { bold, md } from '../view/text.js';
import type { Waiting } from './remind-read.js';

const most = 15;

interface Look {
  readonly now: Date;
  /** The Slack user of a login; those who are asked are mentioned, that is what a reminder is for. */
  who(login: string): string | undefined;
}

/** Everything public in one message; each private repository in its own, so that the guard can hold it back alone. */
export function channelReminders(waiting: readonly Waiting[], look: Look): MessageDelivery[] {
  const hidden = ({ repository }: Waiting) => repository.private || repository.internal;
  const open = waiting.filter((each) => !hidden(each));
  const together = open.flatMap(({ repository, pulls }) => pulls.map((pull) => ({ repository, pull })));
  return [
    ...(together.length === 0 ? [] : [{ type: 'message' as const, message: drawn(together, look) }]),
    ...waiting.filter(hidden).map(({ repository, pulls }) => ({
      type: 'message' as const,
      message: drawn(
        pulls.map((pull) => ({ repository, pull })),
        look,
      ),
      repo: { id: repository.id, fullName: repository.full_name, private: true },
    })),
  ];
}

const wait = (number: number) => (number === 1 ? 'waits' : 'wait');

function drawn(rows: readonly { readonly repository: Repository; readonly pull: PullRequest }[], look: Look): Message {
  const said = `${count(rows.length, 'pull request')} ${wait(rows.length)} for review`;
  return framed(
    said,
    rows.length,
    rows.slice(0, most).flatMap(({ repository, pull }) => row(pull, repository, look)),
  );
}

function row(pull: PullRequest, { owner, name, full_name }: Repository, { now, who }: Look) {
  const ref = { owner: owner?.login ?? full_name.split('/')[0] ?? '', repo: name, index: pull.number };
  const menu = moreMenu([
    { text: 'Show', command: 'pr show', args: { pull: ref } },
    { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
  ]);
  return pullCard({ ...pull, base: { ref: '', repo: { full_name } } }, { now, style: 'row', who, menu });
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
