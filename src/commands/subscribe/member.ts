import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { askingField, type Needed, type Words } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

const Typed = z.union([
  z.object({ slack: z.string().regex(/^[UW][A-Z0-9]{1,30}$/) }),
  z.object({ login: z.string().min(1).max(100) }),
]);
type Typed = z.infer<typeof Typed>;

/** A member of the workspace; the command receives the Slack user id. */
export function member(words: Words = {}): Needed<Typed, string> {
  return askingField<Typed, string>(words, {
    label: 'Person',
    placeholder: '@person',
    input: { kind: 'slackUsers' },
    schema: Typed,
    read: (text) => {
      const word = text.trim();
      const [, slack] = /^<@([UW][A-Z0-9]{1,30})(?:\|[^<>]*)?>$/.exec(word) ?? [];
      if (slack !== undefined) return { slack };
      const [, login] = /^@?([A-Za-z0-9._-]{1,100})$/.exec(word) ?? [];
      if (login === undefined) throw new UserError(`I can’t find “${word.slice(0, 40)}”. Use a Slack @name.`);
      return { login };
    },
    show: (value) => ('slack' in value ? `<@${value.slack}>` : `@${value.login}`),
    resolve: userOf,
  });
}

async function userOf(value: Typed, { person, people }: Context): Promise<string> {
  if ('slack' in value) return value.slack;
  if (value.login.toLowerCase() === 'me') return person.user;
  const user = await people.slackUserOf(person.team, value.login);
  if (user === undefined)
    throw new UserError(
      `Nobody in Slack is linked to ${value.login}. Mention them with @, or ask them to run /forge signin.`,
    );
  return user;
}
