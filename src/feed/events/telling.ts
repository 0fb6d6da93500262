import { count, person, some, team } from '../../view/look.js';
import { bold, code, link, type Mrkdwn, md, type Value } from '../../view/text.js';
import type { Event, EventOf } from '../event.js';
import type { Checks, ItemState } from '../item.js';
import type { Kind } from '../kind.js';
import type { DrawPorts } from '../ports.js';
import type { Standing } from '../standing.js';

/** An event as text: who did what to which item, and details for a quiet line. */
export interface Telling {
  readonly says: Mrkdwn;
  readonly subject: Mrkdwn;
  readonly facts: readonly (Value | undefined)[];
  /** Lines below: commits, a comment's text. */
  readonly notes?: readonly Value[];
}

export interface Scene {
  readonly now: Date;
  readonly standing: Standing;
  /** In its item's thread, where the title is right above. */
  readonly reply: boolean;
  /** A person by login; mentioned only if it is not their own action. */
  who(login: string): Mrkdwn;
  /** The author of a commit; only people who opted in are mentioned for that. */
  author(login: string): Mrkdwn;
  /** A team `org/team`. */
  team(name: string): Mrkdwn;
}

export type Renderer<K extends Kind> = (event: EventOf<K>, scene: Scene) => Telling;

/** Nobody is mentioned for their own actions. */
export function sceneOf(
  event: Event,
  standing: Standing,
  { now, mention, group }: Pick<DrawPorts, 'now' | 'mention' | 'group'>,
  reply = false,
): Scene {
  const own = event.actor?.login.toLowerCase();
  const who = (login: string): Mrkdwn =>
    person({ login }, { now, who: (name) => (name.toLowerCase() === own ? undefined : mention(name)) }) ?? md``;
  const author = (login: string): Mrkdwn => person({ login }, { now, who: mention }) ?? md``;
  return { now, standing, reply, who, author, team: (name) => team(name, { now, group }) };
}

export const actor = (event: Event): Mrkdwn => (event.actor ? bold(event.actor.login) : md`Someone`);

export const repo = (event: Event): Mrkdwn => link(event.repo.url, event.repo.fullName);

/** `#12 Title`, with the current title; in its thread only the number. */
export function numbered(event: Event, { standing, reply }: Scene): Mrkdwn {
  const isKnown = reply && event.item.number !== undefined;
  const title = isKnown ? '' : (standing.item?.title ?? event.item.title ?? '');
  const number = event.item.number === undefined ? '' : `#${event.item.number}`;
  return link(event.item.url, `${number} ${title}`.trim() || event.repo.fullName);
}

export function itemFacts(event: Event, scene: Scene): (Value | undefined)[] {
  const { item, approvedBy = [], rejectedBy = [] } = scene.standing;
  const named = (words: string, logins: readonly string[] = [], teams: readonly string[] = []) => {
    const all = [...logins.map((login) => scene.who(login)), ...teams.map((name) => scene.team(name))];
    return all.length > 0 ? md`${words} ${some(all)}` : undefined;
  };
  const asked = item?.state === 'open' ? item : undefined;
  return [
    repo(event),
    ...changeFacts(item),
    named('assigned to', item?.assignees),
    named('approved by', approvedBy),
    named('changes requested by', rejectedBy),
    named('waiting on', asked?.reviewers, asked?.teams),
    openChecks(item),
    item?.milestone,
    item && item.labels.length > 0 ? some(item.labels.map((label) => code(label))) : undefined,
  ];
}

/** Where a pull request goes, and how much it changes. */
export const changeFacts = (item: ItemState | undefined): (Value | undefined)[] => [
  item?.base ? (item.head ? md`${code(item.base)} ← ${code(item.head)}` : code(item.base)) : undefined,
  item?.size ? sizeWords(item.size) : undefined,
];

const sizeWords = ({ additions, deletions, files }: NonNullable<ItemState['size']>): string =>
  `+${additions} −${deletions}${files > 0 ? ` · ${count(files, 'file')}` : ''}`;

export const openChecks = (item: ItemState | undefined): string | undefined =>
  item?.checks && item.state === 'open' ? checkWords(item.checks) : undefined;

/** `⏳ 2 of 5 checks`, `✅ 5 checks`, `❌ 1 of 5 checks: lint` */
function checkWords({ total, passed, failed }: Checks): string {
  if (failed.length > 0) return `❌ ${failed.length} of ${count(total, 'check')}: ${failed.slice(0, 3).join(', ')}`;
  return passed === total ? `✅ ${count(total, 'check')}` : `⏳ ${passed} of ${count(total, 'check')}`;
}
