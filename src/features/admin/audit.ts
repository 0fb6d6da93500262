import { z } from 'zod';
import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { choice, date, flag, hidden, number, optional, plainField, rest, rows } from '../../chat/fields.js';
import { flagName } from '../../chat/usage.js';
import { showDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import type { AuditEntry, AuditRow } from '../../store/index.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { auditRow } from '../../view/cards/request.js';
import { message } from '../../view/message.js';
import { md, mention } from '../../view/text.js';

interface AuditSearch {
  readonly command?: string | undefined;
  readonly who?: string | undefined;
  readonly outcome?: AuditEntry['outcome'] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly before?: number | undefined;
}

const dayMs = 86_400_000;

function row({ entry }: AuditRow, now: Date) {
  const { who, agent, approvedBy = [], target, durationMs, outcome, at } = entry;
  return auditRow(
    {
      at,
      who: agent ? md`${agent.name}, agent of ${mention(who.user, who.login)}` : mention(who.user, who.login),
      command: auditLine(entry),
      outcome,
      target,
      milliseconds: durationMs,
      approvedBy: approvedBy.map(({ user, login }) => mention(user, login)),
    },
    { now, ...(entry.note === undefined ? {} : { notes: [entry.note.replaceAll('`', '').slice(0, 300)] }) },
  );
}

const readAudit = ({ command, who, outcome, since, until, before }: AuditSearch, { store }: Context) =>
  store.audit.read(
    {
      ...(command === undefined ? {} : { command }),
      ...(who === undefined ? {} : { user: who }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(until === undefined ? {} : { until: Date.parse(until) + dayMs }),
    },
    { limit: rows, ...(before === undefined ? {} : { before }) },
  );

function auditMessage(found: Awaited<ReturnType<typeof readAudit>>, args: AuditSearch, { now }: Context) {
  const { next } = found;
  const more =
    next === undefined || next <= 1
      ? undefined
      : turnButton({ text: 'Show older', command: 'audit', args: { ...args, before: next } });
  if (found.rows.length === 0 && !more) return message({ blocks: [section(md`No matching entries.`)] });
  // read from the top, as a log is
  const inOrder = found.rows.toReversed();
  const seqs = inOrder.map(({ seq }) => seq);
  return message({
    blocks: [
      ...inOrder.flatMap((each) => row(each, now)),
      quiet([
        seqs.length === 0
          ? 'No matches in the newest entries. Choose Show older to search on.'
          : `rows ${seqs[0]} to ${seqs.at(-1)}`,
      ]),
      actions(more),
    ],
  });
}

type Value = AuditEntry['args'][string];

/** `acme/engine#12` for a reference, plain text for the rest. */
function showValue(value: Value | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map(showValue).join(',');
  const { owner, repo, name, index, number: read, run, id } = value;
  const place = repo ?? name;
  if (typeof owner !== 'string' || typeof place !== 'string')
    return typeof name === 'string' ? name : Object.values(value).map(showValue).join(' ');
  const number = index ?? read ?? run ?? id;
  return number === undefined ? `${owner}/${place}` : `${owner}/${place}#${showValue(number)}`;
}

/** Arguments in seconds, as people write them. */
const durations: ReadonlySet<string> = new Set(['length', 'for', 'olderThan', 'time', 'expires']);

/** The request on one line; secrets were removed before it was recorded. */
function auditLine({ command, args }: AuditEntry): string {
  const words = Object.entries(args).map(([name, value]) =>
    typeof value === 'boolean'
      ? `--${value ? '' : 'no-'}${flagName(name)}`
      : durations.has(name) && typeof value === 'number'
        ? showDuration(value, 4)
        : showValue(value),
  );
  return [command, ...words].join(' ').replace(/\s+/g, ' ').trim();
}

/** A Slack person, linked or not: people's actions stay theirs after they sign out. */
const who = plainField<string>(
  {},
  {
    label: 'Who',
    placeholder: '@person',
    input: { kind: 'slackUsers' },
    schema: z.string().regex(/^[UW][A-Z0-9]{1,30}$/),
    read: (text) => {
      const [, user] = /^<?@?([UW][A-Z0-9]{1,30})(?:\|[^<>]*)?>?$/.exec(text.trim()) ?? [];
      if (user === undefined) throw new UserError('Use a Slack @name.');
      return user;
    },
    show: (user) => `<@${user}>`,
  },
);

export const audit = command({
  name: 'audit',
  title: 'Search audit log',
  summary: 'Show who ran what, who approved it and the result',
  examples: ['audit', 'audit run force-cancel --outcome done', 'audit --since 2026-01-01'],
  fields: {
    command: optional(
      rest({ label: 'Command', hint: 'A command or its first word, such as run.', placeholder: 'command' }),
    ),
    who: flag(who),
    outcome: flag(choice(['done', 'failed', 'refused', 'asked', 'unknown', 'forged'], { label: 'Outcome' })),
    since: flag(date({ label: 'Since', past: true })),
    until: flag(date({ label: 'Until', past: true })),
    before: hidden(number({ label: 'Before' })),
  },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: [],
  account: 'none',
  plan: () => [],
  run: readAudit,
  reply: auditMessage,
});
