import type { Readable, Writable } from 'node:stream';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { InitializeResultSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { agentsOff } from '../chat/agent.js';
import { type AgentSettings, readAgentSettings } from '../config/file.js';

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Two of the largest requests that Bellows accepts. */
const mostBuffered = 400_000;

/** Connects standard input and output to Bellows; messages are passed on unchanged. */
async function relay({ url, token }: AgentSettings, { input, output }: Streams): Promise<void> {
  const near = new StdioServerTransport(input, output, { maxBufferSize: mostBuffered });
  const far = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const over = new Promise<void>((resolve) => {
    near.onclose = resolve;
    input.once('end', resolve);
  });
  far.onmessage = (message) => {
    const begun = 'result' in message ? InitializeResultSchema.safeParse(message.result).data : undefined;
    if (begun) far.setProtocolVersion(begun.protocolVersion);
    void near.send(message);
  };
  const underWay = new Set<Promise<void>>();
  near.onmessage = (message) => {
    const passing = far.send(message).catch((error: unknown) => near.send(failure(message, error, url)));
    underWay.add(passing);
    void passing.finally(() => underWay.delete(passing));
  };
  await far.start();
  await near.start();
  await over;
  await Promise.all(underWay);
  await far.close();
}

const refusals: ReadonlyMap<number, string> = new Map([
  [401, 'Bellows refused BELLOWS_AGENT_TOKEN: it was revoked or has expired. Create a new one with /forge agents add.'],
  [403, agentsOff],
]);

/** The caller gets an answer even if Bellows gave none. */
function failure(message: JSONRPCMessage, error: unknown, { origin }: URL): JSONRPCMessage {
  const status = error instanceof StreamableHTTPError ? error.code : undefined;
  const known = status === undefined ? undefined : refusals.get(status);
  const says = known ?? `Bellows did not answer at ${origin}. Check --url and try again.`;
  const asked = 'id' in message && 'method' in message ? { id: message.id } : {};
  return { jsonrpc: '2.0', ...asked, error: { code: known ? -32_001 : -32_002, message: says } };
}

export async function run({ url }: { readonly url?: string }): Promise<number> {
  await relay(readAgentSettings(process.env, url), { input: process.stdin, output: process.stdout });
  return 0;
}
