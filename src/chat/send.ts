import type { Api } from '../forge/index.js';
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
