import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { clearable, date, type Needed, optional } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { localTime, momentOf } from '../../wall-clock.js';

/** `until friday`, `friday`, or `off`. */
function untilDay(): Needed<string | null> {
  const field = clearable(date({ label: 'Away until', hint: 'Your first day back. Leave empty if you’re here.' }));
  return {
    ...field,
    read: (text, reading) =>
      field.read(/^\s*off\s*$/i.test(text) ? 'none' : text.replace(/^\s*until\s+/i, ''), reading),
  };
}

async function readZone({ slack, person }: Context) {
  return (await slack.user(person.user))?.zone ?? 0;
}

async function presentAbsence(_args: unknown, context: Context) {
  const { away = 0 } = await context.store.settings.get(context.person);
  if (away <= context.now.getTime()) return { until: null };
  return { until: new Date(localTime(await readZone(context), away)).toISOString().slice(0, 10) };
}

async function setAbsence({ until }: { readonly until?: string | null | undefined }, context: Context) {
  const { store, person, now } = context;
  if (until === undefined) throw new UserError('Until when? Write a day such as fri or 2026-12-01, or off.');
  const { away: _before, ...others } = await store.settings.get(person);
  const away = until === null ? undefined : momentOf(await readZone(context), Date.parse(until));
  if (away !== undefined && away <= now.getTime())
    throw new UserError('Write your first day back: tomorrow or later.', { field: 'until' });
  await store.settings.put(person, { ...others, ...(away !== undefined && { away }) });
  return until;
}

export const away = command({
  name: 'away',
  title: 'Set absence',
  summary: 'Be left out of proposed reviewers until a day',
  examples: ['away until friday', 'away 2026-12-01', 'away off'],
  fields: { until: optional(untilDay()) },
  form: { submit: 'Save changes', opens: 'always', prefill: presentAbsence },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It changes what its person gets in Slack.',
  operations: [],
  account: 'none',
  plan: () => [],
  run: setAbsence,
  reply: (until) =>
    message({
      blocks: doneCard({
        says: until === null ? md`You’re no longer away.` : md`You’re away until ${until}.`,
        facts: until === null ? [] : ['you won’t be proposed as a reviewer before that day'],
        buttons: until === null ? [] : [runButton({ text: 'I’m back', command: 'away', args: { until: null } })],
      }),
    }),
});
