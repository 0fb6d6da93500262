import { z } from 'zod';
import { Id, listOf, maybe, Text } from './scalar.js';

/** `sha1` is the secret itself, sent once: never log, never post. */
export const CreatedToken = z.object({
  id: Id,
  name: z.string(),
  sha1: z.string(),
  token_last_eight: Text,
  scopes: listOf(z.string()),
});
export type CreatedToken = z.infer<typeof CreatedToken>;

export const CurrentToken = z.object({
  id: Id,
  name: Text,
  scopes: listOf(z.string()),
  user: maybe(z.object({ id: Id, login: z.string() })),
});
export type CurrentToken = z.infer<typeof CurrentToken>;

/** `client_secret` is sent once. */
export const CreatedOAuthApp = z.object({ id: Id, client_id: z.string(), client_secret: z.string() });
