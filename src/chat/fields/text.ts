import { z } from 'zod';
import { UserError } from '../../errors.js';
import type { Context } from '../context.js';
import { personMention } from '../slack-text.js';
import { askingField, type Needed, plainField, type Words } from './make.js';

interface TextOptions extends Words {
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
}

/** Slack's limit for one input. */
const inputMax = 3000;
const bodyMax = 30_000;

const unprintable = /(?![\t\n\r])\p{Cc}/gu;

function bounded(text: string, { label, min = 1, max = 255 }: TextOptions): string {
  if (text === '') throw new UserError(`${label} is empty: write some text.`);
  if (text.length < min) throw new UserError(`${label} is too short: use at least ${min} characters.`);
  if (text.length > max) {
    throw new UserError(`${label} is too long: ${text.length} characters, and the limit is ${max}.`);
  }
  return text;
}

const oneLine = (text: string) =>
  text
    .replace(unprintable, '')
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .trim();
const manyLines = (text: string) => text.replace(unprintable, '').replace(/\r\n?/g, '\n').trim();

const mostPeople = 50;

/** Uses people's forge logins, so that the forge notifies them; people who are not linked keep their Slack name. */
async function withLogins(text: string, { people, person, slack }: Context): Promise<string> {
  const users = [...new Set([...text.matchAll(personMention)].map(([, user = '']) => user))].slice(0, mostPeople);
  const found = users.map(async (user) => {
    const login = await people.loginOf({ team: person.team, user });
    return [user, { login, name: login ?? (await slack.user(user).catch(() => undefined))?.name }] as const;
  });
  const known = new Map(await Promise.all(found));
  return text.replace(personMention, (whole, user: string, label: string | undefined) => {
    const name = known.get(user)?.login ?? (label || known.get(user)?.name);
    return name === undefined ? whole : `@${name}`;
  });
}

function lineField(options: TextOptions, typed: 'word' | 'rest'): Needed<string> {
  const max = options.max ?? 255;
  return askingField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    typed,
    input: { kind: 'text', max: Math.min(max, inputMax) },
    schema: z.string().min(1).max(max),
    prose: true,
    read: (text) => bounded(oneLine(text), options),
    show: (value) => value,
    resolve: withLogins,
  });
}

/** One word, or several in quotes. */
export function text(options: TextOptions): Needed<string> {
  return lineField(options, 'word');
}

/** The rest of the line: a title, a query. */
export function rest(options: TextOptions): Needed<string> {
  return lineField(options, 'rest');
}

/** All remaining text, over several lines, including everything after the command's first line break. */
export function body(options: TextOptions): Needed<string> {
  const max = options.max ?? bodyMax;
  return askingField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    typed: 'rest',
    input: { kind: 'text', multiline: true, max },
    schema: z.string().min(1).max(max),
    prose: true,
    read: (words) => bounded(manyLines(words), { ...options, max }),
    show: (value) => value,
    resolve: withLogins,
  });
}

/** Only a form asks for it; sealed before it is stored anywhere. */
export function secret(options: TextOptions): Needed<string> {
  const max = Math.min(options.max ?? 1000, inputMax);
  return plainField(options, {
    label: options.label,
    placeholder: options.label.toLowerCase(),
    input: { kind: 'text', max },
    secret: true,
    schema: z.string().min(1).max(max),
    read: (value) => bounded(value.trim(), { ...options, max }),
    show: (value) => value,
  });
}
