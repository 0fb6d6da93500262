import type { KnownBlock } from '@slack/types';
import type { Forge } from '../forge/index.js';
import type { Blocks } from '../view/blocks.js';
import { openText } from '../view/elements.js';
import { limits } from '../view/limits.js';
import { commandOf, Invocation } from './actions.js';
import { isSupported } from './admit.js';
import type { Catalog } from './command.js';
import type { RepositoryRef } from './references.js';
import { among, lookUpIds, namedIn, withRepoIds } from './repo-ids.js';

type Element = Extract<KnownBlock, { type: 'actions' }>['elements'][number];
type Accessory = NonNullable<Extract<KnownBlock, { type: 'section' }>['accessory']>;

/** Adapts blocks to this server: no buttons for what it lacks, and its own name on links to its pages. */
export async function fitBlocks(drawn: Blocks, catalog: Catalog, forge: Forge): Promise<KnownBlock[]> {
  const blocks = drawn.filter((block) => block !== undefined);
  const { product } = await forge.capabilities.server();
  const missing = await lackedIn(blocks, catalog, forge);
  const fitElement = <E extends Element | Accessory>(element: E): E | undefined => {
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
  return withElements(blocks, fitElement);
}

type Change = <E extends Element | Accessory>(element: E) => E | undefined;

/** Changes every control, or leaves it out. */
function withElements(blocks: readonly KnownBlock[], change: Change): KnownBlock[] {
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type === 'actions') {
      const elements = block.elements.flatMap((element) => change(element) ?? []);
      return elements.length === 0 ? [] : [{ ...block, elements }];
    }
    if (block.type !== 'section' || block.accessory === undefined) return [block];
    const { accessory, ...rest } = block;
    const kept = change(accessory);
    return [kept ? { ...rest, accessory: kept } : rest];
  });
}

/** Buttons and menus that change something hold the ids of the repositories they name, as this reader knows them. */
export async function bindButtons(
  blocks: readonly KnownBlock[],
  catalog: Pick<Catalog, 'get'>,
  idOf: (named: RepositoryRef) => Promise<number | undefined>,
): Promise<KnownBlock[]> {
  const writing = (value: string | undefined): Invocation | undefined => {
    const call = commandOf(value) === undefined ? undefined : Invocation.safeParse(JSON.parse(value ?? '')).data;
    return call && (catalog.get(call.c)?.risk ?? 'read') !== 'read' ? call : undefined;
  };
  const named = blocks
    .flatMap(elementsOf)
    .flatMap(valuesOf)
    .flatMap((value) => namedIn(writing(value)?.a ?? {}));
  if (named.every(({ repoId }) => repoId !== undefined)) return [...blocks];
  const known = among(await lookUpIds(named, idOf));
  const bound = (value: string | undefined): string | undefined => {
    const call = writing(value);
    return call ? JSON.stringify({ ...call, a: withRepoIds(call.a, known) }) : value;
  };
  return withElements(blocks, (element) => {
    if (element.type === 'button') {
      const value = bound(element.value);
      return value === undefined || value.length > limits.button.value ? element : { ...element, value };
    }
    if (element.type !== 'overflow' && element.type !== 'static_select') return element;
    const options = (element.options ?? [])
      .map((option) => ({ ...option, value: bound(option.value) }))
      .filter(({ value }) => (value ?? '').length <= limits.option.value);
    return options.length === 0 ? undefined : { ...element, options };
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
  return 'options' in element ? (element.options ?? []).map(({ value }) => value) : [];
}
