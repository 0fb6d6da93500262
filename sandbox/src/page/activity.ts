import { z } from 'zod';
import { UserError } from '../../../src/errors.js';
import type { SandboxForge } from '../forge/index.js';
import { runsUnderWay } from '../run-pace.js';
import { people } from '../seed.js';
import { type ForgeState, type Happening, type Verb, verbs } from './wire.js';

export const HappeningShape = z.object({
  verb: z.enum(verbs),
  as: z.string().min(1).max(100),
  repo: z.string().min(3).max(200),
  title: z.string().trim().max(200).optional(),
}) satisfies z.ZodType<Happening>;

export interface Activity {
  /** Makes it happen and says what happened. */
  make(what: Happening): string;
  state(): ForgeState;
}

interface Made {
  readonly said: string;
  readonly path: string;
}

type World = SandboxForge['world'];
type Issue = ReturnType<World['openIssue']>;

const ideas: Readonly<Record<'issue' | 'comment' | 'push' | 'pull', readonly string[]>> = {
  issue: [
    'The belt slips when wet',
    'Gauge shows nothing below zero',
    'Steam escapes at the third valve',
    'Bell rings twice',
  ],
  comment: ['Seen here too.', 'It only happens when it is cold.', 'Could this be the valve?', 'Fixed on my branch.'],
  push: ['Tighten the belt', 'Oil the third gear', 'Count from zero', 'Say why the bell rings'],
  pull: ['Replace the belt', 'Ring the bell once', 'Measure below zero', 'Close the third valve'],
};

const reference = ({ index, title }: Issue, repo: string) => `${repo}#${index} ${title}`;
const issuePath = (issue: Issue, repo: string) => `${repo}/${issue.pull ? 'pulls' : 'issues'}/${issue.index}`;

export function createActivity(forge: SandboxForge, now: () => number): Activity {
  const { world } = forge;
  const happened: { at: number; said: string; url: string }[] = [];
  let turn = 0;

  const titleFor = (verb: keyof typeof ideas, title: string | undefined): string => {
    const list = ideas[verb];
    turn += 1;
    return title || (list[turn % list.length] ?? verb);
  };
  const newest = (repo: string, wanted: (issue: Issue) => boolean): Issue | undefined =>
    [...world.repo(repo).issues.values()].filter((issue) => issue.state === 'open' && wanted(issue)).at(-1);
  const aPull = (repo: string): Issue => {
    const found = newest(repo, ({ pull }) => pull !== undefined);
    if (found) return found;
    throw new UserError(`${repo} has no open pull request. Open one first.`);
  };
  const reviewerFor = (pull: Issue, as: string): string => {
    const asked = (login: string) => pull.pull?.reviews.some(({ user }) => user?.login === login) ?? false;
    const others = people.map(({ name }) => name).filter((name) => name !== as && name !== pull.poster.login);
    return others.find((name) => !asked(name)) ?? others[0] ?? 'ada';
  };
  const run = (as: string, repo: string, title: string | undefined, branch?: string) =>
    world.startRun({ as, repo, ...(title ? { title } : {}), ...(branch ? { branch } : {}) });

  /** Ends the oldest run under way; without one, or with a title for it, a new one. */
  const finish = ({ as, repo, title }: Happening, conclusion: 'success' | 'failure'): Made => {
    const oldest = title ? undefined : runsUnderWay(forge).find((each) => each.repo === world.repo(repo));
    const { id, number } = oldest ?? run(as, repo, title);
    world.finishRun({ run: id, conclusion });
    const word = conclusion === 'success' ? 'passed' : 'failed';
    return { said: `Run ${number} of ${repo} ${word}`, path: `${repo}/actions/runs/${id}` };
  };

  const acts: Readonly<Record<Verb, (what: Happening) => Made>> = {
    issue: ({ as, repo, title }) => {
      const issue = world.openIssue({ as, repo, title: titleFor('issue', title) });
      return { said: `${as} opened ${reference(issue, repo)}`, path: issuePath(issue, repo) };
    },
    comment: ({ as, repo, title }) => {
      const issue = newest(repo, () => true);
      if (!issue) throw new UserError(`${repo} has nothing open to comment on. Open an issue first.`);
      world.comment({ as, repo, index: issue.index, body: titleFor('comment', title) });
      return { said: `${as} commented on ${reference(issue, repo)}`, path: issuePath(issue, repo) };
    },
    push: ({ as, repo, title }) => {
      const branch = world.repo(repo).defaultBranch;
      const [commit] = world.push({ as, repo, branch, commits: [titleFor('push', title)] });
      return { said: `${as} pushed to ${repo}`, path: `${repo}/commit/${commit?.sha ?? ''}` };
    },
    pull: ({ as, repo, title }) => {
      const name = titleFor('pull', title);
      const head = `try-${world.repo(repo).issues.size + 1}`;
      world.push({ as, repo, branch: head, commits: [name] });
      const pull = world.openPull({ as, repo, title: name, head });
      return { said: `${as} opened ${reference(pull, repo)}`, path: issuePath(pull, repo) };
    },
    review: ({ as, repo }) => {
      const pull = aPull(repo);
      const reviewer = reviewerFor(pull, as);
      world.requestReview({ as, repo, index: pull.index, from: [reviewer] });
      return { said: `${as} asked ${reviewer} to review ${reference(pull, repo)}`, path: issuePath(pull, repo) };
    },
    fail: (what) => finish(what, 'failure'),
    pass: (what) => finish(what, 'success'),
    stick: ({ as, repo, title }) => {
      const { id, number } = run(as, repo, title || 'Deploy that never ends');
      world.freezeRun({ run: id });
      return { said: `Run ${number} of ${repo} is stuck (id ${id})`, path: `${repo}/actions/runs/${id}` };
    },
    merge: ({ as, repo }) => {
      const pull = aPull(repo);
      world.merge({ as, repo, index: pull.index });
      return { said: `${as} merged ${reference(pull, repo)}`, path: issuePath(pull, repo) };
    },
  };

  return {
    make(what) {
      if (!repositories(world).includes(what.repo) || !people.some(({ name }) => name === what.as)) {
        throw new UserError('The sandbox forge has no such repository or person.');
      }
      const { said, path } = acts[what.verb](what);
      happened.unshift({ at: now(), said, url: `${world.state.site.url}/${path}` });
      happened.splice(20);
      return said;
    },
    state: () => ({ repos: repositories(world), people: people.map(({ name }) => name), happened }),
  };
}

const repositories = (world: World): string[] =>
  [...world.state.repos.values()]
    .filter(({ archivedAt }) => archivedAt === undefined)
    .map(({ owner, name }) => `${owner.login}/${name}`);
