import { reasonOf } from '../errors.js';
import { forgetPerson } from '../features/accounts/sign-out.js';
import type { Log } from '../log.js';
import type { Departure, Person, Store } from '../store/index.js';
import { pause } from './subscription-state.js';

interface DepartureOptions {
  readonly store: Store;
  readonly slack: { user(id: string): Promise<{ readonly deleted: boolean } | undefined> };
  readonly team: string;
  /** As people type it: /forge */
  readonly slash: string;
  readonly log: Log;
  readonly now: () => number;
}

/** About a hundred a minute for all workers together. */
const asking = { intervalMs: 600, burst: 10 };
const mostInMinute = 100;
const minutes = 60;

/** Deactivated people can no longer act, whether or not Slack's event arrived. */
export function createDepartures(options: DepartureOptions) {
  const { store, slack, log } = options;

  /** Safe to interrupt and repeat: nothing is posted twice. */
  async function process({ person, at }: Departure): Promise<void> {
    const { account, withdrawn } = await forgetPerson(store, person, 'The requester has left.');
    const owned = await store.subscriptions.ownedBy(person);
    for (const sub of owned) await pause(options, sub, 'left', at);
    await store.departures.finish(person);
    log.info({ user: person.user, linked: account !== undefined, withdrawn, owned: owned.length }, 'a person left');
  }

  async function hasLeft({ user }: Person): Promise<boolean> {
    await store.pace.wait('users.info', asking);
    return (await slack.user(user))?.deleted ?? false;
  }

  return {
    /** Everyone known to have left. */
    async processAll(): Promise<void> {
      for (const departure of await store.departures.all()) {
        await process(departure).catch((error: unknown) =>
          log.warn({ user: departure.person.user, reason: reasonOf(error) }, 'could not handle a person who left'),
        );
      }
    },

    /**
     * A minute's part of a round. Slack announces each departure once, and that may be missed: everyone linked is checked within
     * an hour, or as many as Slack lets us ask for.
     */
    async look(signal?: AbortSignal): Promise<void> {
      const { team } = options;
      const part = Math.min(mostInMinute, Math.ceil((await store.accounts.count(team)) / minutes));
      const { next, accounts } = await store.accounts.some(team, await store.departures.lookedTo(), Math.max(1, part));
      for (const { person } of accounts) {
        if (signal?.aborted) return;
        if (await hasLeft(person)) await store.departures.note(person);
      }
      await store.departures.setLookedTo(next);
    },
  };
}
