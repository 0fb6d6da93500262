import type { Catalog } from '../../src/chat/command.js';
import { type OperationName, describe as operation, operationNames } from '../../src/forge/index.js';

/** The oldest supported releases: what they have, all have. */
const oldest = { Gitea: '1.22', Forgejo: '11' } as const;
type Product = keyof typeof oldest;

function order(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1000 + minor;
}

/** The first release that has all of it; undefined if every one has, 'none' if none has. */
function since(product: Product, names: readonly OperationName[]): string | undefined {
  const firsts = names.flatMap((name) => {
    const { since: gitea, forgejo } = operation(name);
    return (product === 'Gitea' ? gitea : forgejo?.since) ?? [];
  });
  if (firsts.includes('none')) return 'none';
  const last = firsts.toSorted((a, b) => order(a) - order(b)).at(-1);
  return last !== undefined && order(last) > order(oldest[product]) ? last : undefined;
}

const cell = (first: string | undefined): string =>
  first === undefined ? '✓' : first === 'none' ? '–' : `${first} or later`;

const row = (title: string, names: readonly OperationName[]): string =>
  `| ${title} | ${cell(since('Gitea', names))} | ${cell(since('Forgejo', names))} |`;

/** What a command requires: its needs, or all its operations if it has only one way. */
const needed = ({ needs, operations }: Catalog['all'][number]): readonly OperationName[] =>
  needs ?? (operations.length === 1 ? operations : []);

export function commandServers(catalog: Catalog): string {
  const rows = catalog.all
    .filter(({ hidden }) => hidden !== true)
    .filter((command) => (['Gitea', 'Forgejo'] as const).some((product) => since(product, needed(command))))
    .map((command) => row(`\`${command.name}\``, needed(command)));
  return ['| Command | Gitea | Forgejo |', '|---|---|---|', ...rows].join('\n');
}

export function operationServers(): string {
  const rows = operationNames.map((name) => row(`\`${operation(name).route}\``, [name]));
  return ['| Operation | Gitea | Forgejo |', '|---|---|---|', ...rows].join('\n');
}

/** Filters that Forgejo ignores, by operation. */
export function filterServers(): string {
  const rows = operationNames.flatMap((name) => {
    const { route, forgejo, ignores = [] } = operation(name);
    const both = ignores.map((filter) => `| \`${filter}\` | \`${route}\` | Gitea |`);
    const ofForgejo = (forgejo?.ignores ?? []).map((filter) => `| \`${filter}\` | \`${route}\` | Forgejo |`);
    return forgejo?.since === 'none' ? both : [...both, ...ofForgejo];
  });
  return ['| Filter | Operation | Ignored by |', '|---|---|---|', ...rows].join('\n');
}
