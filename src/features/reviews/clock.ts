import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { Services } from '../../chat/session.js';
import { groupOf, type ReviewSettings, reviewSettings, teamPath } from '../../config/file.js';
import { reasonOf } from '../../errors.js';
import type { AwaitedReview, MessageDelivery } from '../../feed/delivery.js';
import { isWanted } from '../../feed/inbox-why.js';
import { itemThread, readItemThread } from '../../feed/item.js';
import { quietUntil } from '../../feed/quiet.js';
import { commitChecks } from '../../forge/commit-checks.js';
import { gather } from '../../forge/index.js';
import { isUnseen, unlessUnseen } from '../../forge/possible.js';
import { openRequests, readReviews } from '../../forge/review-requests.js';
import type { PullRequest, PullReview } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { type Clock, isUserId, type Person, plainJson, type Store } from '../../store/index.js';
import { actions, context as quietly, section } from '../../view/blocks.js';
import { openButton } from '../../view/elements.js';
import { type Message, message } from '../../view/message.js';
import { link, type Mrkdwn, md, mention, userGroup } from '../../view/text.js';
import { date, describeElapsed } from '../../view/when.js';
import { afterWorkingTime, endOfWork, isWorkingTime, type WorkingHours, workingTime } from '../../working-hours.js';
import { redrawCards } from '../pulls/take.js';

const minuteMs = 60_000;
const mostSearched = 500;
const mostPulls = 100;

/** What is left of the time for a first review, in working time; less than nothing if it is late. */
const leftOf = ({ limit, used, at, running }: Clock, hours: WorkingHours, now: number): number =>
  limit - used - (running ? workingTime(hours, at, now) : 0);

/** `due in 2 h`, `1 h late` */
export function dueWords(left: number): string {
  const words = describeElapsed(Math.max(minuteMs, Math.abs(left)));
  return left > 0 ? `due in ${words}` : `${words} late`;
}

/** When the first review of this pull request is due; nothing while all are paused. */
export async function dueAt(store: Store, thread: string, hours: WorkingHours): Promise<number | 'late' | undefined> {
  const item = readItemThread(thread);
  if (!item) return undefined;
  const mine = [...(await store.clocks.of(item.repo))].filter(([name]) => name.startsWith(`${item.number} `));
  const due = mine.flatMap(([, { running, at, limit, used }]) =>
    running ? [used >= limit ? 0 : afterWorkingTime(hours, at, limit - used)] : [],
  );
  const [first] = due.toSorted((a, b) => a - b);
  return first === 0 ? 'late' : first;
}

interface Reviewer {
  readonly kind: 'user' | 'team';
  readonly name: string;
}

const fieldOf = (index: number, { kind, name }: Reviewer) => `${index} ${kind} ${name.toLowerCase()}`;

interface Waiting {
  readonly number: number;
  readonly repository?: { readonly id: number } | null | undefined;
}

/** By item id: what is left for this person's review, or else that of a team that was asked; nothing while it is paused. */
export async function leftFor(
  items: readonly (Waiting & { readonly id: number })[],
  login: string,
  { store, policy: { workingHours }, now }: Pick<Context, 'store' | 'policy' | 'now'>,
): Promise<ReadonlyMap<number, number>> {
  const repos = [...new Set(items.flatMap(({ repository }) => repository?.id ?? []))];
  const clocks = new Map(await Promise.all(repos.map(async (repo) => [repo, await store.clocks.of(repo)] as const)));
  const found = new Map<number, number>();
  for (const { id, number, repository } of items) {
    const all = clocks.get(repository?.id ?? 0);
    const team = [...(all ?? [])].find(([name]) => name.startsWith(`${number} team `))?.[1];
    const clock = all?.get(fieldOf(number, { kind: 'user', name: login })) ?? team;
    if (clock?.running) found.set(id, leftOf(clock, workingHours, now.getTime()));
  }
  return found;
}

/** Changes were requested, and neither a commit nor a new request came since. */
const waitsForAuthor = (pull: PullRequest, reviews: readonly PullReview[], request: PullReview): boolean =>
  reviews.some(
    ({ id, state, dismissed, commit_id }) =>
      state === 'REQUEST_CHANGES' && !dismissed && commit_id === pull.head?.sha && id > request.id,
  );

interface Request extends Reviewer {
  readonly row: PullReview;
  readonly asked: number;
}

/** The reviews that are still requested, since when. */
function requestsIn(reviews: readonly PullReview[]): Request[] {
  const { requested_reviewers: people, requested_reviewers_teams: teams } = openRequests(reviews);
  const rows = reviews.filter(({ state }) => state === 'REQUEST_REVIEW');
  const request = (reviewer: Reviewer, row: PullReview | undefined): Request[] =>
    row?.submitted_at ? [{ ...reviewer, row, asked: row.submitted_at.getTime() }] : [];
  return [
    ...people.flatMap(({ id, login }) =>
      request(
        { kind: 'user', name: login },
        rows.findLast(({ user, team }) => user?.id === id && !team),
      ),
    ),
    ...teams.flatMap(({ id, name }) =>
      request(
        { kind: 'team', name },
        rows.findLast(({ team }) => team?.id === id),
      ),
    ),
  ];
}

/** What came before this look counts if it was waiting for the reviewer then and now. */
function advance(
  before: Clock | undefined,
  asked: number,
  running: boolean,
  limit: number,
  hours: WorkingHours,
  now: number,
): Clock {
  const known = before?.asked === asked ? before : undefined;
  const since = known ? known.at : asked;
  const counts = running && (known?.running ?? true);
  const used = (known?.used ?? 0) + (counts ? workingTime(hours, since, now) : 0);
  // what was late before anyone looked is shown as late, and not announced
  const said: Clock['said'] = !known && used >= limit ? ['due', 'late'] : [];
  return { asked, used, at: now, running, limit, said: known?.said ?? said };
}

/** What a card shows of it. */
const shownOf = (clock: Clock | undefined): string =>
  clock?.running ? (clock.used >= clock.limit ? 'late' : 'due') : '';

/** Follows the time for first reviews while people work, and sends what is due. */
export function createReviewWatch(services: Services, team: string, everyMs: number) {
  const { store, service, slack, people, log, policy } = services;
  const { reviews: settings, workingHours: hours, teams: groups } = policy;
  const limited = settings.filter(({ firstReview }) => firstReview !== undefined);

  /** Those named in full, and those with open pull requests that fit a pattern. */
  async function coveredRepositories(): Promise<Set<string>> {
    const names = new Set<string>();
    const owners = new Set<string | undefined>();
    for (const { repository } of limited) {
      const { owner } = splitFullName(repository);
      if (!/[*?]/.test(repository)) names.add(repository);
      else owners.add(/[*?]/.test(owner) ? undefined : owner);
    }
    for (const owner of owners.has(undefined) ? [undefined] : owners) {
      const query = { state: 'open', type: 'pulls', ...(owner !== undefined && { owner }) } as const;
      for (const { repository } of await gather(service.issues.search.each({ query }, { max: mostSearched })))
        if (repository) names.add(repository.full_name);
    }
    return names;
  }

  const placeOf = async (user: string) => ({ team, channel: await slack.directMessage(user) });

  async function send(to: string, id: string, said: Message, awaits: AwaitedReview): Promise<void> {
    const body: MessageDelivery = { type: 'message', message: said, awaits };
    const place = isUserId(to) ? await placeOf(to) : { team, channel: to };
    await store.outbox.append(place, [{ id, body: plainJson(body) }]);
  }

  function draw(says: Mrkdwn, pull: PullRequest, fullName: string, asked: number): Message {
    const at = { ...splitFullName(fullName), ...(pull.base?.repo && { repoId: pull.base.repo.id }) };
    return message({
      blocks: [
        section(says),
        quietly([fullName, md`requested ${date(asked, services.now())}`]),
        actions(
          formButton({ text: 'Review', command: 'pr diff', args: { pull: { ...at, index: pull.number } } }),
          openButton(pull.html_url),
        ),
      ],
    });
  }

  /** Whether they can be told now; in their quiet hours, a later look tries again. */
  async function canBeTold(user: string, now: number): Promise<boolean> {
    const person: Person = { team, user };
    const [facts, mine] = await Promise.all([slack.user(user), store.settings.get(person)]);
    if (!facts || facts.deleted || !isWanted(mine.kinds, 'review_requested')) return false;
    if (quietUntil(now, mine.quiet, facts.zone) !== undefined) return false;
    return (await store.outbox.paused(await placeOf(user))) === undefined;
  }

  const subject = ({ html_url, number, title }: PullRequest) => link(html_url, `#${number} ${title}`);

  interface Sending {
    readonly pull: PullRequest;
    readonly fullName: string;
    readonly request: Request;
    readonly clock: Clock;
  }

  const describeAwaited = ({ pull, fullName, request }: Sending, now: number) => ({
    repo: { id: pull.base?.repo?.id ?? 0, fullName },
    index: pull.number,
    ...(request.kind === 'user' ? { login: request.name } : { team: request.name }),
    until: endOfWork(hours, now),
  });

  async function remind(what: Sending, now: number): Promise<boolean> {
    const { pull, fullName, request, clock } = what;
    const user = request.kind === 'user' ? await people.slackUserOf(team, request.name) : undefined;
    if (user === undefined || !(await canBeTold(user, now))) return false;
    const says = md`⏰ Your review of ${subject(pull)} is ${dueWords(leftOf(clock, hours, now))}.`;
    const id = `review-due:${pull.id}:${user}:${clock.asked}`;
    await send(user, id, draw(says, pull, fullName, clock.asked), {
      ...describeAwaited(what, now),
      by: { team, user },
      own: true,
    });
    return true;
  }

  /** In a channel as the reviewer or the author; the team's lead sees it as themselves. */
  async function escalate(to: string, what: Sending, now: number): Promise<boolean> {
    const { pull, fullName, request, clock } = what;
    const isLead = isUserId(to);
    if (isLead && !(await canBeTold(to, now))) return false;
    const reviewer = request.kind === 'user' ? await people.slackUserOf(team, request.name) : undefined;
    const group = request.kind === 'team' ? groupOf(groups, teamPath(request, fullName)) : undefined;
    const who = group
      ? userGroup(group, request.name)
      : reviewer
        ? mention(reviewer, request.name)
        : md`${request.kind === 'team' ? `team ${request.name}` : request.name}`;
    const author = pull.user && (await people.slackUserOf(team, pull.user.login));
    const by = isLead ? to : (reviewer ?? author);
    const says = md`⏰ ${subject(pull)} is waiting for a review from ${who}: ${dueWords(leftOf(clock, hours, now))}.`;
    await send(
      to,
      `review-late:${pull.id}:${fieldOf(pull.number, request)}:${clock.asked}`,
      draw(says, pull, fullName, clock.asked),
      {
        ...describeAwaited(what, now),
        ...(by !== undefined && { by: { team, user: by } }),
        own: true,
      },
    );
    return true;
  }

  async function tell(entry: ReviewSettings, what: Sending, now: number): Promise<Clock> {
    const { clock } = what;
    const left = leftOf(clock, hours, now);
    if (!clock.running || (left > 0 && left > (entry.remind ?? 0) * 1_000)) return clock;
    const kind = left > 0 ? 'due' : 'late';
    if (clock.said.includes(kind)) return clock;
    const sent =
      kind === 'due' ? await remind(what, now) : entry.escalate && (await escalate(entry.escalate, what, now));
    return sent ? { ...clock, said: [...clock.said, kind] } : clock;
  }

  async function lookAtPull(pull: PullRequest, fullName: string, before: ReadonlyMap<string, Clock>) {
    const at = splitFullName(fullName);
    const reviews = await readReviews(service, { ...at, index: pull.number });
    const ref = pull.head?.sha ?? '';
    let red: boolean | undefined;
    const isRed = async () => (red ??= (await commitChecks(service, { ...at, ref })).state === 'failure');
    const found: [string, Clock][] = [];
    for (const request of requestsIn(reviews)) {
      const entry = reviewSettings(
        settings,
        fullName,
        request.kind === 'team' ? teamPath(request, fullName) : undefined,
      );
      if (entry?.firstReview === undefined) continue;
      const now = services.now().getTime();
      const running = !pull.draft && !waitsForAuthor(pull, reviews, request.row) && !(await isRed());
      const name = fieldOf(pull.number, request);
      const clock = advance(before.get(name), request.asked, running, entry.firstReview * 1_000, hours, now);
      found.push([name, await tell(entry, { pull, fullName, request, clock }, now)]);
    }
    return found;
  }

  async function lookAt(fullName: string): Promise<void> {
    const repository = await unlessUnseen(service.repos.get(splitFullName(fullName)));
    if (!repository) return;
    const before = await store.clocks.of(repository.id);
    const query = { state: 'open', sort: 'oldest' } as const;
    const pulls = service.pulls.list.each({ ...splitFullName(fullName), query }, { max: mostPulls });
    const clocks = new Map<string, Clock>();
    for await (const pull of pulls)
      if (pull.requested_reviewers.length + pull.requested_reviewers_teams.length > 0)
        for (const [name, clock] of await lookAtPull(pull, repository.full_name, before)) clocks.set(name, clock);
    await store.clocks.put(repository.id, clocks);
    const repo = { id: repository.id, ownerId: repository.owner?.id ?? 0, fullName: repository.full_name };
    const changed = [...new Set([...before.keys(), ...clocks.keys()])].filter(
      (name) => shownOf(before.get(name)) !== shownOf(clocks.get(name)),
    );
    for (const index of new Set(changed.map((name) => Number.parseInt(name, 10))))
      await redrawCards(store, repo, itemThread(repository.id, index));
  }

  return async (): Promise<void> => {
    if (limited.length === 0 || !isWorkingTime(hours, services.now().getTime())) return;
    if (!(await store.intervals.take('reviews', everyMs))) return;
    for (const fullName of await coveredRepositories()) {
      if (!limited.some((entry) => reviewSettings([entry], fullName, entry.team))) continue;
      await lookAt(fullName).catch((error: unknown) => {
        if (!isUnseen(error))
          log.warn({ repository: fullName, reason: reasonOf(error) }, 'review times could not be checked');
      });
    }
  };
}
