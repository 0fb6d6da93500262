import { command } from '../../chat/command.js';
import { body, pull } from '../../chat/fields.js';
import { head, publish } from './read.js';
import { findVerdict, giveVerdict, planVerdict, verdictReply } from './verdict.js';

export const prRequestChanges = command({
  name: 'pr request-changes',
  title: 'Request changes',
  summary: 'Request changes on a pull request',
  examples: ['pr request-changes acme/engine#5 Please add a test.'],
  fields: { pull: pull(), body: body({ label: 'What needs to change?' }), head: head(), publish: publish() },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['pulls.submitReview', 'pulls.get', 'pulls.listReviews', 'issues.get'],
  needs: ['pulls.submitReview'],
  plan: ({ pull, body, head, publish }, context) =>
    planVerdict({ event: 'REQUEST_CHANGES', ref: pull, body, seen: head, publish }, context),
  run: ({ pull, body, head, publish }, context) =>
    giveVerdict({ event: 'REQUEST_CHANGES', ref: pull, body, seen: head, publish }, context),
  findDone: ({ pull, body, head }, context, sent) =>
    findVerdict({ event: 'REQUEST_CHANGES', ref: pull, body, seen: head }, context, sent),
  reply: (given, _args, context) => verdictReply(given, context),
});
