import { createCatalog } from '../chat/catalog.js';
import { catalogJson, table } from '../chat/tables.js';
import { commands } from '../features/index.js';

export async function run({ json }: { readonly json?: boolean }): Promise<number> {
  const catalog = createCatalog(commands);
  console.log(json ? JSON.stringify(catalogJson(catalog), null, 2) : table(catalog));
  return 0;
}
