import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { Approvals, type KnownCommand, wrongCommands } from './approvals.js';
import { Deployments } from './deployments.js';
import { forgeTeam, Members, slackGroup, slackUser } from './people.js';

const FileShape = z.strictObject({
  roles: z.strictObject({ maintainer: Members.optional(), admin: Members.optional() }).default({}),
  /** forge login → Slack user id */
  people: z.record(z.string().min(1).max(255), slackUser).default({}),
  matchEmail: z.boolean().default(false),
  /** forge team `org/team` → Slack user group id */
  teams: z.record(forgeTeam, slackGroup).default({}),
  /** Shows links to issues, pull requests and runs as Work Objects; they must be enabled in the Slack app. */
  workObjects: z.boolean().default(false),
  /** Whether programs may act for people over MCP. */
  agents: z.boolean().default(true),
  approvals: Approvals,
  /** By environment. */
  deployments: Deployments,
  exposure: z
    .strictObject({
      privateToPublic: z.enum(['refuse', 'allow']).default('refuse'),
      externallyShared: z.enum(['refuse', 'allow']).default('refuse'),
    })
    .default({ privateToPublic: 'refuse', externallyShared: 'refuse' }),
  feed: z
    .strictObject({
      busySeconds: z.number().min(1).max(3_600).default(15),
      idleSeconds: z.number().min(1).max(86_400).default(300),
      requestsPerSecond: z.number().min(0.1).max(1_000).default(20),
      digestAbove: z.int().min(5).max(10_000).default(30),
      /** After this, another worker takes over from one that stopped responding; a call to Slack must end sooner. */
      takeoverSeconds: z.number().min(12).max(600).default(30),
    })
    .default({ busySeconds: 15, idleSeconds: 300, requestsPerSecond: 20, digestAbove: 30, takeoverSeconds: 30 }),
});
export type PolicyFile = z.infer<typeof FileShape>;

/** `text` is the file's content; a missing file counts as empty. Command names are checked if `commands` is given. */
export function readPolicyFile(text: string, name: string, commands?: readonly KnownCommand[]): PolicyFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${name} line ${lineAt(error.pos[0])}: ${error.message}`));
  }
  const problem = (path: readonly PropertyKey[], message: string) =>
    `${name} line ${lineAt(offsetOf(document.contents, path))}: ${path.join('.') || 'file'}: ${message}`;
  const read = FileShape.safeParse(document.toJS() ?? {});
  if (!read.success) {
    throw new ConfigError(
      read.error.issues.map((issue) => {
        const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
        const message = issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined;
        const says = message ?? issue.message.replace(/^Invalid input: .+ received undefined$/, 'is missing');
        return problem(keys.length > 0 ? [...issue.path, keys[0] ?? ''] : issue.path, says);
      }),
    );
  }
  const wrong = commands ? wrongCommands(read.data.approvals, commands) : [];
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ path, message }) => problem(path, message)));
  return read.data;
}

/** Position of the deepest existing key of the path; of the key itself, not its value. */
function offsetOf(root: unknown, path: readonly PropertyKey[]): number | undefined {
  let node = root;
  let offset: number | undefined;
  for (const key of path) {
    const pair = isMap(node) ? node.items.find((each) => isScalar(each.key) && each.key.value === key) : undefined;
    const item = isSeq(node) ? node.items[Number(key)] : undefined;
    const place = pair?.key ?? item;
    if (!isNode(place)) break;
    offset = place.range?.[0] ?? offset;
    node = pair?.value ?? item;
  }
  return offset;
}
