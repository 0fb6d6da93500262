import type { Core } from '../core.js';
import { offeredBy } from '../form-values.js';
import { asText, isObj, type Obj } from '../json.js';
import type { User } from '../model.js';
import { suggestionIssues } from '../rules/options.js';
import type { Found } from './controls.js';
import { interaction, isMessage, place, type Target } from './payloads.js';
import { failed, type Reply, replyOf } from './reply.js';

export interface Suggestion extends Reply {
  options: Obj[];
}

/** Types into an external select and reads what the app offers. */
export async function suggest(
  core: Core,
  user: User,
  target: Target,
  { block, control }: Found,
  query: string,
): Promise<Suggestion> {
  // Slack's own client does not ask until enough was typed
  if (query.length < Number(control['min_query_length'] ?? 3)) return { ...failed('query_too_short'), options: [] };
  const { response_url: _none, ...where } = place(core, user, target);
  const ack = await core.courier.deliver('interactive', {
    ...interaction(core, user, 'block_suggestion'),
    ...where,
    ...(isMessage(target) ? {} : { container: { type: 'view', view_id: target.id } }),
    action_id: asText(control['action_id']),
    block_id: asText(block['block_id']),
    value: query,
  });
  const reply = replyOf(ack);
  if (!reply.ok) return { ...reply, options: [] };
  const issues = suggestionIssues(reply.ack);
  if (issues.length > 0 || !isObj(reply.ack)) {
    core.failures.note('invalid_blocks', `block_suggestion: ${JSON.stringify(issues)}`);
    return { ...reply, ok: false, error: 'invalid_options', options: [] };
  }
  return { ...reply, options: offeredBy(reply.ack) };
}
