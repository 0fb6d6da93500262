import type { Core } from '../core.js';
import { chosenIn, controlsOf } from '../form-values.js';
import { asObj, asText, isObj, type Obj } from '../json.js';
import { checkExternalId, checkView } from '../methods/views.js';
import type { User, View } from '../model.js';
import { sizes } from '../rules/limits.js';
import { SlackError } from '../slack-error.js';
import { viewWire } from '../wire.js';
import { interaction } from './payloads.js';
import { failed, type Reply, replyOf } from './reply.js';
import { clientErrors } from './validate.js';

export interface Submitted extends Reply {
  /** Errors at fields, by block id; empty if the form was accepted. */
  errors: Record<string, string>;
}

/** A conversation picked with response_url_enabled gets an address for the answer. */
const responseUrls = (core: Core, user: User, view: View): Obj[] =>
  view.blocks.flatMap((block) =>
    controlsOf(block)
      .filter((control) => control['response_url_enabled'] === true)
      .flatMap((control) => {
        const blockId = asText(block['block_id']);
        const actionId = asText(control['action_id']);
        const channel = asText(chosenIn(view.values[blockId]?.[actionId]));
        if (channel === '') return [];
        const response_url = core.responseUrls.issue('commands', { channel, user: user.id });
        return [{ block_id: blockId, action_id: actionId, channel_id: channel, response_url }];
      }),
  );

function showErrors(core: Core, view: View, errors: Record<string, string>): void {
  core.space.views.replace({ ...view, errors });
}

/** Applies the acknowledgement to the form. */
function obey(core: Core, view: View, ack: Obj): Record<string, string> {
  const { views } = core.space;
  switch (ack['response_action']) {
    case undefined:
      if (views.top(view.user)?.id === view.id) views.close(view.user, 'top');
      return {};
    case 'clear':
      views.close(view.user, 'all');
      return {};
    case 'update': {
      const payload = checkView(core, asObj(ack['view']), 'modal', 'view_submission update');
      checkExternalId(core, payload, view);
      views.update(view, payload);
      return {};
    }
    case 'push': {
      const payload = checkView(core, asObj(ack['view']), 'modal', 'view_submission push');
      checkExternalId(core, payload);
      if (views.stack(view.user).length >= sizes.modalStack) throw new SlackError('push_limit_reached');
      views.push(view.user, payload);
      return {};
    }
    case 'errors': {
      const inputs = view.blocks.filter((block) => block['type'] === 'input').map((block) => block['block_id']);
      const entries = Object.entries(asObj(ack['errors'])).map(([id, text]): [string, string] => [id, asText(text)]);
      const stray = entries.filter(([id]) => !inputs.includes(id)).map(([id]) => id);
      if (stray.length > 0) core.failures.note('protocol', `errors beside fields that do not exist: ${stray}`);
      if (entries.length === 0) core.failures.note('protocol', 'response_action errors without errors');
      const errors = Object.fromEntries(entries);
      showErrors(core, view, errors);
      return errors;
    }
    default:
      throw new SlackError('invalid_response_action');
  }
}

export async function submit(core: Core, user: User, view: View): Promise<Submitted> {
  if (view.submit === undefined) throw new Error('This form has no submit button.');
  const refused = clientErrors(view);
  showErrors(core, view, refused);
  if (Object.keys(refused).length > 0) return { ...failed('invalid_input'), errors: refused };
  const ack = await core.courier.deliver('interactive', {
    ...interaction(core, user, 'view_submission'),
    trigger_id: core.triggers.issue(user.id, true),
    view: viewWire(view, core.space),
    response_urls: responseUrls(core, user, view),
  });
  const reply = replyOf(ack);
  if (!reply.ok) return { ...reply, errors: {} };
  try {
    const present = core.space.views.find((each) => each.id === view.id) ?? view;
    const errors = obey(core, present, isObj(reply.ack) ? reply.ack : {});
    return { ...reply, ok: Object.keys(errors).length === 0, errors };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    core.failures.note('protocol', `view_submission acknowledged with something unusable: ${error.error}`);
    return { ...failed(error.error, reply.ack), errors: {} };
  }
}
