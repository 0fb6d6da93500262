import type { WebClient } from '@slack/web-api';
import type { LRUCache } from 'lru-cache';
import type { Accept, Acceptance } from '../chat/act-job.js';
import type { CommandList } from '../chat/catalog.js';
import type { AnyCommand } from '../chat/command.js';
import type { Reading } from '../chat/fields.js';
import type { Services } from '../chat/session.js';
import { within } from '../deadline.js';
import { mostWaiting, type Person } from '../store/index.js';
import type { Message } from '../view/message.js';
import { say } from '../view/message.js';
import { md } from '../view/text.js';
import type { Zone } from '../wall-clock.js';

/** What the doors share. Everything a door needs to decide is in memory; only accepting needs Redis. */
export interface DoorDeps {
  readonly services: Services;
  readonly catalog: CommandList;
  readonly client: WebClient;
  readonly team: string;
  readonly accept: Accept;
  /** Of recently seen people. */
  readonly zones: LRUCache<string, Zone>;
  /** What this server is known to lack, as last read. */
  lacks(command: AnyCommand): boolean;
}

/** How long to wait for someone's time zone; without it `today` is the UTC day. */
const zonePatienceMs = 300;

/** What is known about the person typing, without making them wait. */
export async function readingOf(deps: DoorDeps, user: string): Promise<Reading> {
  const zone = deps.zones.get(user) ?? (await lookUpZone(deps, user));
  const { services } = deps;
  const plain = { now: services.now(), webUrl: services.forge.web, slash: services.slash };
  return zone === undefined ? plain : { ...plain, zone };
}

async function lookUpZone(deps: DoorDeps, user: string): Promise<Zone | undefined> {
  const asked = within(zonePatienceMs, deps.services.slack.user(user), 'too slow');
  const zone = (await asked.catch(() => undefined))?.zone;
  if (zone !== undefined) deps.zones.set(user, zone);
  return zone;
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
