import type { InputBlock } from '@slack/types';
import { type Blocks, input } from '../../view/blocks.js';
import { richBody } from '../../view/body.js';
import { type Choice, checkboxes, numberInput, select, textInput } from '../../view/inputs.js';
import { limits } from '../../view/limits.js';
import { blockId } from './ids.js';

/** A question only the forge knows; its answer is text. */
export interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** one, several, ticks: of `options`, answered by their values. note: not a question, the label is Markdown to read. */
  readonly kind: 'text' | 'long' | 'number' | 'choice' | 'boolean' | 'one' | 'several' | 'ticks' | 'note';
  readonly choices?: readonly string[];
  readonly options?: readonly Choice[];
  readonly required: boolean;
  readonly initial?: string | undefined;
  /** The pattern the whole answer must match. */
  readonly pattern?: string | undefined;
}

/** What the form stores about them: the kind's letter and the name. */
export const rememberedAs = (all: readonly Asked[]): string[] =>
  all.filter(isAnswered).map(({ kind, name }) => `${kind === 'boolean' ? 'b' : 't'}${name}`);

/** By index; a pattern too long to store is not checked. */
export function patternsOf(all: readonly Asked[]): { readonly patterns?: Record<string, string> } {
  let left = 800;
  const found = all.filter(isAnswered).flatMap(({ pattern = '' }, at) => {
    if (pattern === '' || pattern.length > Math.min(left, 200)) return [];
    left -= pattern.length;
    return [[nameOf(at), pattern] as const];
  });
  return found.length > 0 ? { patterns: Object.fromEntries(found) } : {};
}

const isAnswered = ({ kind }: Asked) => kind !== 'note';

const nameOf = (at: number) => `asked${at}`;

const fits = (choices: readonly string[]) =>
  choices.length > 0 &&
  choices.length <= limits.select.options &&
  choices.every((each) => each !== '' && each.length <= limits.option.value);

function elementOf(asked: Asked, action: string): InputBlock['element'] {
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

export function askedBlocks(all: readonly Asked[], drawing: number): Blocks {
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

/** By name, without empty answers. `textAt` reads the block with that name. */
export function readAsked(
  remembered: readonly string[],
  textAt: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const pairs = remembered.flatMap((each, at): (readonly [string, string])[] => {
    const [kind, name] = [each.slice(0, 1), each.slice(1)];
    const text = textAt(nameOf(at)) ?? '';
    if (kind === 'b') return [[name, text === '' ? 'false' : 'true']];
    return text.trim() === '' ? [] : [[name, text]];
  });
  return Object.fromEntries(pairs);
}
