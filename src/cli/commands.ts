import { parseArgs } from 'node:util';
import { createCatalogue } from '../chat/catalogue.js';
import { catalogueJson, table } from '../chat/tables.js';
import { commands } from '../commands/index.js';

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const catalogue = createCatalogue(commands);
  console.log(values.json ? JSON.stringify(catalogueJson(catalogue), null, 2) : table(catalogue));
  return 0;
}
