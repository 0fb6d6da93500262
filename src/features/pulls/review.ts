import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, type Named, optional, peopleOrTeams, pull, teams, toggle } from '../../chat/fields.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { groupOf, teamPath, teamsOf } from '../../config/file.js';
import { UserError } from '../../errors.js';
import { audienceOf, followersOf } from '../../feed/covers.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import type { Event, RepoRef } from '../../feed/event.js';
import { Filter } from '../../feed/filter.js';
import { itemThread, pullState } from '../../feed/item.js';
import { followItem } from '../../feed/own-card.js';
import { decide } from '../../feed/route.js';
import { sourceKey } from '../../feed/sources/source.js';
import { isHidden } from '../../forge/index.js';
import { ifAnswered, isAbsent, soon } from '../../forge/possible.js';
import { splitFullName } from '../../full-name.js';
import { plainJson, type Subscription } from '../../store/index.js';
import { actions, section } from '../../view/blocks.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { count, some } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { bold, join, link, md, mention, userGroup } from '../../view/text.js';
import { chooseReviewer, type Proposal, proposeReviewers } from './proposals.js';
import { readPull, refuseClosed } from './read.js';
import { asItIs, askable, askReviewers, bodyFor, type RequestedReviewers, type Reviewer, same } from './reviewers.js';

/** The Slack user groups of this owner's teams. */
const groupsOf = (owner: string, asked: readonly Reviewer[], { policy }: Pick<Context, 'policy'>) =>
  asked.flatMap(({ kind, name }) => {
    const group = kind === 'team' ? groupOf(policy.teams, teamPath({ name }, owner)) : undefined;
    return group === undefined ? [] : [{ name, group }];
  });

/** The event that follows, as subscriptions see it. */
const requestEvent = (
  repo: RepoRef,
  { index }: ItemRef,
  newly: readonly Reviewer[],
  { login, now }: Context,
): Event => ({
  v: 1,
  id: '',
  source: '',
  at: now.toISOString(),
  kind: 'reviews:requested',
  repo,
  actor: { id: 0, login, bot: false },
  item: { kind: 'pull', number: index, url: '' },
  asked: {
    people: newly.filter(({ kind }) => kind === 'person').map(({ name }) => name),
    teams: newly.filter(({ kind }) => kind === 'team').map(({ name }) => teamPath({ name }, repo.fullName)),
  },
});

/** Where no subscription posts review requests, the threads of the pull request's cards get them from here. */
async function callTeams(ref: ItemRef, newly: readonly Reviewer[], context: Context): Promise<boolean> {
  const { store, api, person, login, job = '' } = context;
  const groups = groupsOf(ref.owner, newly, context);
  if (groups.length === 0) return false;
  const repository = await soon(api.repos.get(ref));
  if (!repository) return false;
  const thread = itemThread(repository.id, ref.index);
  const places = new Map<string, Subscription>();
  const repo = { id: repository.id, fullName: repository.full_name, hidden: isHidden(repository) };
  const ownerId = repository.owner?.id ?? 0;
  const subs = await followersOf(store, { ...repo, ownerId });
  const pull = subs.length > 0 ? await soon(asItIs(ref, context)) : undefined;
  const item = pull && pullState(pull);
  const event = requestEvent({ ...repo, url: repository.html_url }, ref, newly, context);
  const posting = new Set<string>();
  for (const sub of subs) {
    const filter = Filter.safeParse(sub.filter).data;
    if (filter && decide(filter, event, { item, subscriber: login }).keep) posting.add(sub.place.channel);
    if (!(await store.threads.get(sub.place, thread))) continue;
    places.set(sub.place.channel, sub);
  }
  // the event will say it there
  for (const channel of posting) places.delete(channel);
  if (posting.size > 0) await store.sources.wake(sourceKey({ kind: 'items', id: ownerId }));
  const names = some(groups.map(({ name, group }) => userGroup(group, name)));
  const message = say(md`${mention(person.user, login || undefined)} requested a review from ${names}`);
  for (const sub of places.values()) {
    const { place } = sub;
    const of = audienceOf(repo, sub);
    const body: MessageDelivery = { type: 'message', message, under: thread, of };
    await store.outbox.append(place, [{ id: `review:${thread}:${job}`, body: plainJson(body) }]);
    if (item) await followItem(store, place, thread, item, of);
  }
  return places.size > 0;
}

interface ReviewWish {
  readonly pull: ItemRef;
  readonly people?: readonly Named[] | undefined;
  readonly teams?: readonly Named[] | undefined;
  readonly assign?: boolean | undefined;
}

const isNamed = ({ people = [], teams = [] }: Partial<ReviewWish>) => people.length + teams.length > 0;
/** Proposes people instead of asking anyone. */
const onlyProposes = (wish: Partial<ReviewWish>) => !isNamed(wish) && !wish.assign;

/** Who could review it, best first; closed ones take no reviewers. */
async function findProposals(ref: ItemRef, context: Context): Promise<readonly Proposal[]> {
  const pull = await readPull(ref, context);
  refuseClosed(ref, pull, 'it cannot be reviewed');
  const found = await proposeReviewers(ref, pull, context);
  if (found.length > 0) return found;
  throw new UserError(`I found nobody to propose for ${refOf(ref)}. Write @person, a login or a team.`, {
    field: 'people',
  });
}

interface Found {
  readonly all: readonly Reviewer[];
  /** How many members of the named Slack groups have no linked account. */
  readonly unlinked: number;
  /** Why this one was chosen. */
  readonly because?: readonly string[];
}

/** `core`, or `acme/core` in a repository of acme. */
function teamOf(path: string, at: ItemRef): Reviewer {
  const { owner, repo: name } = splitFullName(path.includes('/') ? path : `${at.owner}/${path}`);
  if (same(owner, at.owner)) return { kind: 'team', name };
  throw new UserError(`${path} can’t review ${refOf(at)}: only teams of ${at.owner} can.`);
}

const mostMembers = 50;

/** The group's team in this organization as configured, or else its linked members. */
async function reviewersIn({ id, name }: { id: string; name: string }, at: ItemRef, context: Context): Promise<Found> {
  const [path, another] = teamsOf(context.policy.teams, id).filter((each) => same(splitFullName(each).owner, at.owner));
  if (another !== undefined)
    throw new UserError(`@${name} is mapped to more than one team in bellows.yaml. Use the team’s name on the forge.`);
  if (path !== undefined) return { all: [teamOf(path, at)], unlinked: 0 };
  const { slack, people, person } = context;
  const members = await slack.userGroupMembers(id);
  if (members.length > mostMembers)
    throw new UserError(`@${name} has ${members.length} members: request at most ${mostMembers} people.`);
  const logins = await Promise.all(members.map((user) => people.loginOf({ team: person.team, user })));
  const all = logins.flatMap((login) => (login === undefined ? [] : [{ kind: 'person' as const, name: login }]));
  if (all.length > 0) return { all, unlinked: members.length - all.length };
  throw new UserError(`Nobody in @${name} has a linked forge account. Name people or a team of ${at.owner} instead.`);
}

/** What was typed is a team's name if the repository has such a team and nobody has that login. */
async function personOrTeam(name: string, teams: readonly { name: string }[], { api }: Context): Promise<Reviewer> {
  const team = teams.find((each) => same(each.name, name));
  const isNobody = team && (await api.users.get({ username: name }).then(() => false, isAbsent));
  return isNobody ? { kind: 'team', name: team.name } : { kind: 'person', name };
}

const chosenBy = ({ job = '' }: Context) => `assign-${job}`;

/** Once chosen, the same one, should the job start again. */
async function findBest(at: ItemRef, context: Context): Promise<Pick<Proposal, 'login' | 'reasons'> | undefined> {
  const chosen = (await context.store.jobs.markOf(chosenBy(context), 'sent'))?.note;
  if (chosen !== undefined) return { login: chosen, reasons: [] };
  return chooseReviewer(at, await findProposals(at, context), context);
}

async function findReviewers(wish: ReviewWish, context: Context): Promise<Found> {
  const { pull: at, people = [], teams = [], assign } = wish;
  if (assign && isNamed(wish)) throw new UserError('Name reviewers or use --assign, not both.', { field: 'people' });
  const best = assign ? await findBest(at, context) : undefined;
  if (best) return { all: [{ kind: 'person', name: best.login }], unlinked: 0, because: best.reasons };
  const named = [...people, ...teams];
  const isTyped = named.some((each) => each.kind === 'person' && each.typed);
  const own = isTyped ? ((await ifAnswered(context.api.repos.listTeams(at)))?.items ?? []) : [];
  const found = await Promise.all(
    named.map(async (each): Promise<Found> => {
      if (each.kind === 'group') return reviewersIn(each, at, context);
      if (each.kind === 'team') return { all: [teamOf(each.name, at)], unlinked: 0 };
      return { all: [await personOrTeam(each.name, each.typed ? own : [], context)], unlinked: 0 };
    }),
  );
  const all = new Map(
    found.flatMap((each) => each.all).map((who) => [`${who.kind} ${who.name.toLowerCase()}`, who] as const),
  );
  return { all: [...all.values()], unlinked: found.reduce((sum, { unlinked }) => sum + unlinked, 0) };
}

interface Result extends RequestedReviewers, Omit<Found, 'all'> {
  /** Whether the threads of the pull request's cards mention the groups. */
  readonly called: boolean;
}

const showReviewer = ({ kind, name }: Reviewer) => (kind === 'team' ? `team ${name}` : name);

const list = (all: readonly Reviewer[]) => join(all.map(showReviewer), ', ');

/** If no card's thread mentioned the groups, the answer does; it may be in a thread itself. */
function calling({ newly, called }: Result, owner: string, context: Pick<Context, 'policy'>) {
  const groups = called ? [] : groupsOf(owner, newly, context);
  const groupNamed = (who: Reviewer) => groups.find(({ name }) => who.kind === 'team' && name === who.name);
  return join(
    newly.map((who) => {
      const found = groupNamed(who);
      return found ? userGroup(found.group, found.name) : showReviewer(who);
    }),
    ', ',
  );
}

function outcomeText(result: Result, owner: string, context: Pick<Context, 'policy'>) {
  const { newly, already, refused, unlinked, because = [] } = result;
  const asked =
    newly.length > 0
      ? md`Requested a review from ${calling(result, owner, context)} on`
      : md`Everyone you named was already requested on`;
  const still = already.length > 0 ? [md`Already requested: ${list(already)}.`] : [];
  const strangers = md`Not requested: ${count(unlinked, 'member')} of the group without a linked forge account.`;
  return {
    asked,
    but: [
      ...(because.length > 0 ? [join(because, ' · ')] : []),
      ...still,
      ...refused.map(({ who, why }) => md`Not requested: ${showReviewer(who)} (${why}).`),
      ...(unlinked > 0 ? [strangers] : []),
    ],
  };
}

async function planReviewRequest(wish: ReviewWish, context: Context) {
  if (onlyProposes(wish)) return [request('pulls.get', wish.pull)];
  const { all } = await findReviewers(wish, context);
  return [request('pulls.requestReviewers', { ...wish.pull, body: bodyFor(all) })];
}

async function refuseUnaskable({ pull }: Partial<ReviewWish>, context: Context) {
  if (pull) await askable(pull, context);
  return {};
}

async function requestReview(wish: ReviewWish, context: Context): Promise<Result | readonly Proposal[]> {
  if (onlyProposes(wish)) return findProposals(wish.pull, context);
  const { all, ...found } = await findReviewers(wish, context);
  const [chosen] = wish.assign ? all : [];
  if (chosen) await context.store.jobs.mark(chosenBy(context), 'sent', chosen.name);
  const asked = await askReviewers(wish.pull, all, context);
  if (chosen) await context.store.rounds.note(wish.pull.owner, chosen.name);
  return { ...asked, ...found, called: await callTeams(wish.pull, asked.newly, context) };
}

function proposalsMessage(found: readonly Proposal[], pull: ItemRef, page: string) {
  return message({
    text: md`Reviewers to consider for ${refOf(pull)}: ${join(
      found.map(({ login }) => login),
      ', ',
    )}`,
    blocks: [
      section(md`Reviewers to consider for ${link(page, refOf(pull))}:`),
      ...found.map(({ login, reasons }) =>
        section(
          md`${bold(login)} · ${join(reasons, ' · ')}`,
          runButton({ text: 'Request review', command: 'pr review', args: { pull, people: [{ login }] } }),
        ),
      ),
      actions(formButton({ text: 'Choose others', command: 'pr review', args: { pull } })),
    ],
  });
}

function reviewMessage(result: Result | readonly Proposal[], { pull: ref }: ReviewWish, context: Context) {
  const page = webAddress(context.forge.web, { kind: 'pull', of: ref });
  if (!('newly' in result)) return proposalsMessage(result, ref, page);
  const { asked, but } = outcomeText(result, ref.owner, context);
  return message({
    blocks: doneCard({
      says: md`${asked} ${link(page, refOf(ref))}.`,
      but,
      buttons: [openButton(page)],
    }),
  });
}

export const prReview = command({
  name: 'pr review',
  title: 'Request review',
  summary: 'Request a review from people or teams, or get proposals',
  examples: [
    'pr review acme/engine#5 ada, grace',
    'pr review #5 acme/backend',
    'pr review #5 --teams backend',
    'pr review #5 --assign',
  ],
  fields: {
    pull: pull(),
    people: optional(peopleOrTeams()),
    teams: flag(teams()),
    assign: toggle({ label: 'Choose for me', text: 'Ask the best proposal' }),
  },
  form: { prefill: refuseUnaskable },
  role: 'everyone',
  risk: 'write',
  riskOf: (wish) => (onlyProposes(wish) ? 'read' : 'write'),
  effect: 'idempotent',
  operations: [
    'pulls.requestReviewers',
    'pulls.get',
    'pulls.listReviews',
    'issues.get',
    'repos.get',
    'repos.listTeams',
    'users.get',
    'pulls.listFiles',
    'pulls.list',
    'repos.listReviewers',
    'repos.listAssignees',
    'repos.getFile',
    'repos.listCommits',
    'orgs.listTeamMembers',
  ],
  plan: planReviewRequest,
  run: requestReview,
  reply: reviewMessage,
});
