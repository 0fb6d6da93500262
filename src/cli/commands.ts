import { parseArgs } from 'node:util';
import { createCatalog } from '../chat/catalog.js';
import { catalogJson, table } from '../chat/tables.js';
import { commands } from '../commands/index.js';

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const catalog = createCatalog(commands);
  console.log(values.json ? JSON.stringify(catalogJson(catalog), null, 2) : table(catalog));
  return 0;
}
