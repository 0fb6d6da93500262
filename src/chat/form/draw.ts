import type { InputBlock, ModalView } from '@slack/types';
import { actions, type Blocks, context, type InputOptions, input, section } from '../../view/blocks.js';
import { modal } from '../../view/form.js';
import { bold, md } from '../../view/text.js';
import { previewButton } from '../actions.js';
import type { AnyCommand } from '../command.js';
import type { Field } from '../field.js';
import { formHint, isClearable, isHidden, standIn } from '../fields/make.js';
import { fullName, type RepositoryRef, repositoryIn } from '../references.js';
import { withoutMentions } from '../slack-text.js';
import { submitOf, titleOf } from '../title.js';
import { fieldsOf, omissible } from '../usage.js';
import { type Asked, askedBlocks, patternsOf, rememberedAs } from './asked.js';
import { blockId, menuId } from './ids.js';
import { elementOf, partsOf } from './inputs.js';
import { type FormMeta, writeFormMeta } from './meta.js';

const formCallback = 'form';

export interface Drawn {
  /** Initial values as typed. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly meta: FormMeta;
  /** Above the fields: both versions of a conflict. */
  readonly notice?: Blocks;
  /** The notice replaces the fields. */
  readonly alone?: boolean | undefined;
  /** The forge's questions beyond the command's fields; the field they go into is hidden then. */
  readonly asked?: readonly Asked[] | undefined;
  /** Fields that the questions replace. */
  readonly hides?: readonly string[] | undefined;
  /** When redrawn from submitted values: whether it was prefilled then. */
  readonly filledBefore?: boolean;
  /** Number of this drawing: a new one shows the values given here, not what was typed before. */
  readonly drawing?: number;
  /** The channel's repository, if it has one. */
  readonly own?: RepositoryRef | undefined;
}

/** Slack keeps typed text under a known id: a new number shows the values given here. */
export const drawingAt = (now: Date): number => 2 + (Math.floor(now.getTime() / 1_000) % 900_000);

/** Draws a form from a command's fields with the known values. */
export function drawForm(command: AnyCommand, drawn: Drawn): ModalView {
  const fields = fieldsOf(command);
  const { values, meta, asked, hides = [], drawing = 1, own } = drawn;
  const locks: readonly string[] = command.asks?.locks ?? needed(fields);
  // The fields that identify the item are locked: other values would overwrite another item.
  const known = command.prefill !== undefined && needed(fields).every((name) => values[name] !== undefined);
  const filled = drawn.filledBefore ?? known;
  // It would be sent as null: it was hidden for its length and must not be cleared now.
  const tooLong = (name: string, field: Field) =>
    drawn.filledBefore === true && isClearable(field) && values[name] === undefined;
  const kept = fields.filter(
    ([name, field]) =>
      values[name] !== undefined && ((filled && field.required) || (asked && locks.includes(name)) || isHidden(field)),
  );
  const visible = kept.filter(([, field]) => !isHidden(field));
  const preset = { ...Object.fromEntries(kept.map(([name]) => [name, values[name]])), ...meta.preset };
  const about = meta.about ?? repositoryIn(values);
  const shown = fields.filter(
    ([name, field]) =>
      !drawn.alone &&
      !(name in preset) &&
      !isHidden(field) &&
      name !== command.previews &&
      !tooLong(name, field) &&
      !(asked && name === command.asks?.into) &&
      !hides.includes(name),
  );
  return modal({
    title: titleOf(command),
    submit: drawn.alone ? undefined : drawn.meta.dryRun ? 'Show dry run' : submitOf(command),
    callbackId: formCallback,
    privateMetadata: writeFormMeta({
      ...meta,
      ...(Object.keys(preset).length > 0 && { preset }),
      ...(about && { about }),
      ...(filled && { filled }),
      ...(asked && { asked: rememberedAs(asked), ...patternsOf(asked) }),
    }),
    blocks: [
      context([
        command.summary,
        ...visible.map(([name, field]) => withoutMentions(field.show(values[name]))),
        own && !about && shown.some(([, field]) => asksWithin(field)) ? `Searching in ${fullName(own)}` : undefined,
      ]),
      ...(drawn.notice ?? []),
      ...shown.flatMap(([name, field]) =>
        fieldBlocks(
          name,
          field,
          { ...drawn, values: withOwn(command, values, own) },
          { filled, reacts: name === command.asks?.choice },
        ),
      ),
      ...askedBlocks(asked ?? [], drawing),
      command.previews === undefined ? undefined : actions(previewButton()),
    ],
  });
}

const needed = (fields: ReturnType<typeof fieldsOf>) =>
  fields.filter(([, field]) => field.required && !isHidden(field)).map(([name]) => name);

interface As {
  readonly filled: boolean;
  /** The form is redrawn when it changes. */
  readonly reacts: boolean;
}

/** An empty repository field means the channel's own: the form says which one. */
function withOwn(command: AnyCommand, values: Drawn['values'], own: RepositoryRef | undefined): Drawn['values'] {
  if (!own) return values;
  const filled = fieldsOf(command).flatMap(([name, field]) => {
    const isRepository = field.input.kind === 'external' && field.input.source === 'repositories';
    const value = values[name];
    const left = value === undefined || (value !== null && field.show(value) === '');
    return field.required && isRepository && left && standIn(field) !== undefined ? [[name, own]] : [];
  });
  return { ...values, ...Object.fromEntries(filled) };
}

function textIn(field: Field, value: unknown): string {
  if (field.secret === true || value === null) return '';
  return value === undefined ? (field.begins ?? '') : field.show(value);
}

/** Its menu searches in one repository. */
const asksWithin = ({ input }: Field) =>
  input.kind === 'external' && /^(?:items|runs|(?:open-|closed-)?(?:issues|pulls))$/.test(input.source);

function fieldBlocks(name: string, field: Field, drawn: Drawn, { filled, reacts }: As): Blocks {
  const { values, drawing = 1 } = drawn;
  const value = values[name];
  const text = textIn(field, value);
  const parts = field.input.kind === 'text' ? partsOf(text) : [{ text, joint: '' as const }];
  // the forge allows more than the field does: saving would cut it or be refused
  const unsavable = filled && text !== '' && value !== undefined && !field.schema.safeParse(value).success;
  if (!parts || unsavable) return [section(md`${bold(field.label)}\nToo long to edit here, so it will not change.`)];
  return parts.map((part, at) => {
    const label = parts.length === 1 ? field.label : `${field.label} (part ${at + 1} of ${parts.length})`;
    const action = field.input.kind === 'external' ? menuId(field.input.source, name) : name;
    const element = elementOf(action, field, part.text);
    return fieldInput(element, {
      id: blockId(name, at + 1, part.joint, drawing),
      label,
      hint: field.secret === true ? (field.hint ?? sealedHint) : formHint(field, filled),
      optional: at > 0 || omissible(field),
      dispatch: reacts,
    });
  });
}

const sealedHint = 'Stored encrypted and never shown again.';

function fieldInput(element: InputBlock['element'], options: Omit<InputOptions, 'element'>): InputBlock {
  const drawn = input({ ...options, element });
  return { ...drawn, element: { ...drawn.element, action_id: element.action_id ?? options.id } };
}
