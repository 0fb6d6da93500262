import type { Ground, Person } from './ground.js';

/** Who left the workspace, and when that was noticed. */
export interface Departure {
  readonly person: Person;
  readonly at: number;
}

/** People who left and whose subscriptions nobody has taken over yet. */
export function createDepartures({ redis, keys, now }: Ground) {
  const name = ({ team, user }: Person) => `${team}/${user}`;
  return {
    /** The first report counts, so that its consequences happen once. */
    async note(person: Person): Promise<void> {
      await redis.hsetnx(keys.departures(), name(person), now());
    },

    async all(): Promise<Departure[]> {
      return Object.entries(await redis.hgetall(keys.departures())).map(([field, at]) => {
        const [team = '', user = ''] = field.split('/');
        return { person: { team, user }, at: Number(at) };
      });
    },

    /** Where the round over all linked people goes on, shared by all workers. */
    lookedTo: async (): Promise<string> => (await redis.get(keys.departuresLooked())) ?? '0',
    async setLookedTo(next: string): Promise<void> {
      await redis.set(keys.departuresLooked(), next);
    },

    async finish(person: Person): Promise<void> {
      await redis.hdel(keys.departures(), name(person));
    },
  };
}
