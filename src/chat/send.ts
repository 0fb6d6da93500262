import { type Api, ApiError } from '../forge/index.js';
import type { Request } from './request.js';

type AnyMethod = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Sends a request that was kept as data; the table checks its input again. */
export function send(api: Api, { operation, input }: Request): Promise<unknown> {
  const [noun = '', verb = ''] = operation.split('.');
  // A name of the table leads to a method of the client made from that table.
  const nouns = api as unknown as Readonly<Record<string, Readonly<Record<string, AnyMethod>>>>;
  const method = nouns[noun]?.[verb];
  if (!method) throw new Error(`no operation ${operation}`);
  return method(input);
}

/** One after the other. The first one's failure is everybody's; what the forge refuses after it comes back beside what worked. */
export async function sendAll(
  api: Api,
  requests: readonly Request[],
): Promise<readonly { readonly request: Request; readonly error: ApiError }[]> {
  const refused: { request: Request; error: ApiError }[] = [];
  for (const [at, request] of requests.entries()) {
    try {
      await send(api, request);
    } catch (error) {
      if (at === 0 || !(error instanceof ApiError)) throw error;
      refused.push({ request, error });
    }
  }
  return refused;
}
