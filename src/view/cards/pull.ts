import type { KnownBlock } from '@slack/types';
import { teamPath } from '../../config/file.js';
import { richBody } from '../body.js';
import { by, frame, type Look, type Person, people, person, some, team, when } from '../look.js';
import { pullState } from '../state.js';
import { code, join, link, type Mrkdwn, md } from '../text.js';
import { day, type Instant } from '../when.js';

interface Branch {
  readonly ref: string;
  readonly label?: string | null | undefined;
  readonly repo?: { readonly full_name: string } | null | undefined;
}

export interface ReviewLike {
  /** APPROVED, REQUEST_CHANGES, COMMENT, … */
  readonly state: string;
  readonly user?: Person | null | undefined;
  readonly dismissed?: boolean | null | undefined;
  /** Whether the forge counts it: reviews of readers and outsiders do not. */
  readonly official?: boolean | null | undefined;
  readonly stale?: boolean | null | undefined;
}

interface TeamLike {
  readonly name: string;
  readonly organization?: { readonly name: string } | null | undefined;
}

export interface PullLike {
  readonly number: number;
  readonly title: string;
  readonly state?: string | null | undefined;
  readonly merged?: boolean | null | undefined;
  readonly draft?: boolean | null | undefined;
  readonly html_url: string;
  readonly body?: string | null | undefined;
  readonly user?: Person | null | undefined;
  readonly base?: Branch | null | undefined;
  readonly head?: Branch | null | undefined;
  readonly labels?: readonly { readonly name: string }[] | null | undefined;
  readonly assignees?: readonly Person[] | null | undefined;
  readonly milestone?: { readonly title: string } | null | undefined;
  readonly due_date?: Instant;
  readonly requested_reviewers?: readonly Person[] | null | undefined;
  readonly requested_reviewers_teams?: readonly TeamLike[] | null | undefined;
  readonly additions?: number | null | undefined;
  readonly deletions?: number | null | undefined;
  readonly created_at?: Instant;
}

export function pullCard(pull: PullLike, look: Look, reviews: readonly ReviewLike[] = []): KnownBlock[] {
  // nobody has to review what is merged or closed
  const isOpen = !pull.merged && (pull.state ?? 'open') === 'open';
  const asked = some([
    ...(pull.requested_reviewers ?? []).map((someone) => person(someone, look)),
    ...(pull.requested_reviewers_teams ?? []).map((each) => team(teamPath(each, pull.base?.repo?.full_name), look)),
  ]);
  const assigned = people(pull.assignees, look);
  const due = day(pull.due_date);
  const { additions, deletions } = pull;
  const size = additions == null || deletions == null ? undefined : `+${additions} −${deletions}`;
  return frame(
    {
      state: pullState({ state: pull.state ?? 'open', merged: pull.merged, draft: pull.draft }),
      subject: link(pull.html_url, `#${pull.number} ${pull.title}`),
      facts: [
        pull.base?.repo?.full_name,
        branches(pull),
        when(pull.created_at, look),
        by(pull.user, look),
        assigned.empty ? undefined : md`assigned to ${assigned}`,
        due === undefined ? undefined : `due ${due}`,
        pull.milestone?.title,
        verdicts(reviews, look),
        asked.empty || !isOpen ? undefined : md`waiting on ${asked}`,
        size,
        some((pull.labels ?? []).map((label) => code(label.name))),
      ],
      body: [richBody(pull.body, pull.html_url)],
    },
    look,
  );
}

function branches(pull: PullLike): Mrkdwn | undefined {
  if (!pull.base?.ref) return undefined;
  return pull.head?.ref ? md`${code(pull.base.ref)} ← ${code(headName(pull.head, pull.base))}` : code(pull.base.ref);
}

/** The name it had, even if it was deleted, with its repository if that is a fork. */
function headName({ ref, label, repo }: Branch, base: Branch): string {
  const name = (ref.startsWith('refs/pull/') && label) || ref;
  return repo && base.repo && repo.full_name !== base.repo.full_name ? `${repo.full_name}:${name}` : name;
}

/** A review from before the last push was of different code. */
function describeReview({ user, stale }: ReviewLike, look: Look): Mrkdwn | undefined {
  const who = person(user, look);
  return who && stale ? md`${who} (before the last push)` : who;
}

/** Each reviewer's last verdict counts. */
function verdicts(reviews: readonly ReviewLike[], look: Look): Mrkdwn {
  const last = new Map(
    reviews
      .filter((review) => !review.dismissed && ['APPROVED', 'REQUEST_CHANGES'].includes(review.state))
      .flatMap((review) => (review.user ? [[review.user.login, review] as const] : [])),
  );
  const reviewers = (among: (review: ReviewLike) => boolean): Mrkdwn =>
    some([...last.values()].filter(among).map((review) => describeReview(review, look)));
  const approved = reviewers(({ state, official }) => state === 'APPROVED' && official === true);
  const uncounted = reviewers(({ state, official }) => state === 'APPROVED' && official !== true);
  const refused = reviewers(({ state }) => state === 'REQUEST_CHANGES');
  return join([
    approved.empty ? undefined : md`approved by ${approved}`,
    uncounted.empty ? undefined : md`approval by ${uncounted} doesn’t count`,
    refused.empty ? undefined : md`changes requested by ${refused}`,
  ]);
}
