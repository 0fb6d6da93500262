import { chosenIn, isEmpty } from '../form-values.js';
import { asObj, asText, type Obj } from '../json.js';
import type { View } from '../model.js';

function complaint(block: Obj, control: Obj, value: Obj | undefined): string | undefined {
  if (isEmpty(value)) return block['optional'] === true ? undefined : 'Please complete this required field.';
  const chosen = chosenIn(value);
  if (typeof chosen !== 'string') return undefined;
  const min = Number(control['min_length'] ?? 0);
  const max = Number(control['max_length'] ?? 3000);
  switch (asText(control['type'])) {
    case 'plain_text_input':
      if (chosen.length < min) return `Must be at least ${min} characters.`;
      return chosen.length > max ? `Must be no more than ${max} characters.` : undefined;
    case 'email_text_input':
      return /^\S+@\S+\.\S+$/.test(chosen) ? undefined : 'Please enter a valid email address.';
    case 'url_text_input':
      return URL.canParse(chosen) ? undefined : 'Please enter a valid URL.';
    case 'number_input': {
      const pattern = control['is_decimal_allowed'] === true ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
      if (!pattern.test(chosen)) return 'Please enter a valid number.';
      if (Number(chosen) < Number(control['min_value'] ?? Number.NEGATIVE_INFINITY)) return 'The number is too small.';
      return Number(chosen) > Number(control['max_value'] ?? Number.POSITIVE_INFINITY)
        ? 'The number is too large.'
        : undefined;
    }
    default:
      return undefined;
  }
}

/** What Slack's client itself refuses before asking the app, by block id. */
export function clientErrors(view: View): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const block of view.blocks) {
    if (block['type'] !== 'input') continue;
    const control = asObj(block['element']);
    const id = asText(block['block_id']);
    const found = complaint(block, control, view.values[id]?.[asText(control['action_id'])]);
    if (found !== undefined) errors[id] = found;
  }
  return errors;
}
