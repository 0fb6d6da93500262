import type { WebClient } from '@slack/web-api';
import type { LRUCache } from 'lru-cache';
import type { Accept, Acceptance } from '../chat/act-job.js';
import type { CommandList } from '../chat/catalog.js';
import type { AnyCommand } from '../chat/command.js';
import type { Reading } from '../chat/field.js';
import type { Services } from '../chat/session.js';
import { within } from '../deadline.js';
import { mostWaiting, type Person } from '../store/index.js';
import type { Message } from '../view/message.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';

/** What the doors share. Everything a door needs to decide is in memory; only accepting needs Redis. */
export interface DoorDeps {
  readonly services: Services;
  readonly catalog: CommandList;
  readonly client: WebClient;
  readonly team: string;
  readonly accept: Accept;
  /** Minutes east of UTC of recently seen people. */
  readonly zones: LRUCache<string, number>;
  /** What this server is known to lack, as last read. */
  lacks(command: AnyCommand): boolean;
}

/** How long to wait for someone's time zone; without it `today` is the UTC day. */
const zonePatienceMs = 300;

/** What is known about the person typing, without making them wait. */
export async function readingOf(deps: DoorDeps, user: string): Promise<Reading> {
  const utcOffset = deps.zones.get(user) ?? (await lookUpZone(deps, user));
  const { services } = deps;
  const plain = { now: services.now(), webUrl: services.forge.web, slash: services.slash };
  return utcOffset === undefined ? plain : { ...plain, utcOffset };
}

async function lookUpZone(deps: DoorDeps, user: string): Promise<number | undefined> {
  const asked = within(zonePatienceMs, deps.services.slack.user(user), 'too slow');
  const utcOffset = (await asked.catch(() => undefined))?.utcOffset;
  if (utcOffset !== undefined) deps.zones.set(user, utcOffset);
  return utcOffset;
}

export const personOf = (deps: DoorDeps, user: string): Person => ({ team: deps.team, user });

const refusals: Readonly<Record<Exclude<Acceptance, 'accepted'>, Message>> = {
  unstored: say(md`Could not queue your command. If no answer comes within a minute, try again.`),
  tooMany: say(
    md`You already have ${mostWaiting} commands waiting. Try again when some of them have finished; this one was not run.`,
  ),
};

/** Undefined if it was accepted. */
export const refusalOf = (outcome: Acceptance): Message | undefined =>
  outcome === 'accepted' ? undefined : refusals[outcome];
