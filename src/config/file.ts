import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { readDuration } from '../duration.js';
import { ConfigError } from '../errors.js';

const slackUser = z
  .string()
  .regex(/^[UW][A-Z0-9]{2,20}$/, 'write a Slack user id such as U012AB3CD (profile, three dots, Copy member ID)');
const slackGroup = z.string().regex(/^S[A-Z0-9]{2,20}$/, 'write a Slack user group id such as S012AB3CD');
const slackChannel = z.string().regex(/^[CG][A-Z0-9]{2,20}$/, 'write a Slack channel id such as C012AB3CD');

const Role = z.enum(['everyone', 'maintainer', 'admin'], 'write everyone, maintainer or admin');

const Members = z.strictObject({
  users: z.array(slackUser).default([]),
  groups: z.array(slackGroup).default([]),
});

const seconds = z.string().transform((text, context) => {
  const value = readDuration(text);
  if (value !== undefined && value > 0) return value;
  context.addIssue({ code: 'custom', message: 'write a duration such as 30m, 4h or 2d' });
  return z.NEVER;
});

export const ApprovalPolicy = z.strictObject({
  /** Who may ask; the command's own role is checked as well. */
  ask: Role.optional(),
  /** A role, or named people and groups. */
  approve: z.union([Role, Members]).optional(),
  count: z.int().min(0).max(10).optional(),
  channel: slackChannel.optional(),
  expires: seconds.optional(),
  requesterCounts: z.boolean().optional(),
  /** When the state to bind to cannot be read. */
  unobserved: z.enum(['refuse', 'allow']).optional(),
});
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

const FileShape = z.strictObject({
  roles: z.strictObject({ maintainer: Members.optional(), admin: Members.optional() }).default({}),
  /** forge login → Slack user id */
  people: z.record(z.string().min(1).max(255), slackUser).default({}),
  matchEmail: z.boolean().default(false),
  /** forge team `org/team` → Slack user group id */
  teams: z.record(z.string().regex(/^[^/]+\/[^/]+$/, 'write org/team'), slackGroup).default({}),
  approvals: z
    .strictObject({
      risky: ApprovalPolicy.optional(),
      write: ApprovalPolicy.optional(),
      commands: z.record(z.string().min(1), ApprovalPolicy).default({}),
    })
    .default({ commands: {} }),
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
      /** After so long another worker takes over from one that fell silent; a call to Slack must end before. */
      takeoverSeconds: z.number().min(12).max(600).default(30),
    })
    .default({ busySeconds: 15, idleSeconds: 300, requestsPerSecond: 20, digestAbove: 30, takeoverSeconds: 30 }),
});
export type PolicyFile = z.infer<typeof FileShape>;

/** `text` is the file's content; an absent file is an empty one. */
export function readPolicyFile(text: string, name: string): PolicyFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${name} line ${lineAt(error.pos[0])}: ${error.message}`));
  }
  const read = FileShape.safeParse(document.toJS() ?? {});
  if (read.success) return read.data;
  const lineOf = (path: readonly PropertyKey[]) => lineAt(offsetOf(document.contents, path));
  throw new ConfigError(
    read.error.issues.map((issue) => {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
      const path = keys.length > 0 ? [...issue.path, keys[0] ?? ''] : issue.path;
      return `${name} line ${lineOf(path)}: ${path.join('.') || 'file'}: ${issue.message}`;
    }),
  );
}

/** Where the last key of the path that exists is written; a key is found by its own place, not by its value's. */
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
