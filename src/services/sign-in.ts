import { keepAndTell } from '../chat/answer-once.js';
import type { Answers } from '../chat/runtime.js';
import { createSignIn, type SignIn } from '../chat/sign-in.js';
import type { Config } from '../config.js';
import type { OpenServices } from '../services.js';

/** The browser side of signing in; absent where people sign in by token. */
export function joinSignIn(open: OpenServices, config: Config, answers: Answers): SignIn | undefined {
  const { services, signInLink: link, identity } = open;
  if (!link) return undefined;
  return createSignIn({
    services,
    link,
    workspace: { id: identity.teamId, name: identity.teamName },
    slash: config.command,
    async tell(person, id, message) {
      const to = { person, answer: {}, acceptedAt: services.now().getTime() };
      await keepAndTell({ services, answers }, id, { to, message }, 'known');
    },
  });
}
