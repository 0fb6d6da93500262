import { z } from 'zod';
import type { Person, Seal } from '../store/index.js';

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
