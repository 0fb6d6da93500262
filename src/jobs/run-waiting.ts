import type { Event, RunFacts, RunWaiting } from '../feed/event.js';
import { ifAnswered } from '../forge/possible.js';
import { splitFullName } from '../full-name.js';
import { detail } from './detail.js';
import type { FeedDeps } from './feed-deps.js';

const mostFiles = 100;
const workflowFile = /^\.(?:gitea|github|forgejo)\/workflows\//;

type RunEvent = Extract<Event, { readonly run: RunFacts }>;

/** Who wants their run approved and what it changes, read once for everyone who gets the message. */
export function createRunWaiting({ service, has, log }: Pick<FeedDeps, 'service' | 'has' | 'log'>) {
  const tryRead = <T>(asking: Promise<T>) =>
    ifAnswered(asking, ({ message }) => log.debug({ reason: message }, 'a waiting run could not be described in full'));

  async function details(owner: string, repo: string, { pull }: RunWaiting): Promise<RunWaiting> {
    const at = { owner, repo, index: pull };
    const [found, files] = await Promise.all([
      tryRead(service.pulls.get(at, detail())),
      tryRead(service.pulls.listFiles({ ...at, query: { limit: mostFiles } }, detail())),
    ]);
    const poster = found?.user?.login;
    const query = { state: 'closed' as const, poster: poster ?? '', limit: 50 };
    const past = poster === undefined ? undefined : await tryRead(service.pulls.list({ owner, repo, query }, detail()));
    return {
      pull,
      ...(found && { url: found.html_url, title: found.title }),
      ...(poster !== undefined && { author: poster }),
      ...(past && { firstTime: !past.items.some(({ merged, user }) => merged && user?.login === poster) }),
      ...(files && { files: files.items.map(({ filename }) => filename).filter((name) => workflowFile.test(name)) }),
    };
  }

  return async (event: RunEvent): Promise<RunEvent> => {
    const { waiting } = event.run;
    if (!waiting) return event;
    const { owner, repo } = splitFullName(event.repo.fullName);
    const [approve, described] = await Promise.all([has('runs.approve'), details(owner, repo, waiting)]);
    const offers = approve ? { approve } : {};
    return { ...event, run: { ...event.run, offers, waiting: described } };
  };
}
