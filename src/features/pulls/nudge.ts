import { formButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { pull } from '../../chat/fields.js';
import { fullName, type ItemRef, refOf } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import type { AwaitedReview, MessageDelivery } from '../../feed/delivery.js';
import { isWanted } from '../../feed/inbox-why.js';
import { waits } from '../../feed/quiet.js';
import { type Api, isHidden } from '../../forge/index.js';
import { possible, unlessUnseen } from '../../forge/possible.js';
import { openRequests, readReviews } from '../../forge/review-requests.js';
import type { PullRequest, PullReview } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { plainJson } from '../../store/index.js';
import { actions, context as quietly, section } from '../../view/blocks.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { join, link, md, mention } from '../../view/text.js';
import { date } from '../../view/when.js';
import { isMine, isOf } from '../find.js';
import { readPull, refuseClosed } from './read.js';

interface NudgeResult {
  readonly who: string;
  /** Absent: they get the message. */
  readonly why?: string;
}

interface Nudged {
  readonly pull: PullRequest;
  readonly all: readonly NudgeResult[];
}

/** Who can read a hidden repository, as the forge tells this person; undefined: everyone. */
async function readers({ owner, repo }: ItemRef, api: Api): Promise<readonly string[] | undefined> {
  if (!isHidden(await api.repos.get({ owner, repo }))) return undefined;
  const able = await possible(unlessUnseen(api.repos.listReviewers({ owner, repo })));
  const listed = able ?? (await unlessUnseen(api.repos.listAssignees({ owner, repo })));
  return (listed?.items ?? []).map(({ login }) => login);
}

const isAmong = (able: readonly string[] | undefined, login: string) =>
  able === undefined || able.some((each) => isOf({ login: each }, login));

/** Whether this review is still requested, and of someone who can see the repository. */
export async function isAwaited({ repo, index, login, team, own }: AwaitedReview, api: Api): Promise<boolean> {
  const ref = { ...splitFullName(repo.fullName), index };
  const found = await unlessUnseen(api.pulls.get(ref));
  if (found?.state !== 'open' || found.base?.repo?.id !== repo.id) return false;
  const asked = openRequests(await readReviews(api, ref));
  if (login === undefined) return asked.requested_reviewers_teams.some(({ name }) => name === team);
  const isAsked = asked.requested_reviewers.some((user) => isOf(user, login));
  return isAsked && (own || isAmong(await readers(ref, api), login));
}

function nudgeMessage(ref: ItemRef, found: PullRequest, since: Date | undefined, { person, login, now }: Context) {
  const repoId = found.base?.repo?.id;
  // whatever the name means by then
  const pull = { ...ref, ...(repoId !== undefined && { repoId }) };
  return message({
    blocks: [
      section(
        md`👋 ${mention(person.user, login)} is waiting for your review of ${link(found.html_url, `#${ref.index} ${found.title}`)}`,
      ),
      quietly([fullName(ref), since && md`requested ${date(since, now)}`]),
      actions(formButton({ text: 'Review', command: 'pr diff', args: { pull } }), openButton(found.html_url)),
    ],
  });
}

/** One direct message a day for each pull request and person. */
async function nudgeOne(login: string, ref: ItemRef, found: PullRequest, asked: PullReview[], context: Context) {
  const { people, person, slack, store, now, job = '' } = context;
  const { team } = person;
  const user = await people.slackUserOf(team, login);
  const facts = user === undefined ? undefined : await slack.user(user);
  if (user === undefined || !facts || facts.deleted) return { who: login, why: 'not linked in Slack' };
  const settings = await store.settings.get({ team, user });
  if (!isWanted(settings.kinds, 'review_requested')) return { who: login, why: 'turned these messages off' };
  const name = `nudge-${found.id}-${user}`;
  const isFirst = await store.jobs.mark(name, 'sent', job);
  if (!isFirst && (await store.jobs.markOf(name, 'sent'))?.note !== job)
    return { who: login, why: 'already nudged in the last 24 hours' };
  const place = { team, channel: await slack.directMessage(user) };
  const reader = { person: { team, user }, quiet: settings.quiet, zone: facts.zone, now: now.getTime() };
  await waits(store, place, reader);
  const since = asked.findLast((each) => each.state === 'REQUEST_REVIEW' && isOf(each.user, login))?.submitted_at;
  const repo = { id: found.base?.repo?.id ?? 0, fullName: found.base?.repo?.full_name ?? fullName(ref) };
  const body: MessageDelivery = {
    type: 'message',
    message: nudgeMessage(ref, found, since, context),
    awaits: { repo, index: ref.index, login, by: { team, user: person.user } },
  };
  await store.outbox.append(place, [{ id: `${name}:${job}`, body: plainJson(body) }]);
  return { who: login };
}

async function nudge({ pull: ref }: { readonly pull: ItemRef }, context: Context): Promise<Nudged> {
  const found = await readPull(ref, context);
  refuseClosed(ref, found, 'it needs no review');
  if (!isMine(found.user, context)) throw new UserError(`Only its author can nudge the reviewers of ${refOf(ref)}.`);
  const reviews = await readReviews(context.api, ref);
  const { requested_reviewers: asked, requested_reviewers_teams: teams } = openRequests(reviews);
  if (asked.length + teams.length === 0)
    throw new UserError(`${refOf(ref)} is not waiting for a review. Request one with /forge pr review ${refOf(ref)}.`);
  const able = asked.length > 0 ? await readers(ref, context.api) : [];
  const all: NudgeResult[] = teams.map(({ name }) => ({ who: `team ${name}`, why: 'teams get no direct messages' }));
  for (const { login } of asked)
    all.push(
      isAmong(able, login)
        ? await nudgeOne(login, ref, found, reviews, context)
        : { who: login, why: 'can’t see this repository' },
    );
  return { pull: found, all };
}

function nudgedReply({ pull: found, all }: Nudged, { pull: ref }: { readonly pull: ItemRef }) {
  const reached = all.filter(({ why }) => why === undefined).map(({ who }) => who);
  const subject = link(found.html_url, `${refOf(ref)} ${found.title}`);
  return message({
    blocks: doneCard({
      says:
        reached.length > 0
          ? md`Nudged ${join(reached, ', ')} about ${subject}.`
          : md`Nobody was nudged about ${subject}.`,
      but: all.flatMap(({ who, why }) => (why === undefined ? [] : [md`${who}: ${why}.`])),
      buttons: [openButton(found.html_url)],
    }),
  });
}

export const prNudge = command({
  name: 'pr nudge',
  aliases: ['nudge'],
  title: 'Nudge reviewers',
  summary: 'Remind the reviewers of your pull request, once a day',
  examples: ['pr nudge acme/engine#5', 'pr nudge #5'],
  fields: { pull: pull({ only: 'open' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'Its message comes from a person.',
  operations: [
    'pulls.get',
    'pulls.listReviews',
    'repos.get',
    'repos.listReviewers',
    'repos.listAssignees',
    'issues.get',
  ],
  needs: ['pulls.get', 'pulls.listReviews'],
  plan: ({ pull }) => [request('pulls.listReviews', pull)],
  run: nudge,
  reply: nudgedReply,
});
