import { keepAndTell } from '../chat/answer-once.js';
import type { Answers } from '../chat/runtime.js';
import { createSignIn, type SignIn } from '../chat/sign-in.js';
import type { OpenServices } from '../services.js';

/** The browser side of signing in; absent where people sign in by token. */
export function joinSignIn(open: OpenServices, answers: Answers): SignIn | undefined {
  const { services, signInLink: link, identity } = open;
  if (!link) return undefined;
  return createSignIn({
    services,
    link,
    workspace: { id: identity.teamId, name: identity.teamName },
    async tell(person, id, message) {
      const to = { person, answer: {}, acceptedAt: services.now().getTime() };
      await keepAndTell({ services, answers }, id, { to, message }, 'known');
    },
  });
}
