import { z } from 'zod';
import { command } from '../chat/command.js';
import { hidden } from '../chat/fields/hidden.js';
import { choice, date, flag, number, optional, rest } from '../chat/fields/index.js';
import { plainField } from '../chat/fields/make.js';
import { auditMessage, readAudit } from '../domain/audit.js';
import { UserError } from '../errors.js';

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
