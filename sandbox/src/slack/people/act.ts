import type { Core } from '../core.js';
import { chosenValue } from '../form-values.js';
import { asText, type Json, type Obj } from '../json.js';
import type { User, Values } from '../model.js';
import type { Found } from './controls.js';
import { interaction, isMessage, place, type Target } from './payloads.js';
import { type Reply, replyOf } from './reply.js';

const shownWith = ['text', 'style', 'url', 'placeholder', 'confirm'];

/** Notifies the app that a control was used. */
export async function act(
  core: Core,
  user: User,
  target: Target,
  { block, control }: Found,
  chosen: { value?: string; option?: Json },
  values: Values,
): Promise<Reply> {
  const kept = Object.fromEntries(
    shownWith.filter((key) => control[key] !== undefined).map((key) => [key, control[key]]),
  );
  const value = chosen.value ?? control['value'];
  const isButton = asText(control['type']).endsWith('button');
  const action: Obj = {
    ...kept,
    action_id: asText(control['action_id']),
    block_id: asText(block['block_id']),
    ...(isButton
      ? { type: asText(control['type']), ...(value === undefined ? {} : { value }) }
      : chosenValue(control, chosen.option)),
    action_ts: core.ids.ts(core.now()),
  };
  const inModal = !isMessage(target) && target.type === 'modal';
  const ack = await core.courier.deliver(
    'interactive',
    {
      ...interaction(core, user, 'block_actions'),
      ...place(core, user, target),
      trigger_id: core.triggers.issue(user.id, inModal),
      ...(isMessage(target) ? { state: { values } } : {}),
      actions: [action],
    },
    false,
  );
  return replyOf(ack);
}
