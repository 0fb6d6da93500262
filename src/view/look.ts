import type { Button, KnownBlock, Overflow } from '@slack/types';
import { actions, type Blocks, context, section } from './blocks.js';
import { join, type Mrkdwn, md, mention, userGroup, type Value } from './text.js';
import { date, type Instant } from './when.js';

/** line: one line. row: a line of a list with one control. card: a line, a quiet line, buttons. full: the body as well. */
export type Style = 'line' | 'row' | 'card' | 'full';

/** How something is shown in this place. */
export interface Look {
  readonly now: Date;
  readonly style?: Style | undefined;
  /** What happened, before the link: md`${who} closed`. If absent, the state comes first. */
  readonly says?: Mrkdwn | undefined;
  /** The Slack user of a forge login; returning nothing shows the login. */
  readonly who?: ((login: string) => string | undefined) | undefined;
  /** The Slack user group of a team `org/team`; returning nothing shows its name. */
  readonly group?: ((team: string) => string | undefined) | undefined;
  /** Lines below the first one: evidence, warnings. */
  readonly notes?: readonly Value[] | undefined;
  readonly buttons?: readonly (Button | undefined)[] | undefined;
  readonly menu?: Overflow | undefined;
}

export interface Person {
  readonly login: string;
  readonly full_name?: string | null | undefined;
}

export function person(someone: Person | null | undefined, look: Look): Mrkdwn | undefined {
  if (!someone?.login) return undefined;
  const user = look.who?.(someone.login);
  return user === undefined ? md`${someone.login}` : mention(user, someone.login);
}

/** `by ada` */
export function by(someone: Person | null | undefined, look: Look): Mrkdwn | undefined {
  const who = person(someone, look);
  return who && md`by ${who}`;
}

export function team(path: string, look: Pick<Look, 'now' | 'group'>): Mrkdwn {
  const name = path.slice(path.indexOf('/') + 1);
  const group = look.group?.(path);
  return group === undefined ? md`${name}` : userGroup(group, name);
}

/** `ada, ben and 3 more` */
export function people(all: readonly Person[] | null | undefined, look: Look, most = 5): Mrkdwn {
  return some(
    (all ?? []).map((someone) => person(someone, look)),
    most,
  );
}

export function some(all: readonly (Value | undefined)[], most = 5): Mrkdwn {
  const present = all.filter((value) => value !== undefined && value !== '');
  const rest = present.length - most;
  const shown = join(present.slice(0, most), ', ');
  return rest > 0 ? md`${shown} and ${rest} more` : shown;
}

export function when(value: Instant, look: Look): Mrkdwn | undefined {
  const shown = date(value, look.now, '');
  return shown.empty ? undefined : shown;
}

export interface Frame {
  /** One emoji and one word. */
  readonly state?: string | undefined;
  /** The item itself, linked. */
  readonly subject: Mrkdwn;
  /** The quiet line, most important first; unknown values are left out. */
  readonly facts?: readonly (Value | undefined)[];
  readonly body?: Blocks;
}

const mostButtons = 3;
const mostNotes = 10;

/** The shape of everything we show: a line, a quiet line, at most three buttons and a menu. */
export function frame(parts: Frame, look: Look): KnownBlock[] {
  const { state, subject, facts = [], body = [] } = parts;
  const lead = look.says ?? (state === undefined ? undefined : md`${state}`);
  const line = lead === undefined || lead.empty ? subject : md`${lead} ${subject}`;
  if (look.style === 'line') return [section(join([line, facts[0]]))];
  const quiet = look.says === undefined ? facts : [state, ...facts];
  const text = join([line.within(1800), ...(look.notes ?? []).slice(0, mostNotes)], '\n');
  const buttons = (look.buttons ?? []).filter((entry) => entry !== undefined);
  if (look.style === 'row') return [section(join([text, join(quiet).within(600)], '\n'), look.menu ?? buttons[0])];
  const blocks: Blocks = [
    section(text),
    ...(look.style === 'full' ? body : []),
    context(quiet),
    actions(...buttons.slice(0, mostButtons), look.menu),
  ];
  return blocks.filter((block) => block !== undefined);
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
