import { z } from 'zod';
import { either } from '../forgejo/either.js';
import { fromForgejoRunner } from '../forgejo/runner.js';
import { Flag, Id, listOf, maybe, Text } from './scalar.js';

const AnyRunner = z.object({
  id: Id,
  name: Text,
  /** online or offline. */
  status: Text,
  busy: Flag,
  /** Absent if runners cannot be disabled. */
  disabled: maybe(z.boolean()),
  ephemeral: Flag,
  labels: listOf(z.object({ name: z.string(), type: Text })),
});

export const Runner = either(fromForgejoRunner, AnyRunner);
export type Runner = z.infer<typeof Runner>;

/** Created by name; the token is shown only this once. */
export const RegisteredRunner = z.object({ id: Id, uuid: z.string(), token: z.string() });
export type RegisteredRunner = z.infer<typeof RegisteredRunner>;

/** A secret: anyone who has it can attach a runner. */
export const RegistrationToken = z.object({ token: z.string() });
export type RegistrationToken = z.infer<typeof RegistrationToken>;
