import { neverRuled } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { linkAccount, linkedReply, linkOperations, withClosed } from './link.js';

/** Shared by every form that links an account. */
export const linking = {
  form: { submit: 'Link account', opens: 'only' },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: linkOperations,
  account: 'none',
  resumes: true,
  approval: { policy: neverRuled },
  plan: () => [],
  run: async (args: Parameters<typeof linkAccount>[0], context: Context) =>
    withClosed(await linkAccount(args, context), context),
  reply: (linked: Awaited<ReturnType<typeof withClosed>>, _args: unknown, { forge }: Context) =>
    linkedReply(linked, forge),
} as const;
