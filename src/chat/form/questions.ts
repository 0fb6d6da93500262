import type { InputBlock } from '@slack/types';
import { testPatterns } from '../../pattern.js';
import { property } from '../../property.js';
import { type Blocks, input } from '../../view/blocks.js';
import { richBody } from '../../view/body.js';
import { type Choice, checkboxes, numberInput, select, textInput } from '../../view/form.js';
import { limits } from '../../view/limits.js';
import type { OptionSource, WrittenItem } from '../fields.js';
import { type RepositoryRef, readItem, readRepository } from '../references.js';

/** How a part of a long text joins the previous one. */
export type Joint = '\n' | ' ' | '';
const joints = { n: '\n', s: ' ', h: '' } as const satisfies Record<string, Joint>;
const letterOf = (joint: Joint) => ({ '\n': 'n', ' ': 's', '': 'h' })[joint];
const isLetter = (text: string): text is keyof typeof joints => text in joints;

/** `title`, `body.2n` (second part of a long text), `title~3` (third drawing: Slack keeps what was typed under an old id). */
const blockForm = /^([a-z][A-Za-z0-9]*)(?:\.(\d{1,2})([nsh]))?(?:~\d{1,6})?$/;

export function blockId(name: string, part: number, joint: Joint, drawing: number): string {
  return `${name}${part === 1 ? '' : `.${part}${letterOf(joint)}`}${drawing === 1 ? '' : `~${drawing}`}`;
}

export function readBlockId(
  id: string,
): { readonly name: string; readonly part: number; readonly joint: Joint } | undefined {
  const [, name, part = '1', letter = 'h'] = blockForm.exec(id) ?? [];
  return name === undefined || !isLetter(letter) ? undefined : { name, part: Number(part), joint: joints[letter] };
}

const sources: Readonly<Record<OptionSource, true>> = {
  repositories: true,
  targets: true,
  items: true,
  issues: true,
  pulls: true,
  'open-issues': true,
  'open-pulls': true,
  'closed-issues': true,
  'closed-pulls': true,
  runs: true,
  workflows: true,
  subscriptions: true,
  people: true,
  reviewers: true,
  labels: true,
  milestones: true,
  branches: true,
  teams: true,
  templates: true,
};

const isSource = (text: string | undefined): text is OptionSource => text !== undefined && Object.hasOwn(sources, text);

/** A menu's id names its source, so its options need no lookup of the command. */
export function menuId(source: OptionSource, name: string): string {
  return `${source}:${name}`;
}

export function optionSourceOf(actionId: string): OptionSource | undefined {
  const [source, name] = actionId.split(':');
  return name !== undefined && isSource(source) ? source : undefined;
}

/** What is chosen in a menu of an open form, from the state that Slack sends. */
function chosenIn(state: unknown, source: OptionSource): string | undefined {
  for (const block of valuesOf(state)) {
    for (const [action, element] of entriesOf(block)) {
      if (optionSourceOf(action) !== source) continue;
      const chosen = property(property(element, 'selected_option'), 'value');
      if (typeof chosen === 'string') return chosen;
    }
  }
  return undefined;
}

export function chosenRepository(state: unknown, webUrl: string): RepositoryRef | undefined {
  const chosen = chosenIn(state, 'repositories');
  return chosen === undefined ? undefined : readRepository(chosen, webUrl);
}

export const chosenPull = (state: unknown, webUrl: string): WrittenItem | undefined =>
  readItem(chosenIn(state, 'pulls') ?? '', webUrl);

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const valuesOf = (value: unknown) => entriesOf(value).map(([, entry]) => entry);

/** A question only the forge knows; its answer is text. */
export interface Question {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** one, several, ticks: of `options`, answered by their values. note: not a question, the label is Markdown to read. */
  readonly kind: 'text' | 'long' | 'number' | 'choice' | 'boolean' | 'one' | 'several' | 'ticks' | 'note';
  readonly choices?: readonly string[];
  readonly options?: readonly Choice[];
  readonly required: boolean;
  readonly initial?: string | undefined;
  /** An answer that was cleared is an answer too. */
  readonly mayBeCleared?: boolean;
  /** The pattern the whole answer must match. */
  readonly pattern?: string | undefined;
}

/** What the form stores about them: the kind's letter and the name. */
export const rememberedAs = (all: readonly Question[]): string[] =>
  all
    .filter(isAnswered)
    .map(({ kind, name, mayBeCleared }) => `${kind === 'boolean' ? 'b' : mayBeCleared ? 'c' : 't'}${name}`);

/** By index; a pattern too long to store is not checked. */
export function patternsOf(all: readonly Question[]): { readonly patterns?: Record<string, string> } {
  let left = 800;
  const found = all.filter(isAnswered).flatMap(({ pattern = '' }, at) => {
    if (pattern === '' || pattern.length > Math.min(left, 200)) return [];
    left -= pattern.length;
    return [[nameOf(at), pattern] as const];
  });
  return found.length > 0 ? { patterns: Object.fromEntries(found) } : {};
}

const isAnswered = ({ kind }: Question) => kind !== 'note';

const nameOf = (at: number) => `asked${at}`;

const fits = (choices: readonly string[]) =>
  choices.length > 0 &&
  choices.length <= limits.select.options &&
  choices.every((each) => each !== '' && each.length <= limits.option.value);

function elementOf(asked: Question, action: string): InputBlock['element'] {
  const { kind, initial = '', label, options = [] } = asked;
  const choices = [...new Set(asked.choices ?? [])];
  if (kind === 'boolean')
    return checkboxes({ action, choices: [{ value: 'yes', label }], initial: initial === 'true' ? ['yes'] : [] });
  if (kind === 'ticks') return checkboxes({ action, choices: options });
  if ((kind === 'one' || kind === 'several') && options.length > 0)
    return select({ action, choices: options, initial: initial === '' ? [] : [initial], many: kind === 'several' });
  if (kind === 'choice' && fits(choices))
    return select({
      action,
      choices: choices.map((value) => ({ value, label: value })),
      initial: choices.includes(initial) ? [initial] : [],
    });
  if (kind === 'number') return numberInput({ action, initial });
  return textInput({ action, initial, ...(kind === 'long' && { multiline: true }) });
}

export function askedBlocks(all: readonly Question[], drawing: number): Blocks {
  let at = -1;
  return all.map((asked) => {
    if (!isAnswered(asked)) return richBody(asked.label);
    at += 1;
    const id = blockId(nameOf(at), 1, '', drawing);
    const drawn = input({
      id,
      label: asked.label,
      hint: asked.hint,
      // an unticked box is an answer too
      optional: asked.kind === 'boolean' || !asked.required,
      element: elementOf(asked, nameOf(at)),
    });
    return { ...drawn, element: { ...drawn.element, action_id: nameOf(at) } };
  });
}

/** By name, without empty answers, unless that clears a default. `textAt` reads the block with that name. */
export function readAsked(
  remembered: readonly string[],
  textAt: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const pairs = remembered.flatMap((each, at): (readonly [string, string])[] => {
    const [kind, name] = [each.slice(0, 1), each.slice(1)];
    const text = textAt(nameOf(at)) ?? '';
    if (kind === 'b') return [[name, text === '' ? 'false' : 'true']];
    return text.trim() === '' && kind !== 'c' ? [] : [[name, text]];
  });
  return Object.fromEntries(pairs);
}

/** An answer, its block, and the pattern all of it must match. */
export interface Patterned {
  readonly id: string;
  readonly text: string;
  readonly pattern: string;
}

/** Slack waits three seconds for the whole form. */
const patienceMs = 1_000;

/**
 * The blocks whose answers do not match, by the rules of a browser's pattern attribute. If a pattern is invalid or takes too
 * long, its answer passes.
 */
export async function mismatches(given: readonly Patterned[]): Promise<ReadonlySet<string>> {
  const tests = given.map(({ text, pattern }) => ({ source: `^(?:${pattern})$`, flags: 'u', texts: [text] }));
  const results = await testPatterns(tests, patienceMs);
  return new Set(given.flatMap(({ id }, at) => (results.get(at)?.[0] === false ? [id] : [])));
}
