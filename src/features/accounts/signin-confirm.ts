import { command, neverRuled } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { secret } from '../../chat/fields.js';
import { UserError } from '../../errors.js';
import { type Credential, newTokenReach, reachOperations } from '../../forge/index.js';
import { bold, code, md } from '../../view/text.js';
import { keepAccount, type Linked, linkedReply, withClosed } from './link.js';

/** Only someone who sees both the browser page and this person's Slack knows the number. */
async function confirmByNumber(number: string, context: Context): Promise<Linked> {
  const { store, person, forge } = context;
  const offer = await store.signIns.redeem(person, number.replaceAll(/\s/g, ''));
  if (!offer)
    throw new UserError(
      'There is no sign-in to confirm: it expired, or the number was wrong too often. Run /forge signin again.',
    );
  if (offer === 'wrong')
    throw new UserError('That number does not match the one in your browser. Check it and try again.');
  const { login, forgeUserId, credential } = offer;
  const now: Credential = { kind: 'renewed', token: async () => credential.access };
  const reach = await newTokenReach(forge.as(now), login);
  const account = await keepAccount({ login, forgeUserId, verified: true, credential }, reach, context);
  await store.signIns.drop(person);
  return { account, reach, passwordKept: false };
}

async function offeredAccount({ store, person, slash }: Pick<Context, 'store' | 'person' | 'slash'>) {
  const offer = await store.signIns.offerOf(person);
  return offer
    ? {
        says: md`Link the forge account ${bold(offer.login)} to your Slack account? Your commands will then run as ${bold(offer.login)}.`,
      }
    : { says: md`There is no sign-in to confirm. Run ${code(`${slash} signin`)} to start one.`, alone: true };
}

const confirmSignIn = async ({ number }: { readonly number: string }, context: Context) =>
  withClosed(await confirmByNumber(number, context), context);

const confirmedMessage = (linked: Awaited<ReturnType<typeof confirmSignIn>>, _args: unknown, { forge }: Context) =>
  linkedReply(
    linked,
    forge,
    md`The forge keeps the scopes you agreed to first. To change them, remove Bellows under Settings, Applications, and sign in again.`,
  );

export const signinConfirm = command({
  name: 'signin confirm',
  title: 'Link your account',
  summary: 'Confirm the forge account you signed in with',
  examples: ['signin confirm'],
  fields: { number: secret({ label: 'Number shown in your browser', hint: 'Six digits.' }) },
  form: { submit: 'Link account', opens: 'only', intro: offeredAccount },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: reachOperations,
  account: 'none',
  hidden: true,
  resumes: true,
  approval: { policy: neverRuled },
  plan: () => [],
  run: confirmSignIn,
  reply: confirmedMessage,
});
