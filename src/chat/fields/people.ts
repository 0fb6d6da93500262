import { z } from 'zod';
import { teamsOf } from '../../config/teams.js';
import { UserError } from '../../errors.js';
import type { Context } from '../context.js';
import { joinList, listOf, splitList } from './lists.js';
import { askingField, type Needed, type Words } from './make.js';

const Someone = z.union([
  z.object({ slack: z.string().regex(/^[UW][A-Z0-9]{1,30}$/), name: z.string().max(80).optional() }),
  z.object({ login: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/) }),
  z.object({ me: z.literal(true) }),
]);

/** As typed: a Slack person, a forge login, or oneself. */
export type Someone = z.infer<typeof Someone>;

const slackForm = /^<@([UW][A-Z0-9]{1,30})(?:\|([^<>|]{0,80}))?>$/;
const loginForm = /^@?([A-Za-z0-9._-]{1,100})$/;

const groupForm = /^<!subteam\^(S[A-Z0-9]{1,30})(?:\|@?([^<>|]{0,80}))?>$/;

function readSomeone(text: string): Someone {
  const word = text.trim();
  if (groupForm.test(word)) throw new UserError('A user group can’t be named here. Use people’s names.');
  const [, slack, name] = slackForm.exec(word) ?? [];
  if (slack !== undefined) return name === undefined || name === '' ? { slack } : { slack, name };
  const [, login] = loginForm.exec(word) ?? [];
  if (login === undefined) {
    throw new UserError(`I can’t find “${word.slice(0, 40)}”. Use a Slack @name or a forge login.`);
  }
  return login.toLowerCase() === 'me' ? { me: true } : { login };
}

function showSomeone(someone: Someone): string {
  if ('me' in someone) return '@me';
  if ('login' in someone) return someone.login;
  return someone.name === undefined ? `<@${someone.slack}>` : `<@${someone.slack}|${someone.name}>`;
}

async function loginOf(someone: Someone, context: Context): Promise<string | undefined> {
  if ('login' in someone) return someone.login;
  if ('slack' in someone) return context.people.loginOf({ team: context.person.team, user: someone.slack });
  return context.login === '' ? undefined : ((await context.people.loginOf(context.person)) ?? context.login);
}

async function nameOf(someone: Someone, context: Context): Promise<string> {
  if ('me' in someone) return 'You';
  if ('login' in someone) return someone.login;
  return `@${someone.name ?? (await context.slack.user(someone.slack))?.name ?? someone.slack}`;
}

/** `ada, ben and cleo` */
const listed = new Intl.ListFormat('en-GB');

/** Reports everyone who is not linked at once. */
async function loginsOf(all: readonly Someone[], context: Context): Promise<string[]> {
  const found = await Promise.all(all.map((someone) => loginOf(someone, context)));
  const strangers = await Promise.all(
    all.filter((_, at) => found[at] === undefined).map((someone) => nameOf(someone, context)),
  );
  if (strangers.length > 0) {
    const lack = strangers.length > 1 ? 'have no linked forge accounts' : 'has no linked forge account';
    throw new UserError(
      `${listed.format(strangers)} ${lack}. Use the forge login instead, or ask them to run /forge signin.`,
    );
  }
  return [...new Set(found.flatMap((login) => login ?? []))];
}

/** One person; the command receives the forge login. */
export function person(words: Words = {}): Needed<Someone, string> {
  return askingField<Someone, string>(words, {
    label: 'Person',
    placeholder: '@person',
    input: { kind: 'external', source: 'people' },
    schema: Someone,
    read: readSomeone,
    show: showSomeone,
    resolve: async (someone, context) => (await loginsOf([someone], context))[0] ?? '',
  });
}

const most = 50;

/** Several people, separated by spaces or commas; the command receives forge logins without duplicates. */
export function people(words: Words = {}): Needed<readonly Someone[], readonly string[]> {
  return askingField<readonly Someone[], readonly string[]>(words, {
    label: 'People',
    placeholder: '@person,login',
    typed: 'rest',
    input: { kind: 'external', source: 'people', many: true },
    schema: z.array(Someone).min(1).max(most).readonly(),
    read: (text) => {
      // A Slack name may contain spaces, so mentions are taken whole.
      const parts = text.match(/<[@!][^<>]*>|[^\s,<]+|</g) ?? [];
      return listOf([...new Set(parts)], 'people', most, 140).map(readSomeone);
    },
    show: (all) => all.map(showSomeone).join(', '),
    resolve: loginsOf,
  });
}

/** The team of a Slack user group; a group with several teams is refused, since only their names tell them apart. */
function teamNamed(word: string, { teams }: Context): string {
  const [, group = '', name = group] = groupForm.exec(word) ?? [];
  if (group === '') return word;
  const [path, another] = teamsOf(teams, group);
  if (path !== undefined && another === undefined) return path.slice(path.indexOf('/') + 1);
  const why =
    path === undefined ? 'not mapped to a team in bellows.yaml' : 'mapped to more than one team in bellows.yaml';
  throw new UserError(`@${name} is ${why}. Use the team’s name on the forge.`);
}

/** Teams of an organization by name; also accepts `org/team` and the team's Slack user group. */
export function teams(words: Words = {}): Needed<readonly string[]> {
  return askingField<readonly string[], readonly string[]>(words, {
    label: 'Teams',
    placeholder: 'team,team',
    typed: 'rest',
    input: { kind: 'external', source: 'teams', many: true },
    schema: z.array(z.string().min(1).max(255)).min(1).max(most).readonly(),
    read: (text) => {
      const names = splitList(text).map((name) =>
        groupForm.test(name) ? name : name.replace(/^@/, '').replace(/^[^/]+\//, ''),
      );
      return listOf(
        [...new Set(names)].filter((name) => name !== ''),
        'teams',
        most,
        255,
      );
    },
    show: joinList,
    resolve: (all, context) => [...new Set(all.map((word) => teamNamed(word, context)))],
  });
}
