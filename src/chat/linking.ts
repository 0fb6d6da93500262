import { createHash } from 'node:crypto';
import { z } from 'zod';
import { reasonOf } from '../errors.js';
import type { Account, Person, Seal } from '../store/index.js';
import { type Message, say } from '../view/message.js';
import { code, md } from '../view/text.js';
import { CommandJob, jobIdOf } from './act-job.js';
import { formButton } from './actions.js';
import type { AnyCommand } from './command.js';
import { notify } from './notice.js';
import type { Runtime } from './runtime.js';
import type { Services } from './session.js';

/** By its content: a restarted job finds the same one under the same id. */
const heldId = (command: unknown): string =>
  jobIdOf('r', createHash('sha256').update(JSON.stringify(command)).digest('base64url').slice(0, 32));

/**
 * Runs the commands that were waiting for a link, one after the other in order: each starts the next when it ends.
 * `id`: the job that ended. It starts one, however often it is restarted.
 */
export async function resume(runtime: Runtime, person: Person, id: string): Promise<void> {
  const { store, now } = runtime.services;
  // someone who is no longer linked would only be asked to link again
  if ((await store.accounts.get(person))?.state !== 'active') return;
  const after = jobIdOf('after', id);
  for (;;) {
    const next = await store.pending.first(person);
    if (!next) return;
    const waiting = CommandJob.safeParse(next.command);
    const nextId = heldId(next.command);
    // the one that ended is still there if its start was interrupted before the drop
    if (!waiting.success || nextId === id) {
      await next.drop();
      continue;
    }
    await store.jobs.mark(after, 'sent', nextId);
    // a restarted job already started another one, which starts this one when it ends
    if ((await store.jobs.markOf(after, 'sent'))?.note !== nextId) return;
    await runtime.enqueue({ ...waiting.data, source: 'resumed', acceptedAt: now().getTime() }, nextId);
    return next.drop();
  }
}

/** Once per link: the message is stored under its own id first, and later failures of the same dead token stay silent. */
export async function askToRelink({ store, log }: Pick<Services, 'store' | 'log'>, account: Account): Promise<void> {
  const { person, linkedAt, login } = account;
  const words = say(
    md`Your forge token for ${login} no longer works. Link again to keep using commands and getting updates.`,
    formButton({ text: 'Link again', command: 'signin', style: 'primary' }),
  );
  try {
    await notify(store, person, `relink:${person.user}:${linkedAt}`, words);
    await store.accounts.markRevoked(person, linkedAt);
  } catch (error) {
    // The link is unchanged, so the next failure asks again.
    log.warn({ user: person.user, reason: reasonOf(error) }, 'could not ask a person to link again');
  }
}

const linkButton = (account: Account | undefined) =>
  formButton({ text: account ? 'Link again' : 'Link account', command: 'signin', style: 'primary' });

/** Where there is nothing to continue yet: a form that could not be filled. */
export const linkFirst = (account: Account | undefined): Message =>
  say(
    account
      ? md`Your forge token no longer works. Link again, then open this form again.`
      : md`Link your forge account to continue, then open this form again.`,
    linkButton(account),
  );

export async function askToLink(
  { services }: Pick<Runtime, 'services'>,
  command: AnyCommand,
  job: CommandJob,
  account: Account | undefined,
): Promise<Message> {
  // an agent's call ends here: nothing continues without the agent noticing
  if (job.agent) return say(md`The person this agent acts for has to link their forge account again.`);
  const link = linkButton(account);
  if (!(await services.store.pending.put(job.person, job)))
    return say(md`Link your forge account to continue. Run ${code(command.name)} again after you’re linked.`, link);
  const why = account
    ? md`Your forge token no longer works. Link again and ${code(command.name)} continues.`
    : md`Link your forge account to continue. ${code(command.name)} runs as soon as you’re linked.`;
  return say(why, link);
}

const lifeMs = 10 * 60_000;

const Ticket = z.object({ team: z.string(), user: z.string(), at: z.int() });

interface Ports {
  readonly seal: Seal;
  readonly forgeId: string;
  readonly publicUrl: string;
  now(): number;
}

/** The address of the button in a person's form: it names the person, and nobody else can forge one. */
export function createSignInLink({ seal, forgeId, publicUrl, now }: Ports) {
  const about = ['sign-in-link', forgeId] as const;
  return {
    url({ team, user }: Person): string {
      const ticket = seal.seal(JSON.stringify({ team, user, at: now() }), about);
      return `${publicUrl.replace(/\/+$/, '')}/oauth/start?for=${encodeURIComponent(ticket)}`;
    },

    /** Undefined if it is too old or not ours. */
    personIn(ticket: string): Person | undefined {
      const text = seal.tryOpen(ticket, about);
      const read = Ticket.safeParse(text === undefined ? undefined : JSON.parse(text));
      if (!read.success || now() - read.data.at >= lifeMs) return undefined;
      return { team: read.data.team, user: read.data.user };
    },
  };
}

export type SignInLink = ReturnType<typeof createSignInLink>;
