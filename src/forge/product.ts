import type { Operation, Product } from './operation.js';

/** Only for messages, never for decisions. */
export interface ServerWords {
  readonly product: Product;
  readonly version: string | undefined;
}

export function productNamed(title: string): Product | undefined {
  return (['Forgejo', 'Gitea'] as const).find((name) => title.includes(name));
}

/** `Forgejo 11.0.1`: the part after a plus means nothing to people. */
export function serverName({ product, version }: ServerWords): string {
  const plain = version?.split('+', 1)[0];
  return plain ? `${product} ${plain}` : product;
}

/** Which release of this product adds what the server lacks: `Forgejo 12 brings it`. */
export function remedy({ since, forgejo }: Pick<Operation, 'since' | 'forgejo'>, { product }: ServerWords): string {
  const first = product === 'Forgejo' ? forgejo?.since : since;
  if (first === 'none') return `no ${product} release supports it`;
  return first === undefined ? `other ${product} releases may support it` : `it needs ${product} ${first} or later`;
}
