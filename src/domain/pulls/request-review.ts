import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { join, link, md, userGroup } from '../../view/text.js';
import type { Reviewer } from './ask-each.js';
import { callTeams, groupsOf } from './call-teams.js';
import { type Asked, askable, askReviewers, bodyFor } from './reviewers.js';

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

const shown = ({ kind, name }: Reviewer) => (kind === 'team' ? `team ${name}` : name);

const list = (all: readonly Reviewer[]) => join(all.map(shown), ', ');

/** If no card's thread mentioned the groups, the answer does; it may be in a thread itself. */
function calling({ newly, called }: Result, owner: string, context: Pick<Context, 'teams'>) {
  const groups = called ? [] : groupsOf(owner, newly, context);
  const groupNamed = (who: Reviewer) => groups.find(({ name }) => who.kind === 'team' && name === who.name);
  return join(
    newly.map((who) => {
      const found = groupNamed(who);
      return found ? userGroup(found.group, found.name) : shown(who);
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
  return { asked, but: [...still, ...refused.map(({ who, why }) => md`Not requested: ${shown(who)} (${why}).`)] };
}

export const planReviewRequest = ({ pull, people, teams }: ReviewWish) => [
  request('pulls.requestReviewers', { ...pull, body: bodyFor(all(people, teams)) }),
];

export async function refuseUnaskable({ pull }: Partial<ReviewWish>, context: Context) {
  if (pull) await askable(pull, context);
  return {};
}

export async function requestReview({ pull, people, teams }: ReviewWish, context: Context): Promise<Result> {
  const asked = await askReviewers(pull, all(people, teams), context);
  return { ...asked, called: await callTeams(pull, asked.newly, context) };
}

export function requestedMessage(result: Result, { pull: ref }: ReviewWish, { forge, teams }: Context) {
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
