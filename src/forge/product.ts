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

/** What the API document does not say: where a server looks for workflows, and how it takes inputs. */
export interface WorkflowWays {
  /** The first one that exists counts. */
  readonly folders: readonly string[];
  readonly yes: 'on' | 'true';
  /** Or takes an empty value for none, and runs the default. */
  readonly keepsEmpty: boolean;
}

const folders = ['.gitea/workflows', '.github/workflows'] as const;
/** Wherever any server looks. */
export const workflowFolders = ['.forgejo/workflows', ...folders] as const;

export const workflowWays = (product: Product): WorkflowWays =>
  product === 'Forgejo'
    ? { folders: workflowFolders, yes: 'on', keepsEmpty: false }
    : { folders, yes: 'true', keepsEmpty: true };

/** Where a server looks for CODEOWNERS, in this order, and how it reads a line. */
export interface OwnerWays {
  readonly places: readonly string[];
  /** A leading slash means nothing; elsewhere such a line never fits. */
  readonly dropsSlash: boolean;
}

const places = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS'] as const;

export const ownerWays = (product: Product): OwnerWays =>
  product === 'Forgejo'
    ? { places: [...places, '.forgejo/CODEOWNERS'], dropsSlash: false }
    : { places, dropsSlash: true };
