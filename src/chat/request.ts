import { type Api, ApiError, type Forge, type Input, type OperationName, type Operations } from '../forge/index.js';
import type { Pair } from '../view/blocks.js';
import type { SentRequest } from '../view/cards/request.js';

type Entry<Name extends OperationName> = Name extends `${infer Noun}.${infer Method}`
  ? Noun extends keyof Operations
    ? Method extends keyof Operations[Noun]
      ? Operations[Noun][Method]
      : never
    : never
  : never;

/** One call to the forge as data: shown by --dry-run, frozen by approvals, stored by undo. */
export interface Request {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Typed constructor: the input is what the operation takes. */
export function request<Name extends OperationName>(operation: Name, input: Input<Entry<Name>>): Request {
  return { operation, input: { ...input } };
}

type AnyMethod = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Sends a stored request; the table validates its input again. */
export function send(api: Api, { operation, input }: Request): Promise<unknown> {
  const [noun = '', verb = ''] = operation.split('.');
  // A name in the table is a method of the client built from that table.
  const nouns = api as unknown as Readonly<Record<string, Readonly<Record<string, AnyMethod>>>>;
  const method = nouns[noun]?.[verb];
  if (!method) throw new Error(`no operation ${operation}`);
  return method(input);
}

/** Sends in order. If the first fails, all fail; later refusals are returned beside what worked. */
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

/** Requests in readable form for dry runs and approval cards; the table masks secrets. */
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
