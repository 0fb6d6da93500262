import { command } from '../../chat/command.js';
import { body, optional, pull } from '../../chat/fields.js';
import { head, publish } from './read.js';
import { findVerdict, giveVerdict, planVerdict, verdictReply } from './verdict.js';

export const prApprove = command({
  name: 'pr approve',
  aliases: ['approve'],
  summary: 'Approve a pull request',
  examples: ['pr approve acme/engine#5', 'pr approve #5 Well done.'],
  fields: { pull: pull(), body: optional(body({ label: 'Comment' })), head: head(), publish: publish() },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  notForAgents: 'An approval is given by a person.',
  operations: ['pulls.submitReview', 'pulls.get', 'pulls.listReviews', 'issues.get'],
  needs: ['pulls.submitReview'],
  plan: ({ pull, body, head, publish }, context) =>
    planVerdict({ event: 'APPROVED', ref: pull, body, seen: head, publish }, context),
  run: ({ pull, body, head, publish }, context) =>
    giveVerdict({ event: 'APPROVED', ref: pull, body, seen: head, publish }, context),
  findDone: ({ pull, body, head }, context, sent) =>
    findVerdict({ event: 'APPROVED', ref: pull, body, seen: head }, context, sent),
  reply: (given, _args, context) => verdictReply(given, context),
});
