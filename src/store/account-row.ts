import { z } from 'zod';
import type { Person } from './ground.js';
import type { About, Seal } from './seal.js';
import { texts, versioned } from './value.js';

/** Of a sign-in with the forge; it runs out and is renewed. */
export const OAuthCredential = z.object({
  kind: z.literal('oauth'),
  access: z.string(),
  /** Works once; absent where the forge gave none. */
  refresh: z.string().optional(),
  expiresAt: z.int(),
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
  /** Keyed hash of who this is; without it the forge is asked again. */
  signed: z.string().optional(),
});
export type Row = z.infer<typeof Row>;
export const row = versioned(Row);

export const whoIs = ({ login, forgeUserId, verified, scopes = [], linkedAt, credential }: Row): string =>
  JSON.stringify([login, forgeUserId, verified, scopes, linkedAt, credential]);

/** A credential is sealed, and who it belongs to is signed, for its person alone. */
export function accountSeal(seal: Seal, forge: string) {
  const identity = ({ team, user }: Person): About => ['account', forge, team, user];
  return {
    about: ({ team, user }: Person): About => ['credential', forge, team, user],
    identity,
    signed: (person: Person, one: Row): Row => ({ ...one, signed: seal.mac(whoIs(one), identity(person)) }),
  };
}
