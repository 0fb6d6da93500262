import type { SlackPort } from '../chat/context.js';
import { type Api, ApiError } from '../forge/index.js';
import type { Directory } from '../store/index.js';

/** As configured: forge login → Slack user id. */
export function configDirectory(people: Readonly<Record<string, string>>): Directory {
  const users = new Map(Object.entries(people).map(([login, user]) => [login.toLowerCase(), user]));
  const logins = new Map(Object.entries(people).map(([login, user]) => [user, login]));
  return {
    origin: 'config',
    async personOf(team, login) {
      const user = users.get(login.toLowerCase());
      return user === undefined ? undefined : { team, user };
    },
    loginOf: async ({ user }) => logins.get(user),
    all: async (team) => [...logins].map(([user, login]) => ({ person: { team, user }, login })),
  };
}

/** The same email at Slack and at the forge; off unless the operator allows it. */
export function emailDirectory({ slack, service }: { slack: SlackPort; service: Api }): Directory {
  const isAddress = (email: string | undefined): email is string =>
    email !== undefined && /^[^@\s]+@[^@\s]+$/.test(email);
  return {
    origin: 'email',
    async personOf(team, login) {
      const email = (await known(service.users.get({ username: login })))?.email;
      if (!isAddress(email) || email.includes('noreply')) return undefined;
      const user = await slack.userByEmail(email);
      return user && !user.deleted && !user.bot ? { team, user: user.id } : undefined;
    },
    async loginOf({ user }) {
      const email = (await slack.user(user))?.email;
      if (!isAddress(email)) return undefined;
      const found = await known(service.users.search({ query: { q: email, limit: 5 } }));
      return found?.items.find((each) => each.email?.toLowerCase() === email.toLowerCase())?.login;
    },
  };
}

/** Undefined if the forge knows no such name or has no such list: then there is no match. */
async function known<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && (error.kind === 'notFound' || error.unsupported)) return undefined;
    throw error;
  }
}
