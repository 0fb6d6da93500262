import { type Part, startPart } from '../../support/processes.js';
import type { Chance } from './chance.js';

/** Worker processes that are killed and replaced. */
export interface Crew {
  readonly kills: number;
  /** kill -9 for one or all of them; others replace them. */
  kill(all: boolean): Promise<void>;
  stop(): Promise<void>;
  /** Workers that ended without being killed, with their last output. */
  readonly deserters: readonly string[];
}

interface CrewOptions {
  readonly size: number;
  readonly env: Readonly<Record<string, string>>;
  readonly program: readonly string[];
  readonly chance: Chance;
}

export async function startCrew({ size, env, program, chance }: CrewOptions): Promise<Crew> {
  const deserters: string[] = [];
  const killed = new Set<Part>();
  let kills = 0;
  const start = async (): Promise<Part> => {
    const part = await startPart('worker', env, program);
    part.child.once('exit', (code, signal) => {
      if (!killed.has(part)) deserters.push(`ended with ${code ?? signal}: ${part.logged.slice(-5).join('\n')}`);
    });
    return part;
  };
  const crew = await Promise.all(Array.from({ length: size }, start));

  async function replace(place: number): Promise<void> {
    const part = crew[place];
    if (!part) return;
    killed.add(part);
    kills += 1;
    await part.kill('SIGKILL');
    crew[place] = await start();
  }

  return {
    get kills() {
      return kills;
    },
    deserters,
    async kill(all) {
      await Promise.all(all ? crew.map((_, place) => replace(place)) : [replace(chance.between(0, size))]);
    },
    async stop() {
      for (const part of crew) killed.add(part);
      await Promise.all(crew.map((part) => part.kill('SIGTERM')));
    },
  };
}
