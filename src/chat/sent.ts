import type { Forge } from '../forge/index.js';
import type { Pair } from '../view/blocks.js';
import type { SentRequest } from '../view/cards/request.js';
import type { Request } from './request.js';

/** Requests as people read them on dry runs and approval cards; secrets are masked by the table. */
export async function sentRequests(requests: readonly Request[], forge: Forge): Promise<SentRequest[]> {
  const lines = await Promise.all(requests.map(({ operation, input }) => forge.requestLine(operation, input)));
  return lines.map(({ method, path, query, body }) => ({
    route: `${method} ${path}`,
    input: [...pairs(query), ...pairs(body)],
  }));
}

function pairs(value: unknown): Pair[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => [name, typeof each === 'string' ? each : JSON.stringify(each)]);
}
