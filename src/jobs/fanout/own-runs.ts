import { type Event, unitsOf } from '../../feed/event.js';
import { isWanted } from '../../feed/inbox-kinds.js';
import { PostError } from '../../feed/ports.js';
import type { FeedDeps } from '../feed-deps.js';
import type { Gate } from '../gate.js';
import { isRefused } from '../visible.js';
import { directPlace } from './direct.js';
import type { Parcel } from './parcels.js';

const pushes: ReadonlySet<string> = new Set(['push', 'pull_request']);

/** A run of someone's own push failed: they get a direct message, wherever else it is posted. */
export async function ownRunParcels(deps: FeedDeps, gate: Gate, events: readonly Event[]): Promise<Parcel[]> {
  const parcels: Parcel[] = [];
  for (const event of events) {
    if (event.kind !== 'runs:failure' || !event.actor || event.actor.bot || !pushes.has(event.run.trigger)) continue;
    const person = await pusher(deps, event.actor.login);
    if (!person) continue;
    const place = await directPlace(deps, person.user);
    if (!place || !(await mayRead(gate, place, event, person))) continue;
    const body = { type: 'event', event, style: 'card', threaded: true } as const;
    parcels.push({ place, id: `own:${event.id}`, body });
  }
  return parcels;
}

/** Linked, and not turned off. */
async function pusher({ people, store, team }: FeedDeps, login: string) {
  const user = await people.slackUserOf(team, login);
  if (user === undefined) return undefined;
  const person = { team, user };
  const [account, settings] = await Promise.all([store.accounts.get(person), store.settings.get(person)]);
  return account?.state === 'active' && isWanted(settings.kinds, 'run_failed') ? person : undefined;
}

async function mayRead(gate: Gate, place: Parcel['place'], event: Event, person: { team: string; user: string }) {
  try {
    return (await gate.check(place, event.repo, { person, units: unitsOf(event) })).allowed;
  } catch (error) {
    if (error instanceof PostError || isRefused(error)) return false;
    throw error;
  }
}
