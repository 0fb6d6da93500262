import type { InputBlock } from '@slack/types';
import { type Blocks, input } from '../../view/blocks.js';
import { checkboxes, select, textInput } from '../../view/inputs.js';
import { limits } from '../../view/limits.js';

/** One question that only the forge knows to ask; its answer is text. */
export interface Asked {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly kind: 'text' | 'choice' | 'boolean';
  readonly choices?: readonly string[];
  readonly required: boolean;
  readonly initial?: string | undefined;
}

/** What the form remembers of them: the kind's letter and the name. */
export const rememberedAs = ({ kind, name }: Asked): string => `${kind === 'boolean' ? 'b' : 't'}${name}`;

const idOf = (at: number) => `asked${at}`;

const fits = (choices: readonly string[]) =>
  choices.length > 0 &&
  choices.length <= limits.select.options &&
  choices.every((each) => each !== '' && each.length <= limits.option.value);

function elementOf(asked: Asked, action: string): InputBlock['element'] {
  const { kind, initial = '', label } = asked;
  const choices = [...new Set(asked.choices ?? [])];
  if (kind === 'boolean')
    return checkboxes({ action, choices: [{ value: 'yes', label }], initial: initial === 'true' ? ['yes'] : [] });
  if (kind === 'choice' && fits(choices))
    return select({
      action,
      choices: choices.map((value) => ({ value, label: value })),
      initial: choices.includes(initial) ? [initial] : [],
    });
  return textInput({ action, initial });
}

export function askedBlocks(all: readonly Asked[]): Blocks {
  return all.map((asked, at) => {
    const id = idOf(at);
    const drawn = input({
      id,
      label: asked.label,
      hint: asked.hint,
      // an empty tick is an answer too
      optional: asked.kind === 'boolean' || !asked.required,
      element: elementOf(asked, id),
    });
    return { ...drawn, element: { ...drawn.element, action_id: id } };
  });
}

/** By name; what was left empty is left out. `textAt` reads what stands in the block of an id. */
export function readAsked(
  remembered: readonly string[],
  textAt: (id: string) => string | undefined,
): Readonly<Record<string, string>> {
  const pairs = remembered.flatMap((each, at): (readonly [string, string])[] => {
    const [kind, name] = [each.slice(0, 1), each.slice(1)];
    const text = textAt(idOf(at)) ?? '';
    if (kind === 'b') return [[name, text === '' ? 'false' : 'true']];
    return text.trim() === '' ? [] : [[name, text]];
  });
  return Object.fromEntries(pairs);
}
