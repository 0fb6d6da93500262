import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { flag, optional, people, pull, teams } from '../../chat/fields/index.js';
import { refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import type { Reviewer } from '../../domain/pulls/ask-each.js';
import { callTeams, groupsOf } from '../../domain/pulls/call-teams.js';
import { type Asked, askable, askReviewers, bodyFor } from '../../domain/pulls/reviewers.js';
import { UserError } from '../../errors.js';
import { doneCard } from '../../view/cards/outcome.js';
import { openButton } from '../../view/elements.js';
import { message } from '../../view/message.js';
import { join, link, md, userGroup } from '../../view/text.js';

function all(people: readonly string[] = [], teams: readonly string[] = []): Reviewer[] {
  const found: Reviewer[] = [
    ...people.map((name) => ({ kind: 'person' as const, name })),
    ...teams.map((name) => ({ kind: 'team' as const, name })),
  ];
  if (found.length > 0) return found;
  throw new UserError('Who should review? Write @person or a login, or use --teams.', { field: 'people' });
}

interface Result extends Asked {
  /** The threads of the pull request's cards mention the groups. */
  readonly called: boolean;
}

const shown = ({ kind, name }: Reviewer) => (kind === 'team' ? `team ${name}` : name);
const list = (all: readonly Reviewer[]) => join(all.map(shown), ', ');

/** Where no thread of a card said it, the answer mentions the groups; it may stand in a thread itself. */
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

function told(result: Result, owner: string, context: Pick<Context, 'teams'>) {
  const { newly, already, refused } = result;
  const asked =
    newly.length > 0
      ? md`Requested a review from ${calling(result, owner, context)} on`
      : md`Everyone you named was already requested on`;
  const still = already.length > 0 ? [md`Already requested: ${list(already)}.`] : [];
  return { asked, but: [...still, ...refused.map(({ who, why }) => md`Not requested: ${shown(who)} (${why}).`)] };
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
  plan: ({ pull, people, teams }) => [
    request('pulls.requestReviewers', { ...pull, body: bodyFor(all(people, teams)) }),
  ],
  async prefill({ pull }, context) {
    if (pull) await askable(pull, context);
    return {};
  },
  async run({ pull, people, teams }, context): Promise<Result> {
    const asked = await askReviewers(pull, all(people, teams), context);
    return { ...asked, called: await callTeams(pull, asked.newly, context) };
  },
  reply(result, { pull: ref }, { forge, teams }) {
    const page = webAddress(forge.web, { kind: 'pull', of: ref });
    const { asked, but } = told(result, ref.owner, { teams });
    return message({
      blocks: doneCard({
        says: md`${asked} ${link(page, refOf(ref))}.`,
        but,
        buttons: [openButton(page)],
      }),
    });
  },
});
