import type {
  ActionsBlock,
  ActionsBlockElement,
  ContextBlock,
  DividerBlock,
  HeaderBlock,
  InputBlock,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  RichTextElement,
  SectionBlock,
  SectionBlockAccessory,
} from '@slack/types';
import { actionId, actionName } from './action.js';
import { limits } from './limits.js';
import { bold, clean, clip, join, link, type Mrkdwn, md, oneLine, type Value } from './text.js';

/** Builders return undefined for anything empty; the collector of blocks drops it. */
export type Blocks = readonly (KnownBlock | undefined)[];

const nothing = '–';

export function plainText(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: clip(oneLine(text), max) || nothing, emoji: true };
}

// verbatim: Slack adds no links, channels or mentions of its own.
export function mrkdwn(text: Mrkdwn, max: number = limits.section.text): MrkdwnElement {
  const source = text.within(max).source;
  return { type: 'mrkdwn', text: source.trim() === '' ? nothing : source, verbatim: true };
}

export function heading(text: string): HeaderBlock {
  return { type: 'header', text: plainText(text, limits.header) };
}

export function section(text: Mrkdwn, accessory?: SectionBlockAccessory): SectionBlock {
  return { type: 'section', text: mrkdwn(text), ...(accessory && { accessory }) };
}

/** Many lines in as few sections as possible. */
export function list(rows: readonly Mrkdwn[]): SectionBlock[] {
  const sections: Mrkdwn[] = [];
  for (const row of rows.filter((row) => !row.empty)) {
    const last = sections.at(-1);
    const together = last === undefined ? row : join([last, row], '\n');
    if (last === undefined || together.source.length > limits.section.text) sections.push(row);
    else sections[sections.length - 1] = together;
  }
  return sections.map((text) => section(text));
}

export type Pair = readonly [label: string, value: Value];

/** Labels above values, two columns. */
export function fields(pairs: readonly Pair[]): SectionBlock[] {
  const shown = pairs.map(([label, value]) => mrkdwn(md`${bold(label)}\n${value}`, limits.section.field));
  const sections: SectionBlock[] = [];
  for (let at = 0; at < shown.length; at += limits.section.fields)
    sections.push({ type: 'section', fields: shown.slice(at, at + limits.section.fields) });
  return sections;
}

export type Fact = readonly [
  label: string,
  value: string | readonly (string | FactPage)[],
  page?: FactPage | undefined,
];

export interface FactPage {
  readonly text: string;
  readonly url: string;
}

/** One value of a fact. */
export const factValue = (value: string | FactPage): Value =>
  typeof value === 'string' ? value : link(value.url, value.text);

/** What a command observed; several values get a line each, and none can add lines of its own. */
export const facts = (all: readonly Fact[]): SectionBlock[] =>
  fields(
    all.map(([label, value, page]) => {
      const [first, ...others] = [value].flat().map(factValue);
      // the page before the other lines: a long list may be cut
      return [label, join([join([first, page && link(page.url, page.text)]), ...others], '\n')];
    }),
  );

/** The quiet line below: `acme/engine · main · 3 hours ago · ada`. */
export function context(parts: readonly (Value | undefined)[]): ContextBlock | undefined {
  const text = join(parts);
  return text.empty ? undefined : { type: 'context', elements: [mrkdwn(text)] };
}

export function divider(): DividerBlock {
  return { type: 'divider' };
}

export function actions(...elements: readonly (ActionsBlockElement | undefined)[]): ActionsBlock | undefined {
  const present = elements.filter((element) => element !== undefined).slice(0, limits.actions);
  return present.length === 0 ? undefined : { type: 'actions', elements: apart(present) };
}

// Slack requires unique action_ids within a block.
function apart(elements: readonly ActionsBlockElement[]): ActionsBlockElement[] {
  const copies = new Map<string, number>();
  return elements.map((element) => {
    const name = actionName(element.action_id ?? 'act');
    const copy = (copies.get(name) ?? 0) + 1;
    copies.set(name, copy);
    return { ...element, action_id: actionId(name, copy) };
  });
}

export interface InputOptions {
  /** The field's name; comes back as block_id and action_id. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
  /** Notify the bot at once when it changes. */
  readonly dispatch?: boolean | undefined;
  readonly element: InputBlock['element'];
}

export function input(options: InputOptions): InputBlock {
  return {
    type: 'input',
    block_id: actionId(options.id),
    label: plainText(options.label, limits.input.label),
    element: { ...options.element, action_id: actionId(options.id) },
    optional: options.optional ?? false,
    ...(options.hint && { hint: plainText(options.hint, limits.input.hint) }),
    ...(options.dispatch && { dispatch_action: true }),
  };
}

export function richText(elements: readonly RichTextElement[]): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [...elements] }] };
}

/** Program output, verbatim, in a monospaced font. */
export function preformat(text: string): RichTextBlock {
  const shown = clip(clean(text), limits.section.text) || nothing;
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: shown }] }],
  };
}

/** Shown verbatim: nothing in it can become a link, a mention or formatting. */
export function literal(text: string): RichTextBlock {
  return richText([{ type: 'text', text: clip(clean(text), limits.section.text) || nothing }]);
}
