import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Credential, type Forge, OAuthRefusal, signingIn } from '../forge/index.js';
import type { Log } from '../log.js';
import type { Account, OAuthCredential, Person, Store } from '../store/index.js';

interface Ports {
  readonly store: Store;
  readonly forge: Pick<Forge, 'oauth' | 'as'>;
  readonly log: Log;
}

/** Tokens are renewed this long before they expire: no command takes longer between two requests. */
const marginMs = 2 * 60_000;
/** Of a short life, this part: a new token must not be due already. */
const marginPart = 1 / 4;
/** Longer than the forge may take to answer. */
const leaseMs = 30_000;
const lookAgainMs = 100;

/** The token for a linked person's requests; undefined if nobody is linked. */
export async function credentialOf(ports: Ports, person: Person): Promise<Credential | undefined> {
  const stored = await ports.store.accounts.credential(person);
  if (stored?.kind !== 'oauth') return stored;
  let held = stored;
  let refusedBefore = false;
  return {
    kind: 'renewed',
    async token() {
      if (isDue(held, ports)) held = await renewCredential(ports, person, held);
      return held.access;
    },
    /** Tried once: the forge may have lost the token but kept the consent. A second refusal has another cause. */
    async afterRefusal() {
      if (refusedBefore) return undefined;
      refusedBefore = true;
      // treat it as expired, whatever its record says
      held = await renewCredential(ports, person, { ...held, expiresAt: 0 });
      return held.access;
    },
  };
}

/** Who the person is at the forge now, by id; undefined if that account does not answer: blocked, deleted, token revoked. */
export async function presentAccount(ports: Ports, person: Person): Promise<Account | undefined> {
  const account = await ports.store.accounts.get(person);
  const credential = account?.state === 'active' && account.verified ? await credentialOf(ports, person) : undefined;
  if (!account || !credential) return undefined;
  try {
    const { id, login } = await ports.forge.as(credential).users.me();
    if (id !== account.forgeUserId) return undefined;
    if (login !== account.login) await ports.store.accounts.rename(account, login);
    return { ...account, login };
  } catch (error) {
    if (error instanceof ApiError && refusals.includes(error.kind)) return undefined;
    throw error;
  }
}

const refusals: readonly ApiError['kind'][] = ['unauthorized', 'forbidden', 'notFound'];

const isDue = ({ expiresAt, lifeMs = Number.POSITIVE_INFINITY }: OAuthCredential, { store }: Ports) =>
  expiresAt - Math.min(marginMs, lifeMs * marginPart) <= store.now();

/** Only one process refreshes, because a refresh token works once; the others use what it stored. */
async function renewCredential(ports: Ports, person: Person, old: OAuthCredential): Promise<OAuthCredential> {
  const { accounts, renewals } = ports.store;
  const lease = renewals.lease(person);
  for (const until = performance.now() + leaseMs; performance.now() < until; await pause(lookAgainMs)) {
    const token = await lease.acquire(leaseMs);
    const now = await accounts.credential(person);
    try {
      if (now?.kind !== 'oauth') throw refusalOfSignIn();
      if (now.access !== old.access) return now;
      if (token) return await renewNow(ports, person, { ...now, expiresAt: old.expiresAt });
    } finally {
      if (token) await lease.release(token);
    }
  }
  throw new ApiError({ kind: 'timeout', operation: signingIn, neverSent: true });
}

async function renewNow(ports: Ports, person: Person, old: OAuthCredential): Promise<OAuthCredential> {
  const { store, forge, log } = ports;
  if (!forge.oauth || old.refresh === undefined) return stillGood(ports, old, refusalOfSignIn());
  try {
    const { access, refresh, lifeMs } = await forge.oauth.refresh(old.refresh);
    const kept = refresh ?? old.refresh;
    const next: OAuthCredential = { kind: 'oauth', access, refresh: kept, expiresAt: store.now() + lifeMs, lifeMs };
    if (!(await store.renewals.put(person, old, next))) throw refusalOfSignIn();
    return next;
  } catch (error) {
    if (error instanceof ApiError && error.kind !== 'unauthorized') return stillGood(ports, old, error);
    if (!(error instanceof OAuthRefusal)) throw error;
    if (!error.isOfProgram) throw refusalOfSignIn();
    log.error({ reason: error.message }, 'the forge does not accept FORGE_OAUTH_CLIENT_ID and its secret');
    return stillGood(ports, old, notOurs());
  }
}

/** Used until it expires, whether or not it could be renewed. */
function stillGood({ store }: Ports, old: OAuthCredential, otherwise: ApiError): OAuthCredential {
  if (old.expiresAt > store.now()) return old;
  throw otherwise;
}

/** Looks like the forge refusing a token, so the person is asked to link again. */
const refusalOfSignIn = () => new ApiError({ kind: 'unauthorized', operation: signingIn, status: 401 });

const notOurs = () =>
  new ApiError({
    kind: 'unavailable',
    operation: signingIn,
    neverSent: true,
    hint: 'The OAuth2 settings of Bellows are wrong. Ask a Bellows admin to run bellows doctor.',
  });
