import type { Context } from '../chat/context.js';
import { type ItemRef, refOf } from '../chat/references.js';
import { gather } from '../forge/index.js';
import { ifAnswered } from '../forge/possible.js';
import type { PullRequest, RepoCommit, User } from '../forge/schemas.js';

/** Who wrote something, and what the forge cannot attribute to anyone: `commit 0a1b2c3d4e`. */
export interface Authors {
  readonly users: readonly User[];
  readonly unsure: readonly string[];
}

export const mostCommits = 500;
/** What is read of each commit. */
export const plain = { stat: false, verification: false, files: false };

const trailer = /^[ \t]*co-authored-by[ \t]*:(.*)$/gim;
/** Addresses; an empty one for a line without any. */
const coauthorsIn = (message: string) =>
  [...message.matchAll(trailer)].flatMap(([, names = '']) => {
    const found = [...names.matchAll(/<([^<>\s]+)>/g)].map(([, email = '']) => email.toLowerCase());
    return found.length > 0 ? found : [''];
  });

/** A commit can name any number of co-authors; nobody waits for all of them to be searched. */
const mostSearched = 50;

/** The address under which servers merge and sign by themselves. */
const isForge = (email: string, web: string) =>
  /^(?:gitea|forgejo)@fake\.local$/.test(email) || email === `noreply@${new URL(web).hostname}`;

/** By an address that the forge hides, or else by one it shows. */
async function userBy(email: string, { api }: Context): Promise<User | undefined> {
  const [, login] = /^(?:\d+\+)?([^@+]+)@noreply\./.exec(email) ?? [];
  if (login !== undefined) return ifAnswered(api.users.get({ username: login }));
  const found = await ifAnswered(api.users.search({ query: { q: email } }));
  return found?.items.find((user) => user.email.toLowerCase() === email);
}

/** Authors, committers other than the forge itself, and everyone named as a co-author. */
export async function authorsOf(commits: readonly RepoCommit[], context: Context): Promise<Authors> {
  const users = commits.flatMap(({ author, committer }) => [author ?? [], committer ?? []].flat());
  const known = new Map(
    commits.flatMap(({ author, committer, commit }) => [
      [commit?.author?.email.toLowerCase(), author] as const,
      [commit?.committer?.email.toLowerCase(), committer] as const,
    ]),
  );
  const unsure: string[] = [];
  let searched = 0;
  for (const { sha, author, committer, commit } of commits) {
    const foreign = !committer && !isForge(commit?.committer?.email ?? '', context.forge.web);
    let missing = !author || foreign;
    for (const email of coauthorsIn(commit?.message ?? '')) {
      if (email !== '' && !known.has(email) && searched < mostSearched) {
        searched += 1;
        known.set(email, await userBy(email, context));
      }
      const user = email === '' ? undefined : known.get(email);
      if (user) users.push(user);
      else missing = true;
    }
    if (missing) unsure.push(`commit ${sha.slice(0, 10)}`);
  }
  return joinAuthors([{ users, unsure }]);
}

/** Its opener, everyone who pushed to it, and the authors of its commits. */
export async function pullAuthors(ref: ItemRef, pull: PullRequest | undefined, context: Context): Promise<Authors> {
  const { owner, repo } = ref;
  const { user, head, base } = pull ?? {};
  const query = { ...plain, sha: head?.sha ?? '', not: base?.sha ?? '' };
  const each = { max: mostCommits };
  const commits =
    head && base && (await ifAnswered(gather(context.api.repos.listCommits.each({ owner, repo, query }, each))));
  const events = await ifAnswered(gather(context.api.issues.timeline.each(ref, each)));
  const pushers = events?.filter(({ type }) => type === 'pull_push').map((event) => event.user);
  const people = [user, ...(pushers ?? [])];
  const isWhole = (list: readonly unknown[] | undefined) => list !== undefined && list.length < mostCommits;
  const sure = people.every((one) => one !== undefined) && isWhole(commits) && isWhole(events);
  return joinAuthors([
    { users: people.flatMap((one) => one ?? []), unsure: sure ? [] : [refOf(ref)] },
    await authorsOf(commits ?? [], context),
  ]);
}

export function joinAuthors(all: readonly Authors[]): Authors {
  const users = new Map(all.flatMap((each) => each.users.map((user) => [user.id, user] as const)));
  return { users: [...users.values()], unsure: [...new Set(all.flatMap((each) => each.unsure))] };
}
