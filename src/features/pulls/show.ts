import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { pull } from '../../chat/fields.js';
import type { ItemRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { type CommitChecks, commitChecks } from '../../forge/commit-checks.js';
import { ifAnswered } from '../../forge/possible.js';
import { openRequests, readReviews } from '../../forge/review-requests.js';
import type { PullRequest } from '../../forge/schemas.js';
import { some } from '../../view/look.js';
import { code, foreignLink, type Mrkdwn, md } from '../../view/text.js';
import { followEntry } from '../subscriptions/follow.js';
import { pullMessage } from './card.js';
import { readPull, short } from './read.js';

async function readWithChecks(ref: ItemRef, context: Context) {
  const { api } = context;
  const pull = await readPull(ref, context);
  const { owner, repo } = ref;
  const sha = pull.head?.sha;
  const [reviews, checks] = await Promise.all([
    ifAnswered(readReviews(api, ref)),
    sha ? ifAnswered(commitChecks(api, { owner, repo, ref: sha })) : undefined,
  ]);
  const asked = reviews ? openRequests(reviews) : {};
  const follow = await followEntry(ref, pull.base?.repo?.id, context);
  return { pull: { ...pull, ...asked }, reviews: reviews ?? [], checks, follow };
}

const marks = new Map([
  ['success', '✅ Checks passed'],
  ['pending', '🟡 Checks are running'],
  ['failure', '❌ Checks failed'],
  ['warning', '⚠️ Checks have warnings'],
  ['skipped', '⏭️ Checks were skipped'],
]);

function checkNote(checks: CommitChecks | undefined): Mrkdwn[] {
  const words = marks.get(checks?.state ?? '');
  if (!checks || words === undefined) return [];
  const failed = [...checks.failed, ...checks.warned];
  return [
    failed.length === 0
      ? md`${words}`
      : md`${words}: ${some(failed.map((each) => foreignLink(each.target_url, each.context)))}`,
  ];
}

function mergeNote({ merged, state, draft, mergeable, head }: PullRequest): Mrkdwn[] {
  if (merged || state === 'closed') return [];
  const at = head?.sha ? [md`At ${code(short(head.sha))}`] : [];
  const stuck =
    mergeable || draft ? [] : [md`⚠️ Cannot be merged yet: it has conflicts, or the forge is still checking`];
  return [...at, ...stuck];
}

function shownPullMessage(
  { pull, reviews, checks, follow }: Awaited<ReturnType<typeof readWithChecks>>,
  { pull: ref }: { readonly pull: ItemRef },
  context: Context,
) {
  const notes = [...checkNote(checks), ...mergeNote(pull)];
  return pullMessage(pull, { ref, follow, reviews, notes, style: 'full' }, context);
}

export const prShow = command({
  name: 'pr show',
  summary: 'Show a pull request with its reviews and checks',
  examples: ['pr show acme/engine#5', 'pr show #5'],
  fields: { pull: pull() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['pulls.get', 'pulls.listReviews', 'repos.commitStatus', 'issues.get'],
  needs: ['pulls.get'],
  plan: ({ pull }) => [request('pulls.get', pull)],
  run: ({ pull }, context) => readWithChecks(pull, context),
  reply: shownPullMessage,
});
