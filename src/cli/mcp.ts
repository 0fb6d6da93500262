import { readAgentSettings } from '../config/agent.js';
import { relay } from '../mcp/relay.js';

export async function run({ url }: { readonly url?: string }): Promise<number> {
  await relay(readAgentSettings(process.env, url), { input: process.stdin, output: process.stdout });
  return 0;
}
