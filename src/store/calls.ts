import { z } from 'zod';
import type { Ground } from './ground.js';
import { type About, unseal } from './seal.js';

/** One call of one agent. */
export interface CallId {
  readonly id: string;
  readonly agent: string;
}

const State = z.object({
  state: z.enum(['running', 'done', 'failed', 'unknown']),
  /** The answer as plain text. */
  text: z.string(),
  /** The arguments that continue a list. */
  next: z.record(z.string(), z.unknown()).optional(),
});
export type CallState = z.infer<typeof State>;

const daySeconds = 86_400;

/** The results of agents' calls, each sealed for its agent. */
export function createCalls({ redis, forge, keys, seal }: Ground) {
  const about = ({ id, agent }: CallId): About => ['call', forge, id, agent];
  return {
    async put(call: CallId, state: CallState): Promise<void> {
      const text = seal.seal(JSON.stringify(state), about(call));
      await redis.set(keys.call({ id: call.id }), text, 'EX', daySeconds);
    },

    /** Undefined if this agent made no such call, or more than a day ago. */
    async get(call: CallId): Promise<CallState | undefined> {
      const text = await redis.get(keys.call({ id: call.id }));
      return text === null ? undefined : State.safeParse(unseal(seal, text, about(call))).data;
    },
  };
}
