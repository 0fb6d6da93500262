import { z } from 'zod';
import { turnButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import { hidden } from '../chat/fields/hidden.js';
import { choice, date, flag, number, optional, rest } from '../chat/fields/index.js';
import { plainField } from '../chat/fields/make.js';
import { rows } from '../chat/fields/offset.js';
import { auditLine } from '../domain/audit-line.js';
import { UserError } from '../errors.js';
import type { AuditRow } from '../store/index.js';
import { actions, context as quiet, section } from '../view/blocks.js';
import { auditRow } from '../view/cards/request.js';
import { message } from '../view/message.js';
import { md, mention } from '../view/text.js';

/** A Slack person, linked or not: what somebody did stays theirs after they sign out. */
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
    { now, ...(entry.note === undefined ? {} : { notes: [entry.note.slice(0, 300)] }) },
  );
}

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
  run: ({ command, who, outcome, since, until, before }, { store }) =>
    store.audit.read(
      {
        ...(command === undefined ? {} : { command }),
        ...(who === undefined ? {} : { user: who }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(since === undefined ? {} : { since: Date.parse(since) }),
        ...(until === undefined ? {} : { until: Date.parse(until) + dayMs }),
      },
      { limit: rows, ...(before === undefined ? {} : { before }) },
    ),
  reply: (found, args, { now }) => {
    const { next } = found;
    const more =
      next === undefined || next <= 1
        ? undefined
        : turnButton({ text: 'Show more', command: 'audit', args: { ...args, before: next } });
    if (found.rows.length === 0 && !more) return message({ blocks: [section(md`No matching entries.`)] });
    const seqs = found.rows.map(({ seq }) => seq);
    return message({
      blocks: [
        ...found.rows.flatMap((each) => row(each, now)),
        quiet([
          seqs.length === 0
            ? 'No matches in the newest entries. Show more to search older ones.'
            : `rows ${seqs[0]} to ${seqs.at(-1)}`,
        ]),
        actions(more),
      ],
    });
  },
});
