import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { z } from 'zod';
import { talkTo, words } from '../commands/talk.js';
import type { Bellows } from '../support/bellows.js';
import { program } from '../support/program.js';

const Content = z.array(z.object({ type: z.literal('text'), text: z.string() }));
const Structured = z.object({
  status: z.string(),
  untrusted_text: z.string(),
  request: z.string().optional(),
  next: z.record(z.string(), z.unknown()).optional(),
});

/** All tools answer in one form, and compiling it for each of them is most of what listing them costs. */
function compiledOnce(): jsonSchemaValidator {
  const compiler = new AjvJsonSchemaValidator();
  const compiled = new Map<string, unknown>();
  return {
    getValidator<T>(schema: JsonSchemaType) {
      const text = JSON.stringify(schema);
      const found = compiled.get(text) ?? compiler.getValidator<T>(schema);
      compiled.set(text, found);
      // made from the same schema
      return found as ReturnType<typeof compiler.getValidator<T>>;
    },
  };
}
const validator = compiledOnce();

/** A program that talks to Bellows like any client of the protocol. */
export async function clientOver(transport: Transport) {
  const client = new Client({ name: 'tester', version: '1' }, { jsonSchemaValidator: validator });
  // the SDK's own classes disagree about optional fields under exactOptionalPropertyTypes
  await client.connect(transport);
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    async call(name: string, args: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: args });
      const { status, untrusted_text: text, request = '', next } = Structured.parse(result.structuredContent);
      return {
        status,
        text,
        request,
        next,
        wrong: result.isError === true,
        said: Content.parse(result.content)[0]?.text,
      };
    },
    status: (request: string) => statusOf(client, request),
    close: () => client.close(),
  };
}
export type TestAgent = Awaited<ReturnType<typeof clientOver>>;

async function statusOf(client: Client, request: string) {
  const result = await client.callTool({ name: 'request_status', arguments: { request } });
  const { status, untrusted_text: text } = Structured.parse(result.structuredContent);
  return { status, text };
}

export const overHttp = (address: string, token: string): Transport =>
  // the SDK's own classes disagree about optional fields under exactOptionalPropertyTypes
  new StreamableHTTPClientTransport(new URL(`${address}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  }) as Transport;

/** The program that a client on someone's machine starts, with nothing but the token. */
export const overStdio = (address: string, token: string): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [...program(), 'mcp', '--url', address],
    env: { PATH: process.env['PATH'] ?? '', BELLOWS_AGENT_TOKEN: token },
  });

/** Creates an agent in Slack, as a person does, and reads its token from the answer. */
export async function addAgent(bellows: Bellows, user: string, line: string, channel = 'engine'): Promise<string> {
  const answer = await talkTo(() => bellows).type(user, `agents add ${line}`, channel);
  const [token] = /bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/.exec(words(answer)) ?? [];
  if (token === undefined) throw new Error(`no token in: ${words(answer)}`);
  return token;
}

/** The approval card with this title, as a second person sees it in the channel. */
export const cardOf = (bellows: Bellows, title: string) =>
  bellows.slack.until(() =>
    bellows.slack
      .as('grace')
      .sees('engine')
      .find((shown) => shown.onlyFor === undefined && words(shown).includes(title)),
  );
