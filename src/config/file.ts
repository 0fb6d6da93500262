import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import { nearest } from '../nearest.js';
import { property } from '../property.js';
import { type ApprovalPolicy, Approvals, type KnownCommand, wrongCommands } from './approvals.js';
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
        const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
        return problem(key === undefined ? issue.path : [...issue.path, key], describeIssue(issue));
      }),
    );
  }
  const wrong = [
    ...(commands ? wrongCommands(read.data.approvals, commands) : []),
    ...impossibleCounts(read.data),
    ...twinDeployments(read.data),
  ];
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ path, message }) => problem(path, message)));
  return read.data;
}

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type Counted = Pick<ApprovalPolicy, 'approve' | 'count'>;

/** More approvals than there are people who can give them: such a request would wait for ever. */
function impossibleCounts({ roles, approvals, deployments }: PolicyFile): Wrong[] {
  const { risky, write, commands, rules } = approvals;
  const each = (path: readonly PropertyKey[], map: Readonly<Record<string, Counted | undefined>>) =>
    Object.entries(map).flatMap(([key, policy]) => (policy ? [{ path: [...path, key], policy }] : []));
  const policies = [
    ...each(['approvals'], { risky, write }),
    ...each(['approvals', 'commands'], commands),
    ...rules.map((policy, at) => ({ path: ['approvals', 'rules', at] as PropertyKey[], policy })),
    ...each(['deployments'], deployments),
  ];
  /** Everyone who can approve, where the file alone says who that is. */
  const listed = ({ approve }: Counted): ReadonlySet<string> | undefined => {
    if (approve === undefined || approve === 'everyone') return undefined;
    if (typeof approve === 'object')
      return approve.groups.length + approve.teams.length > 0 ? undefined : new Set(approve.users);
    const held = approve === 'admin' ? [roles.admin] : [roles.admin, roles.maintainer];
    return held.some((each) => each && each.groups.length > 0)
      ? undefined
      : new Set(held.flatMap((each) => each?.users ?? []));
  };
  return policies.flatMap(({ path, policy }) => {
    const people = listed(policy);
    const { count = 1 } = policy;
    if (people === undefined || count <= people.size) return [];
    const who = people.size === 1 ? 'only one person can approve' : `only ${people.size} people can approve`;
    return [{ path: [...path, 'count'], message: `needs ${count}, but ${who}` }];
  });
}

/** Which of the two a run belongs to could not be told. */
function twinDeployments({ deployments }: PolicyFile): Wrong[] {
  const seen = new Map<string, string>();
  return Object.entries(deployments).flatMap(([name, { repository, workflow, inputs, askFor }]) => {
    const sorted = Object.entries(inputs).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const what = JSON.stringify([repository.toLowerCase(), workflow, sorted, askFor.toSorted()]);
    const other = seen.get(what);
    seen.set(what, other ?? name);
    return other === undefined
      ? []
      : [{ path: ['deployments', name], message: `starts the same workflow with the same inputs as ${other}` }];
  });
}

const kinds: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  record: 'a map of names and values',
  object: 'a map of names and values',
};

/** In words, whatever the library says. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const allowed = keysAt(issue.path);
    const near = nearest(issue.keys[0] ?? '', allowed);
    return `is not known here.${near ? ` Did you mean ${near}?` : ''} Allowed: ${allowed.join(', ')}`;
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid'))
    return `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(issue.values.map(String))}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${issue.origin === 'array' ? ' entries' : ''}`;
  if (issue.code === 'too_small')
    return `must be at least ${issue.minimum}${issue.origin === 'array' ? ' entries' : issue.origin === 'string' ? ' letters' : ''}`;
  return issue.message;
}

/** The keys that the file may have there, as its schema for editors says. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let schema: unknown = policySchema();
  for (const key of path) {
    const named = property(property(schema, 'properties'), String(key));
    schema = named ?? property(schema, typeof key === 'number' ? 'items' : 'additionalProperties');
  }
  return Object.keys(Object(property(schema, 'properties')));
}

/** The file as a JSON Schema, for editors. */
export const policySchema = (): object =>
  z.toJSONSchema(FileShape, { io: 'input', unrepresentable: 'any', target: 'draft-7', reused: 'inline' });

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
