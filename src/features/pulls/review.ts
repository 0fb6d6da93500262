import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, optional, people, pull, teams } from '../../chat/fields.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { groupOf, teamPath } from '../../config/file.js';
import { UserError } from '../../errors.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import { itemThread, pullState } from '../../feed/item.js';
import { followItem } from '../../feed/own-card.js';
import { isHidden } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import { type Place, plainJson, subscriptionId } from '../../store/index.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { some } from '../../view/look.js';
import { message, say } from '../../view/message.js';
import { join, link, md, mention, userGroup } from '../../view/text.js';
import { type Asked, asItIs, askable, askReviewers, bodyFor, type Reviewer } from './reviewers.js';

/** The Slack user groups of this owner's teams. */
const groupsOf = (owner: string, asked: readonly Reviewer[], { teams }: Pick<Context, 'teams'>) =>
  asked.flatMap(({ kind, name }) => {
    const group = kind === 'team' ? groupOf(teams, teamPath({ name }, owner)) : undefined;
    return group === undefined ? [] : [{ name, group }];
  });

/** The forge's feed has no review requests, so the threads of the pull request's cards get them from here. */
async function callTeams(ref: ItemRef, newly: readonly Reviewer[], context: Context): Promise<boolean> {
  const { store, api, person, login, job = '' } = context;
  const groups = groupsOf(ref.owner, newly, context);
  if (groups.length === 0) return false;
  const repository = await soon(api.repos.get(ref));
  if (!repository) return false;
  const thread = itemThread(repository.id, ref.index);
  const places = new Map<string, { readonly place: Place; readonly subscription: string }>();
  for (const sub of await store.subscriptions.candidates(repository.id, repository.owner?.id ?? 0)) {
    if (sub.paused || !(await store.threads.get(sub.place, thread))) continue;
    places.set(sub.place.channel, { place: sub.place, subscription: subscriptionId(sub) });
  }
  const names = some(groups.map(({ name, group }) => userGroup(group, name)));
  const message = say(md`${mention(person.user, login || undefined)} requested a review from ${names}`);
  const repo = { id: repository.id, fullName: repository.full_name, hidden: isHidden(repository) };
  const pull = places.size > 0 ? await soon(asItIs(ref, context)) : undefined;
  for (const { place, subscription } of places.values()) {
    const of = { repo, subscription, units: ['pulls'] } as const;
    const body: MessageDelivery = { type: 'message', message, under: thread, of };
    await store.outbox.append(place, [{ id: `review:${thread}:${job}`, body: plainJson(body) }]);
    if (pull) await followItem(store, place, thread, pullState(pull), of);
  }
  return places.size > 0;
}

interface ReviewWish {
  readonly pull: ItemRef;
  readonly people?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
}

function all(people: readonly string[] = [], teams: readonly string[] = []): Reviewer[] {
  const found: Reviewer[] = [
    ...people.map((name) => ({ kind: 'person' as const, name })),
    ...teams.map((name) => ({ kind: 'team' as const, name })),
  ];
  if (found.length > 0) return found;
  throw new UserError('Who should review? Write @person or a login, or use --teams.', { field: 'people' });
}

interface Result extends Asked {
  /** Whether the threads of the pull request's cards mention the groups. */
  readonly called: boolean;
}

const showReviewer = ({ kind, name }: Reviewer) => (kind === 'team' ? `team ${name}` : name);

const list = (all: readonly Reviewer[]) => join(all.map(showReviewer), ', ');

/** If no card's thread mentioned the groups, the answer does; it may be in a thread itself. */
function calling({ newly, called }: Result, owner: string, context: Pick<Context, 'teams'>) {
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

function outcomeText(result: Result, owner: string, context: Pick<Context, 'teams'>) {
  const { newly, already, refused } = result;
  const asked =
    newly.length > 0
      ? md`Requested a review from ${calling(result, owner, context)} on`
      : md`Everyone you named was already requested on`;
  const still = already.length > 0 ? [md`Already requested: ${list(already)}.`] : [];
  return {
    asked,
    but: [...still, ...refused.map(({ who, why }) => md`Not requested: ${showReviewer(who)} (${why}).`)],
  };
}

const planReviewRequest = ({ pull, people, teams }: ReviewWish) => [
  request('pulls.requestReviewers', { ...pull, body: bodyFor(all(people, teams)) }),
];

async function refuseUnaskable({ pull }: Partial<ReviewWish>, context: Context) {
  if (pull) await askable(pull, context);
  return {};
}

async function requestReview({ pull, people, teams }: ReviewWish, context: Context): Promise<Result> {
  const asked = await askReviewers(pull, all(people, teams), context);
  return { ...asked, called: await callTeams(pull, asked.newly, context) };
}

function requestedMessage(result: Result, { pull: ref }: ReviewWish, { forge, teams }: Context) {
  const page = webAddress(forge.web, { kind: 'pull', of: ref });
  const { asked, but } = outcomeText(result, ref.owner, { teams });
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
  summary: 'Request a review from people or teams',
  examples: ['pr review acme/engine#5 ada, grace', 'pr review #5 --teams backend'],
  fields: {
    pull: pull(),
    people: optional(people({ label: 'People' })),
    teams: flag(teams()),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  form: 'edit',
  operations: ['pulls.requestReviewers', 'pulls.get', 'pulls.listReviews', 'issues.get', 'repos.get'],
  plan: planReviewRequest,
  prefill: refuseUnaskable,
  run: requestReview,
  reply: requestedMessage,
});
