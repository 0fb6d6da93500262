import type {
  Checkboxes,
  Datepicker,
  ExternalSelect,
  ModalView,
  MultiExternalSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  NumberInput,
  PlainTextElement,
  PlainTextInput,
  PlainTextOption,
  StaticSelect,
  UsersSelect,
} from '@slack/types';
import { actionId } from './action.js';
import { type Blocks, context, plainText, section } from './blocks.js';
import { limits } from './limits.js';
import { whatFits } from './message.js';
import { codeText, cutText, type Mrkdwn, md } from './text.js';

export interface ModalOptions {
  readonly title: string;
  readonly submit?: string | undefined;
  readonly close?: string | undefined;
  readonly blocks: Blocks;
  readonly callbackId?: string | undefined;
  readonly privateMetadata?: string | undefined;
}

export function modal(options: ModalOptions): ModalView {
  const { privateMetadata = '', callbackId = '' } = options;
  if (privateMetadata.length > limits.view.privateMetadata)
    throw new RangeError(`a form remembers ${limits.view.privateMetadata} characters, not ${privateMetadata.length}`);
  if (callbackId.length > limits.view.callbackId) throw new RangeError('the callback id of a form is too long');
  const blocks = whatFits(options.blocks, limits.view.blocks, limits.view.bytes / 5);
  const asks = blocks.some((block) => block.type === 'input');
  const submit = options.submit || (asks ? 'Save' : undefined);
  return {
    type: 'modal',
    title: plainText(options.title, limits.view.title),
    close: plainText(options.close ?? (submit ? 'Cancel' : 'Close'), limits.view.close),
    blocks,
    ...(submit && { submit: plainText(submit, limits.view.submit) }),
    ...(callbackId && { callback_id: callbackId }),
    ...(privateMetadata && { private_metadata: privateMetadata }),
  };
}

type Frame = Pick<ModalOptions, 'title' | 'callbackId' | 'privateMetadata'>;

/** Opened within a trigger's three seconds; replaced when the forge has answered. */
export function loadingModal(options: Frame & { readonly text?: Mrkdwn }): ModalView {
  return modal({ ...options, blocks: [section(options.text ?? md`⏳ Asking the forge…`)] });
}

/** What went wrong, and what to do next. */
export function errorModal(options: Frame & { readonly text: string; readonly next?: string | undefined }): ModalView {
  const next = options.next === undefined ? undefined : context([options.next]);
  return modal({ ...options, blocks: [section(md`⚠️ ${codeText(options.text)}`), next] });
}

export function resultModal(options: Frame & { readonly blocks: Blocks }): ModalView {
  return modal(options);
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}

interface Common {
  readonly action: string;
  readonly placeholder?: string | undefined;
}

function common(options: Common): { action_id: string; placeholder?: PlainTextElement } {
  const placeholder = options.placeholder ? plainText(options.placeholder, limits.placeholder) : undefined;
  return { action_id: actionId(options.action), ...(placeholder && { placeholder }) };
}

/** Undefined if its value is too long for Slack. */
function option(choice: Choice): PlainTextOption | undefined {
  if (choice.value === '' || choice.value.length > limits.option.value) return undefined;
  return {
    text: plainText(choice.label, limits.option.text),
    value: choice.value,
    ...(choice.description && { description: plainText(choice.description, limits.option.description) }),
  };
}

/** The response to an options request. */
export function optionList(choices: readonly Choice[]): PlainTextOption[] {
  return choices
    .map(option)
    .filter((entry) => entry !== undefined)
    .slice(0, limits.select.options);
}

/** A menu among buttons, outside of inputs. */
export function choiceMenu(options: Common & { readonly choices: readonly Choice[] }): StaticSelect | undefined {
  const shown = optionList(options.choices);
  return shown.length === 0 ? undefined : { type: 'static_select', ...common(options), options: shown };
}

export interface SelectOptions extends Common {
  readonly choices: readonly Choice[];
  readonly initial?: readonly string[] | undefined;
  readonly many?: boolean | undefined;
}

export function select(options: SelectOptions): StaticSelect | MultiStaticSelect {
  const shown = optionList(options.choices);
  if (shown.length === 0) throw new RangeError(`nothing to choose from in ${options.action}`);
  const chosen = shown.filter((entry) => options.initial?.includes(entry.value ?? ''));
  if (options.many)
    return {
      type: 'multi_static_select',
      ...common(options),
      options: shown,
      ...(chosen.length > 0 && { initial_options: chosen }),
    };
  const [first] = chosen;
  return { type: 'static_select', ...common(options), options: shown, ...(first && { initial_option: first }) };
}

export interface ExternalOptions extends Common {
  readonly initial?: readonly Choice[] | undefined;
  readonly many?: boolean | undefined;
}

export function externalSelect(options: ExternalOptions): ExternalSelect | MultiExternalSelect {
  const chosen = optionList(options.initial ?? []);
  // a list is offered before anything is typed
  const shared = { ...common(options), min_query_length: 0 };
  if (options.many)
    return { type: 'multi_external_select', ...shared, ...(chosen.length > 0 && { initial_options: chosen }) };
  const [first] = chosen;
  return { type: 'external_select', ...shared, ...(first && { initial_option: first }) };
}

export interface UsersOptions extends Common {
  readonly initial?: readonly string[] | undefined;
  readonly many?: boolean | undefined;
}

export function usersSelect(options: UsersOptions): UsersSelect | MultiUsersSelect {
  const chosen = options.initial ?? [];
  if (options.many)
    return {
      type: 'multi_users_select',
      ...common(options),
      ...(chosen.length > 0 && { initial_users: [...chosen] }),
    };
  const [first] = chosen;
  return { type: 'users_select', ...common(options), ...(first && { initial_user: first }) };
}

/** `initial` as YYYY-MM-DD. */
export function datePicker(options: Common & { readonly initial?: string | undefined }): Datepicker {
  const initial = options.initial && /^\d{4}-\d\d-\d\d$/u.test(options.initial) ? options.initial : undefined;
  return { type: 'datepicker', ...common(options), ...(initial && { initial_date: initial }) };
}

export interface TextOptions extends Common {
  readonly initial?: string | undefined;
  readonly multiline?: boolean | undefined;
  readonly max?: number | undefined;
}

/** Editable text is not cleaned, or saving it would change it; see `fitsInput`. */
export function textInput(options: TextOptions): PlainTextInput {
  const max = Math.min(options.max ?? limits.textInput, limits.textInput);
  const initial = options.initial ? cutText(options.initial, max) : undefined;
  return {
    type: 'plain_text_input',
    ...common(options),
    multiline: options.multiline ?? false,
    max_length: max,
    ...(initial && { initial_value: initial }),
  };
}

export function numberInput(options: Common & { readonly initial?: string | undefined }): NumberInput {
  const initial = options.initial && /^-?\d+(\.\d+)?$/u.test(options.initial) ? options.initial : undefined;
  return {
    type: 'number_input',
    ...common(options),
    is_decimal_allowed: true,
    ...(initial && { initial_value: initial }),
  };
}

/** False: an editor would show only the beginning, and saving would lose the rest. */
export function fitsInput(text: string, max: number = limits.textInput): boolean {
  return cutText(text, max) === text;
}

export interface CheckboxOptions {
  readonly action: string;
  readonly choices: readonly Choice[];
  readonly initial?: readonly string[] | undefined;
}

export function checkboxes(options: CheckboxOptions): Checkboxes {
  const shown = optionList(options.choices).slice(0, limits.checkboxes);
  if (shown.length === 0) throw new RangeError(`nothing to tick in ${options.action}`);
  const chosen = shown.filter((entry) => options.initial?.includes(entry.value ?? ''));
  return {
    type: 'checkboxes',
    action_id: actionId(options.action),
    options: shown,
    ...(chosen.length > 0 && { initial_options: chosen }),
  };
}
