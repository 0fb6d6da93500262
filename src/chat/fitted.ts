import type { KnownBlock } from '@slack/types';
import type { Forge } from '../forge/index.js';
import type { Blocks } from '../view/blocks.js';
import { openText } from '../view/elements.js';
import { commandOf } from './actions.js';
import { isSupported } from './admit.js';
import type { Catalog } from './command.js';

type Element = Extract<KnownBlock, { type: 'actions' }>['elements'][number];
type Accessory = NonNullable<Extract<KnownBlock, { type: 'section' }>['accessory']>;

/** Adapts blocks to this server: no buttons for what it lacks, and its own name on links to its pages. */
export async function fitted(drawn: Blocks, catalog: Catalog, forge: Forge): Promise<KnownBlock[]> {
  const blocks = drawn.filter((block) => block !== undefined);
  const { product } = await forge.capabilities.server();
  const missing = await lackedIn(blocks, catalog, forge);
  const suited = <E extends Element | Accessory>(element: E): E | undefined => {
    if (element.type === 'button') {
      if (missing.has(commandOf(element.value) ?? '')) return undefined;
      const opens = element.url !== undefined && element.text.text === openText;
      return opens ? { ...element, text: { ...element.text, text: `Open in ${product}` } } : element;
    }
    if (element.type !== 'overflow') return element;
    const options = element.options
      .filter(({ value }) => !missing.has(commandOf(value) ?? ''))
      .map((option) =>
        option.url !== undefined && option.text.text === openText
          ? { ...option, text: { ...option.text, text: `Open in ${product}` } }
          : option,
      );
    return options.length === 0 ? undefined : { ...element, options };
  };
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'actions') {
      const elements = block.elements.flatMap((element) => suited(element) ?? []);
      return elements.length === 0 ? [] : [{ ...block, elements }];
    }
    if (block.type !== 'section' || block.accessory === undefined) return [block];
    const { accessory, ...rest } = block;
    const kept = suited(accessory);
    return [kept ? { ...rest, accessory: kept } : rest];
  });
}

/** Commands the blocks offer but this server cannot run. */
async function lackedIn(blocks: readonly KnownBlock[], catalog: Catalog, forge: Forge): Promise<Set<string>> {
  const named = new Set(
    blocks
      .flatMap(elementsOf)
      .flatMap(valuesOf)
      .flatMap((value) => commandOf(value) ?? []),
  );
  const missing = new Set<string>();
  for (const name of named) {
    const command = catalog.get(name);
    if (command && !(await isSupported(command, forge))) missing.add(name);
  }
  return missing;
}

function elementsOf(block: KnownBlock): readonly (Element | Accessory)[] {
  if (block.type === 'actions') return block.elements;
  return block.type === 'section' && block.accessory ? [block.accessory] : [];
}

function valuesOf(element: Element | Accessory): readonly (string | undefined)[] {
  if (element.type === 'button') return [element.value];
  return element.type === 'overflow' ? element.options.map(({ value }) => value) : [];
}
