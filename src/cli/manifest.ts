import { parseArgs } from 'node:util';
import { UserError } from '../errors.js';
import { createManifest } from '../slack/manifest.js';

const options = {
  mode: { type: 'string', default: 'socket' },
  url: { type: 'string' },
  command: { type: 'string', default: '/forge' },
  'forge-host': { type: 'string' },
} as const;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  const { mode, command } = values;
  if (mode !== 'socket' && mode !== 'http') throw new UserError('Write --mode socket or --mode http.');
  const manifest = createManifest({ mode, url: values.url, command, forgeHost: values['forge-host'] });
  console.log(JSON.stringify(manifest, null, 2));
  return 0;
}
