import { isForgejo, type Site } from '../state/site.js';

const onIssues = ['issues', 'issue_assign', 'issue_label', 'issue_milestone', 'issue_comment'];
const onReviews = ['pull_request_review_approved', 'pull_request_review_rejected', 'pull_request_review_comment'];
const onPulls = [
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  ...onReviews,
  'pull_request_sync',
  'pull_request_review_request',
];
const alone = ['create', 'delete', 'fork', 'push', 'wiki', 'repository', 'release'];
const later = ['package', 'action_run_failure', 'action_run_recover', 'action_run_success'];

/** A name for several events; the three of a review cannot be requested one by one. */
const groups: Readonly<Record<string, readonly string[]>> = {
  issues: onIssues,
  issues_only: ['issues'],
  pull_request: onPulls,
  pull_request_only: ['pull_request'],
  pull_request_review: onReviews,
};

const single = (event: string): readonly string[] => (onReviews.includes(event) ? [] : [event]);

/** The events the hook ends up with: unknown names are silently dropped. */
export function knownEvents(site: Site, asked: readonly string[]): readonly string[] {
  if (!isForgejo(site)) return asked;
  const wanted = new Set(asked.flatMap((event) => groups[event] ?? single(event)));
  const known = [...alone, ...onIssues, ...onPulls, ...(isForgejo(site, 15) ? later : [])];
  return known.filter((event) => wanted.has(event));
}
