import { command } from '../../chat/command.js';
import { pull } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { readWithChecks, shownPullMessage } from '../../domain/pulls/show.js';

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
