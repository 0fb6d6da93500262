import { chosenValue } from '../form-values.js';
import { asText, type Json } from '../json.js';
import type { Values } from '../model.js';
import { trim } from '../trim.js';
import type { Views } from '../views.js';
import type { Found } from './controls.js';
import { isMessage, type Target } from './payloads.js';

const kept = 500;

/** One person's choices so far: views keep their own, controls in messages are kept here. */
export class Picks {
  readonly #inMessages = new Map<string, Values>();
  readonly #views: Views;

  constructor(views: Views) {
    this.#views = views;
  }

  of(target: Target): Values {
    return isMessage(target) ? (this.#inMessages.get(`${target.channel} ${target.ts}`) ?? {}) : target.values;
  }

  keep(target: Target, { block, control }: Found, option: Json): Target {
    const blockId = asText(block['block_id']);
    const before = this.of(target);
    const row = { ...before[blockId], [asText(control['action_id'])]: chosenValue(control, option) };
    const values = { ...before, [blockId]: row };
    if (!isMessage(target)) return this.#views.replace({ ...target, values });
    this.#inMessages.set(`${target.channel} ${target.ts}`, values);
    trim(this.#inMessages, kept);
    return target;
  }
}
