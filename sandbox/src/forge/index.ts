import type { AddressInfo } from 'node:net';
import { createToken } from './acts/people.js';
import { endpointsOf } from './endpoints.js';
import { createFaults, type Faults } from './http/faults.js';
import { createRequests, type Requests } from './http/requests.js';
import { createForgeServer } from './http/server.js';
import type { ForgeOptions } from './options.js';
import { seed } from './seed/index.js';
import { person } from './state/find.js';
import { isForgejo, type Site } from './state/site.js';
import { type Change, createState, type State } from './state/state.js';
import { createWorld, type World } from './world/index.js';

export type { ForgeOptions } from './options.js';
export type { Flavor } from './state/site.js';

interface ForgeAccount {
  readonly login: string;
  /** Bots have none. */
  readonly password: string | undefined;
  /** The same one for the same scopes; default: all scopes. */
  token(scopes?: readonly string[]): string;
}

export interface SandboxForge {
  /** As in the browser, without trailing slash. */
  readonly url: string;
  /** Where it listens, with /api/v1. */
  readonly apiUrl: string;
  /** People at the start; `account` knows later ones too. */
  readonly users: Readonly<Record<string, ForgeAccount>>;
  account(login: string): ForgeAccount;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: Requests;
  /** Returns a function that stops it. */
  onChange(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}

function accountOf(state: State, login: string): ForgeAccount {
  const user = person(state, login);
  return {
    login,
    password: user.password,
    token: (scopes = ['all']) => {
      const name = `sandbox ${scopes.join(' ')}`;
      const existing = [...state.tokens.values()].find((token) => token.user === user && token.name === name);
      return (existing ?? createToken(state, user, name, scopes)).secret;
    },
  };
}

export async function startForge(options: ForgeOptions = {}): Promise<SandboxForge> {
  const subPath = (options.subPath ?? '').replace(/\/+$/, '');
  const flavor = options.flavor ?? 'gitea-1.28';
  const isNewForgejo = isForgejo({ flavor }, 15);
  const site: Site = {
    url: '',
    flavor,
    git: options.git ?? false,
    pageMax: options.pageMax ?? 50,
    recheckMs: options.recheckMs ?? 0,
    zoneMinutes: options.zoneMinutes ?? 0,
    ties: options.ties ?? (isNewForgejo ? 'descending' : 'ascending'),
    rowForm: isNewForgejo ? 'listed' : 'piped',
    registrationToken: undefined,
    migrationMs: 0,
    ignoresRange: false,
    accessSeconds: options.accessSeconds ?? 3600,
    refreshOnce: options.refreshOnce ?? isForgejo({ flavor }),
  };
  const state = createState(site, options.clock ?? Date.now);
  const world = createWorld(state);
  const faults = createFaults();
  const requests = createRequests();
  const server = createForgeServer({ state, endpoints: endpointsOf(site), faults, requests, subPath });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const here = `http://${host}:${addressOf(server.address()).port}${subPath}`;
  site.url = (options.rootUrl ?? here).replace(/\/+$/, '');
  seed(state, world, options.seed);
  const people = [...state.users.values()].filter((user) => user.kind !== 'Organization');
  return {
    url: here,
    apiUrl: `${here}/api/v1`,
    users: Object.fromEntries(people.map((user) => [user.login, accountOf(state, user.login)])),
    account: (login) => accountOf(state, login),
    world,
    faults,
    requests,
    onChange(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The sandbox forge has no port.');
  return address;
}
