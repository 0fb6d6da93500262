import { describe, type OperationName } from './catalog.js';
import type { ApiOf } from './client.js';
import { ApiError } from './errors.js';
import type { ScopeArea } from './operation.js';
import type { Operations } from './operations/index.js';

/** What a token may do, as far as the server says. */
export interface TokenReach {
  /** All of its scopes; absent if the server does not say. */
  readonly scopes?: readonly string[];
  /** What it was refused: without reading there is no writing. */
  readonly closed: readonly string[];
}

/** `write:issue`: the scopes one operation needs. */
export function scopesOf(name: OperationName): readonly string[] {
  const { route, scope = ['repository'] } = describe(name);
  const level = route.startsWith('GET ') ? 'read' : 'write';
  return scope.map((area) => `${level}:${area}`);
}

/** The wanted scopes the token is known to lack; unknown ones count as present. */
export function lackedScopes(wanted: readonly string[], { scopes, closed }: TokenReach): string[] {
  const missing = wanted.filter((scope) =>
    scopes ? !holds(scopes, scope) : closed.includes(scope) || closed.includes(scope.replace('write:', 'read:')),
  );
  return [...new Set(missing)];
}

/** Writing includes reading; `all` is everything. */
function holds(held: readonly string[], scope: string): boolean {
  return held.includes('all') || held.includes(scope) || held.includes(scope.replace('read:', 'write:'));
}

const complaint = /required scope\(s\)(?:, required=|: )\[([^\]]*)\]/;
const scopesHeld = /token scope=([a-z:,-]*)$/;

/** What the server says a token lacks; undefined if it refused for another reason. */
export function scopesAskedBy(error: ApiError): readonly string[] | undefined {
  const asked = complaint.exec(error.serverMessage)?.[1];
  return error.kind === 'forbidden' && asked !== undefined ? asked.split(/[ ,]+/).filter(Boolean) : undefined;
}

type Api = ApiOf<Operations>;

/** One harmless read per area; a token without the scope is refused. */
const probes: readonly (readonly [ScopeArea, (api: Api, login: string) => Promise<unknown>])[] = [
  ['repository', (api) => api.repos.search({ query: { limit: 1 } })],
  ['issue', (api) => api.issues.search({ query: { limit: 1 } })],
  ['notification', (api) => api.notifications.list({ query: { limit: 1 } })],
  ['organization', (api) => api.orgs.mine({ query: { limit: 1 } })],
  ['package', (api, owner) => api.packages.get({ owner, type: 'generic', name: 'none', version: '0' })],
];

/** No repository can have this name, so the scope is all there is to refuse. */
const nowhere = { repo: 'none!', index: 1 };

/** Writes that change nothing anywhere: Forgejo names neither a token's scopes nor, when reading, what it may write. */
const writes: readonly (readonly [ScopeArea, (api: Api, owner: string) => Promise<unknown>])[] = [
  ['repository', (api, owner) => api.pulls.edit({ owner, ...nowhere, body: {} })],
  ['issue', (api, owner) => api.issues.create({ owner, repo: nowhere.repo, body: { title: 'none' } })],
  ['notification', (api) => api.notifications.markThread({ id: Number.MAX_SAFE_INTEGER })],
];

export const reachOperations = [
  ...['users.currentToken', 'notifications.list', 'issues.search'],
  ...['pulls.edit', 'issues.create', 'notifications.markThread'],
] as const satisfies readonly OperationName[];

/** The same, while someone links it: writes are tried too. */
export async function newTokenReach(api: Api, login: string): Promise<TokenReach> {
  const reach = await tokenReach(api, login);
  if (reach.scopes) return reach;
  const tried = await Promise.all(
    writes.map(async ([area, write]) => ((await refusal(write(api, login))) ? [`write:${area}`] : [])),
  );
  return { closed: [...reach.closed, ...tried.flat()] };
}

/** Asks the server what a token may do; if it cannot say, its refusals show. */
export async function tokenReach(api: Api, login: string): Promise<TokenReach> {
  const described = await orError(api.users.currentToken());
  if (!(described instanceof ApiError)) return { scopes: described.scopes, closed: [] };
  const admin = await refusal(api.admin.listCron({ query: { limit: 1 } }));
  // Gitea's error names all of the token's scopes
  const held = admin && scopesHeld.exec(admin.serverMessage)?.[1];
  if (held !== undefined) return { scopes: held.split(',').filter(Boolean), closed: [] };
  const rest = await Promise.all(
    probes.map(async ([area, read]) => ({ area, error: await refusal(read(api, login)) })),
  );
  const complaints = rest.flatMap(({ error }) => (error ? [scopesHeld.exec(error.serverMessage)?.[1]] : []));
  const said = complaints.find((scopes) => scopes !== undefined);
  if (said !== undefined) return { scopes: said.split(',').filter(Boolean), closed: [] };
  const areas = [{ area: 'admin' as const, error: admin }, ...rest];
  return { closed: areas.flatMap(({ area, error }) => (error ? [`read:${area}`] : [])) };
}

async function orError<T>(asking: Promise<T>): Promise<T | ApiError> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The error, if a scope was missing. */
async function refusal(asking: Promise<unknown>): Promise<ApiError | undefined> {
  const answer = await orError(asking);
  return answer instanceof ApiError && scopesAskedBy(answer) ? answer : undefined;
}
