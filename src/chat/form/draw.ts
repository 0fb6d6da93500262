import type { InputBlock, ModalView } from '@slack/types';
import { actions, type Blocks, context, type InputOptions, input, section } from '../../view/blocks.js';
import {
  checkboxes,
  datePicker,
  externalSelect,
  fitsInput,
  modal,
  select,
  textInput,
  usersSelect,
} from '../../view/form.js';
import { limits } from '../../view/limits.js';
import { bold, md } from '../../view/text.js';
import { previewButton } from '../actions.js';
import type { AnyCommand } from '../command.js';
import {
  type Field,
  formHint,
  isClearable,
  isHidden,
  needsDefault,
  type OptionSource,
  splitList,
  standIn,
} from '../fields.js';
import { exampleOf } from '../grammar.js';
import { fullName, type RepositoryRef, repositoryIn } from '../references.js';
import { withoutMentions } from '../slack-text.js';
import { submitOf, titleOf } from '../title.js';
import { fieldsOf, inWords, omissible } from '../usage.js';
import { type FormMeta, writeFormMeta } from './meta.js';
import { askedBlocks, blockId, type Joint, menuId, patternsOf, type Question, rememberedAs } from './questions.js';

type Element = InputBlock['element'];

const searchItem = 'Search, or paste #12 or an address';

/** A menu's placeholder. */
const searchFor: Readonly<Record<OptionSource, string>> = {
  repositories: 'Search by name or owner',
  targets: 'Search by name or owner',
  items: searchItem,
  issues: searchItem,
  pulls: searchItem,
  'open-issues': searchItem,
  'open-pulls': searchItem,
  'closed-issues': searchItem,
  'closed-pulls': searchItem,
  runs: 'Search, or paste an address',
  workflows: 'Choose a workflow',
  subscriptions: 'Choose a subscription',
  people: 'Search by name or login',
  reviewers: 'Search by name or login',
  labels: 'Choose labels',
  milestones: 'Choose a milestone',
  branches: 'Choose a branch',
  teams: 'Choose teams',
  templates: 'Choose a template',
};

interface Known {
  readonly example: string | undefined;
  /** The value as the field's menu writes it. */
  readonly chosen: string | undefined;
}

/** The Slack element for a field, with its initial text. */
function elementOf(name: string, field: Field, text: string, { example, chosen }: Known): Element {
  const { input } = field;
  const placeholder = inWords(field.placeholder);
  const values = 'many' in input && input.many === true ? splitList(text) : [text].filter((value) => value !== '');
  switch (input.kind) {
    case 'text':
      return textElement(name, field, text, example);
    case 'choice':
      if (input.many === true && input.choices.length <= limits.checkboxes)
        return checkboxes({ action: name, choices: input.choices, initial: values });
      return select({
        action: name,
        choices: input.choices,
        initial: values,
        many: input.many,
        placeholder: input.many === true ? 'Choose any' : 'Choose one',
      });
    case 'external': {
      // A value too long for a menu is edited as text.
      if (values.some((value) => value.length > limits.option.value)) return textInput({ action: name, initial: text });
      const initial = values.map((value) => ({ value: chosen ?? value, label: withoutMentions(value) }));
      return externalSelect({ action: name, initial, many: input.many, placeholder: searchFor[input.source] });
    }
    case 'slackUsers': {
      const users = [...text.matchAll(/<@([UW][A-Z0-9]+)/g)].map((match) => match[1] ?? '');
      return usersSelect({ action: name, initial: users, many: input.many, placeholder });
    }
    case 'date':
      return datePicker({ action: name, initial: text, placeholder: 'Choose a date' });
    case 'checkbox':
      return checkboxes({
        action: name,
        choices: [{ value: 'yes', label: input.text === field.label ? 'Yes' : input.text }],
        initial: [text],
      });
  }
}

/** Short enough to be read in an empty input. */
const mostOfExample = 60;

function textElement(name: string, field: Field, text: string, example = ''): Element {
  const { input, secret } = field;
  const repeats = field.placeholder === field.label.toLowerCase();
  // `id|name` says what kind of text it is, which an example does better
  const describes = field.placeholder.includes('|');
  const shown = example.length <= mostOfExample ? withoutMentions(example) : '';
  const words = repeats ? undefined : inWords(field.placeholder);
  const placeholder = repeats || describes ? shown || words : words;
  const { multiline, max } = input.kind === 'text' ? input : {};
  return textInput({ action: name, multiline, max, placeholder, ...(secret === true ? {} : { initial: text }) });
}

const mostParts = 20;

interface Part {
  readonly text: string;
  /** What separated this part from the previous one. */
  readonly joint: Joint;
}

/** Splits a long text into several inputs at a line or a word; undefined if it is too long even then. */
export function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let [left, joint]: [string, Joint] = [text, ''];
  while (!fitsInput(left)) {
    const cut = cutOf(left.slice(0, limits.textInput - 1));
    parts.push({ text: left.slice(0, cut.end), joint });
    if (parts.length === mostParts) return undefined;
    left = left.slice(cut.end + cut.joint.length);
    joint = cut.joint;
  }
  return [...parts, { text: left, joint }];
}

function cutOf(room: string): { readonly end: number; readonly joint: Joint } {
  const found = (['\n', ' '] as const).find((joint) => room.lastIndexOf(joint) > room.length / 2);
  if (found !== undefined) return { end: room.lastIndexOf(found), joint: found };
  // Never split a character.
  const half = /[\uD800-\uDBFF]$/.test(room) ? 1 : 0;
  return { end: room.length - half, joint: '' };
}

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
  readonly asked?: readonly Question[] | undefined;
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
  const locks: readonly string[] = command.form?.asks?.locks ?? requiredNames(fields);
  // The fields that identify the item are locked: other values would overwrite another item.
  const known =
    command.form?.prefill !== undefined && requiredNames(fields).every((name) => values[name] !== undefined);
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
      name !== command.form?.previews &&
      !tooLong(name, field) &&
      !(asked && name === command.form?.asks?.into) &&
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
        saysMore(command) ? command.summary : undefined,
        ...visible.map(([name, field]) => withoutMentions(field.show(values[name]))),
        own && !about && shown.some(([, field]) => asksWithin(field)) ? `Searching in ${fullName(own)}` : undefined,
      ]),
      ...(drawn.notice ?? []),
      ...shown.flatMap(([name, field]) =>
        fieldBlocks(
          name,
          field,
          { ...drawn, values: withOwn(command, values, own) },
          { filled, reacts: name === command.form?.asks?.choice, example: exampleOf(command, name) },
        ),
      ),
      ...askedBlocks(asked ?? [], drawing),
      command.form?.previews === undefined ? undefined : actions(previewButton()),
    ],
  });
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => !/^(?:an?|the)$/i.test(word)).length;

/** “Open an issue” below “Create issue” says it twice. */
const saysMore = (command: AnyCommand) => wordsOf(command.summary) > wordsOf(titleOf(command));

const requiredNames = (fields: ReturnType<typeof fieldsOf>) =>
  fields.filter(([, field]) => field.required && !isHidden(field)).map(([name]) => name);

interface As {
  readonly filled: boolean;
  /** The form is redrawn when it changes. */
  readonly reacts: boolean;
  readonly example: string | undefined;
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

function fieldBlocks(name: string, field: Field, drawn: Drawn, { filled, reacts, example }: As): Blocks {
  const { values, meta, drawing = 1 } = drawn;
  const value = values[name];
  const number = meta.numbered?.[name];
  if (number !== undefined)
    return [
      fieldInput(externalSelect({ action: menuId('repositories', name), placeholder: searchFor.repositories }), {
        id: blockId(name, 1, '', drawing),
        label: `Repository of #${number}`,
      }),
    ];
  const text = textIn(field, value);
  const parts = field.input.kind === 'text' ? partsOf(text) : [{ text, joint: '' as const }];
  // the forge allows more than the field does: saving would cut it or be refused
  const unsavable = filled && text !== '' && value !== undefined && !field.schema.safeParse(value).success;
  if (!parts || unsavable) return [section(md`${bold(field.label)}\nToo long to edit here, so it will not change.`)];
  return parts.map((part, at) => {
    const label = parts.length === 1 ? field.label : `${field.label} (part ${at + 1} of ${parts.length})`;
    const action = field.input.kind === 'external' ? menuId(field.input.source, name) : name;
    const chosen = value === undefined || value === null ? undefined : field.chosen?.(value);
    const element = elementOf(action, field, part.text, { example, chosen });
    return fieldInput(element, {
      id: blockId(name, at + 1, part.joint, drawing),
      label,
      hint: field.secret === true ? (field.hint ?? sealedHint) : formHint(field, filled),
      optional: at > 0 || (omissible(field) && !(meta.placeless && needsDefault(field, undefined))),
      dispatch: reacts,
    });
  });
}

const sealedHint = 'Stored encrypted and never shown again.';

function fieldInput(element: InputBlock['element'], options: Omit<InputOptions, 'element'>): InputBlock {
  const drawn = input({ ...options, element });
  return { ...drawn, element: { ...drawn.element, action_id: element.action_id ?? options.id } };
}
