import { command } from '../../chat/command.js';
import { flag, optional, people, pull, teams } from '../../chat/fields/index.js';
import {
  planReviewRequest,
  refuseUnaskable,
  requestedMessage,
  requestReview,
} from '../../domain/pulls/request-review.js';

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
