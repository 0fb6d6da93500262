import { createCapabilities } from './capabilities.js';
import { type ApiOf, clientOf } from './client.js';
import { type Compiled, compile, type NameIn, type Table } from './compile.js';
import { bearer, type Credential } from './credential.js';
import { createEngine, type LooseInput, notRetried, type RequestLine, requestLine, type Sender } from './engine.js';
import { createExchange, type ForgeLog, type Retry } from './exchange.js';
import { lacking } from './failure.js';
import { createGit, type Git } from './git.js';
import { createOAuth, type OAuth, type OAuthSettings } from './oauth.js';
import { type OwnerWays, ownerWays, remedy, type ServerWords, type WorkflowWays, workflowWays } from './product.js';
import { createBreaker, createTransport, type Timeouts } from './transport.js';
import { normalizeForgeUrl } from './url.js';

export interface ForgeOptions {
  /** As in the browser. */
  readonly url: string;
  /** Where people's links point, if different. */
  readonly webUrl?: string | undefined;
  readonly timeouts?: Partial<Timeouts>;
  readonly maxBodyBytes?: number;
  readonly maxInFlight?: number;
  /** PEM, trusted in addition to the usual authorities. */
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
  readonly retry?: Partial<Retry>;
  readonly breaker?: { readonly threshold?: number; readonly coolMs?: number };
  /** Sign-in at the forge, if Bellows is registered there. */
  readonly oauth?: OAuthSettings | undefined;
  readonly log?: ForgeLog | undefined;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface ForgeOf<T extends Table> {
  /** The operations, acting as this person. */
  as(credential: Credential, sender?: Sender<NameIn<T>>): ApiOf<T>;
  readonly capabilities: {
    /** False only if the server is known to lack it. */
    has(name: NameIn<T>): Promise<boolean>;
    /** Product and version, only for messages, never for decisions. */
    server(): Promise<ServerWords>;
    workflows(): Promise<WorkflowWays>;
    codeOwners(): Promise<OwnerWays>;
    version(): Promise<string | undefined>;
    /** What to say if it is missing: `Forgejo 12 brings it` */
    remedy(name: NameIn<T>): Promise<string>;
  };
  /** Milliseconds the forge's clock is ahead of ours, to a second or two. */
  skew(): number;
  /** The forge's clock, to a second or two; undefined before its first answer. */
  now(): number | undefined;
  /** The request as it would be sent to this server, or refused for the same reasons, with secrets masked. */
  requestLine(name: NameIn<T>, input: LooseInput): Promise<RequestLine>;
  /** Base of people's links, without trailing slash. */
  readonly web: string;
  /** Where people create access tokens. */
  readonly tokenPage: string;
  readonly git: Git;
  /** Absent if Bellows is not registered. */
  readonly oauth: OAuth | undefined;
  close(): Promise<void>;
}

const patient: Timeouts = { connect: 5000, headers: 30_000, body: 30_000, slow: 600_000 };
const anonymous = bearer({ kind: 'anonymous' }).plain;

export function forgeOf<T extends Table>(table: T, options: ForgeOptions): ForgeOf<T> {
  const root = normalizeForgeUrl(options.url);
  const { maxBodyBytes = 20_000_000, maxInFlight = 16, ca, proxy, log, now = Date.now, random = Math.random } = options;
  const folder = new URL(root).pathname.replace(/\/$/, '');
  const base = `${folder}/api/v1`;

  const timeouts = { ...patient, ...options.timeouts };
  const transport = createTransport({ root, timeouts, maxBodyBytes, maxInFlight, ca, proxy });
  const breaker = createBreaker({
    ...options.breaker,
    now,
    changed: (open) => log?.warn({ forge: root }, open ? 'forge circuit opened' : 'forge circuit closed'),
  });
  const retry = { attempts: 3, baseMs: 200, ...options.retry };
  const exchange = createExchange({ transport, breaker, retry, now, random, log });

  const ask = (name: string, path: string) =>
    exchange(name, notRetried, { method: 'GET', path, headers: anonymous, patience: 5000 });
  const capabilities = createCapabilities({
    description: () => ask('server.description', `${folder}/swagger.v1.json`),
    version: () => ask('server.version', `${base}/version`),
    forgejo: () => ask('server.version', `${folder}/api/forgejo/v1/version`),
    now,
  });
  const engine = createEngine({ base, exchange, capabilities, circuit: breaker.wait, patience: timeouts.slow, now });
  const compiled = compile(table);
  const web = options.webUrl === undefined ? root : options.webUrl.replace(/\/+$/, '');

  function find(name: NameIn<T>): Compiled {
    const found = compiled.get(name);
    if (!found) throw new Error(`no operation ${name}`);
    return found;
  }

  return {
    as: clientOf(table, engine),
    capabilities: {
      has: async (name) => (await capabilities.place(find(name))) !== undefined,
      server: capabilities.server,
      workflows: async () => workflowWays((await capabilities.server()).product),
      codeOwners: async () => ownerWays((await capabilities.server()).product),
      version: async () => (await capabilities.server()).version,
      remedy: async (name) => remedy(find(name).entry, await capabilities.server()),
    },
    skew: engine.skew,
    now: engine.now,
    async requestLine(name, input) {
      const compiled = find(name);
      const place = await capabilities.place(compiled);
      if (!place) throw lacking({ ...compiled, secrets: [] }, await capabilities.server());
      return requestLine(compiled, input, place);
    },
    web,
    git: createGit({ root, ca, proxy }),
    tokenPage: `${web}/user/settings/applications`,
    oauth: options.oauth && createOAuth({ ...options.oauth, exchange, folder, root, web }),
    close: transport.close,
  };
}
