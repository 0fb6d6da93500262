import { parseArgs } from 'node:util';
import { readAgentSettings } from '../config/agent.js';
import { relay } from '../mcp/relay.js';

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { url: { type: 'string' } } });
  await relay(readAgentSettings(process.env, values.url), { input: process.stdin, output: process.stdout });
  return 0;
}
