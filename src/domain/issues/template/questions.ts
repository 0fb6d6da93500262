import type { Asked } from '../../../chat/form/asked.js';
import { UserError } from '../../../errors.js';
import { limits } from '../../../view/limits.js';
import type { FormField, FormOption } from './fields.js';

const most = 25;

interface Numbered extends FormOption {
  readonly at: number;
}

const choice = ({ label, at }: Numbered) => ({ value: String(at), label });

/** Slack can require one tick per group, the forge requires specific ones: those become groups of their own. */
function ticks({ id, label, description }: FormField, options: readonly Numbered[]): Asked[] {
  const needed = options.filter(({ required }) => required);
  const free = options.filter(({ required }) => !required);
  const groups = Array.from({ length: Math.ceil(free.length / limits.checkboxes) }, (_, at) =>
    free.slice(at * limits.checkboxes, (at + 1) * limits.checkboxes),
  );
  const hint = description || undefined;
  return [
    ...groups.map(
      (group, at): Asked => ({
        name: at === 0 ? id : `${id}#g${at}`,
        label: label || id,
        hint,
        kind: 'ticks',
        options: group.map(choice),
        required: false,
      }),
    ),
    ...needed.map(
      (option): Asked => ({
        name: `${id}#${option.at}`,
        label: label || id,
        hint: option.label.length > limits.option.text ? option.label : hint,
        kind: 'ticks',
        options: [choice(option)],
        required: true,
      }),
    ),
  ];
}

function questionsOf(field: FormField): Asked[] {
  const { id, kind, label, description, value, required, multiple, chosen } = field;
  const options = field.options.map((option, at) => ({ ...option, at })).filter(({ inForm, label }) => inForm && label);
  const common = { name: id, label: label || id, hint: description || undefined, required };
  switch (kind) {
    case 'markdown':
      return [{ name: '', label: value, kind: 'note', required: false }];
    case 'input':
      return [
        { ...common, kind: field.isNumber ? 'number' : 'text', initial: value, pattern: field.pattern || undefined },
      ];
    case 'textarea':
      return [{ ...common, kind: 'long', initial: value }];
    case 'dropdown':
      return [
        {
          ...common,
          kind: multiple ? 'several' : 'one',
          options: options.map(choice),
          initial: chosen === undefined ? undefined : String(chosen),
        },
      ];
    case 'checkboxes':
      return ticks(field, options);
  }
}

/** The form as Slack can draw it. */
export function questions(fields: readonly FormField[]): readonly Asked[] {
  const all = fields.filter(({ inForm }) => inForm).flatMap(questionsOf);
  const answered = all.filter(({ kind }) => kind !== 'note');
  if (answered.length <= most && all.length <= 2 * most) return all;
  throw new UserError(`This template asks ${answered.length} questions, too many for Slack. Open it in your browser.`, {
    field: 'template',
  });
}

/** Required fields without an answer. */
export function missingIn(fields: readonly FormField[], answers: Readonly<Record<string, string>>): readonly string[] {
  const all = fields.filter(({ inForm }) => inForm).flatMap(questionsOf);
  return all.flatMap(({ name, label, required, options, kind }) =>
    required && (answers[name] ?? '').trim() === '' ? [kind === 'ticks' ? (options?.[0]?.label ?? label) : label] : [],
  );
}
