import { z } from 'zod';
import type { Person } from './ground.js';
import type { About, Seal } from './seal.js';
import { texts, versioned } from './value.js';

/** From a sign-in at the forge; it expires and is renewed. */
export const OAuthCredential = z.object({
  kind: z.literal('oauth'),
  access: z.string(),
  /** Works once; absent if the forge gave none. */
  refresh: z.string().optional(),
  expiresAt: z.int(),
  /** How long it was valid when it was issued; absent in older records. */
  lifeMs: z.int().optional(),
});
export type OAuthCredential = z.infer<typeof OAuthCredential>;

export const Credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string() }),
  z.object({ kind: z.literal('basic'), login: z.string(), secret: z.string() }),
  OAuthCredential,
]);
export type Credential = z.infer<typeof Credential>;

const Row = z.object({
  login: z.string(),
  forgeUserId: z.int().nullable(),
  verified: z.boolean(),
  scopes: texts.optional(),
  linkedAt: z.int(),
  credential: z.string(),
  index: texts,
  /** Keyed hash of the account; without it nobody is linked. */
  signed: z.string().default(''),
});
export type Row = z.infer<typeof Row>;
export const row = versioned(Row);

const whoIs = ({ login, forgeUserId, verified, scopes = [], linkedAt, credential }: Omit<Row, 'signed'>): string =>
  JSON.stringify([login, forgeUserId, verified, scopes, linkedAt, credential]);

/** The credential is sealed and the account signed, both for this person only. */
export function accountSeal(seal: Seal, forge: string) {
  const identity = ({ team, user }: Person): About => ['account', forge, team, user];
  const signed = (person: Person, one: Omit<Row, 'signed'>): Row => ({
    ...one,
    signed: seal.mac(whoIs(one), identity(person)),
  });
  const isOurs = (person: Person, one: Row): boolean => seal.checkMac(one.signed, whoIs(one), identity(person));
  return {
    about: ({ team, user }: Person): About => ['credential', forge, team, user],
    signed,
    isOurs,
    /** The same account with another credential; signed anew only if the old signature was ours. */
    withCredential: (person: Person, one: Row, credential: string): Row =>
      isOurs(person, one) ? signed(person, { ...one, credential }) : { ...one, credential },
  };
}
