import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { readDuration } from '../duration.js';
import { ConfigError, UserError } from '../errors.js';
import { splitFullName } from '../full-name.js';
import { nearest } from '../nearest.js';
import { compilePattern, refuseForeign } from '../pattern.js';
import { property } from '../property.js';
import { clock, days, WorkingHours, weekdays, zone } from '../working-hours.js';

const slackUser = z
  .string()
  .regex(/^[UW][A-Z0-9]{2,20}$/, 'must be a Slack user id such as U012AB3CD (profile, three dots, Copy member ID)');
const slackGroup = z.string().regex(/^S[A-Z0-9]{2,20}$/, 'must be a Slack user group id such as S012AB3CD');
const slackChannel = z.string().regex(/^[CG][A-Z0-9]{2,20}$/, 'must be a Slack channel id such as C012AB3CD');
const forgeTeam = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be a team of the forge, written org/team');

const Role = z.enum(['everyone', 'maintainer', 'admin'], 'must be everyone, maintainer or admin');

const Members = z.strictObject({
  users: z.array(slackUser).default([]),
  groups: z.array(slackGroup).default([]),
});

/** Slack people and groups, and forge teams: everyone in any of them. */
const Named = Members.extend({ teams: z.array(forgeTeam).max(10).default([]) }).refine(
  ({ users, groups, teams }) => users.length + groups.length + teams.length > 0,
  'name at least one of users, groups or teams',
);

/** Parsed by what was written, so that an error names its own key. */
const Approvers = z.unknown().transform((value, context) => {
  const read = (typeof value === 'object' ? Named : Role).safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    const message =
      issue.code === 'unrecognized_keys' ? 'is not known here. Allowed: users, groups, teams' : issue.message;
    context.addIssue({ code: 'custom', path, message });
  }
  return z.NEVER;
});

const seconds = z.string().transform((text, context) => {
  const value = readDuration(text);
  if (value !== undefined && value > 0) return value;
  context.addIssue({ code: 'custom', message: 'must be a duration such as 30m, 4h or 2d' });
  return z.NEVER;
});

export const ApprovalPolicy = z.strictObject({
  /** Who may request it; the command's own role is checked too. */
  ask: Role.optional(),
  /** A role, or named people, groups and teams. */
  approve: Approvers.optional(),
  count: z.int().min(0).max(10).optional(),
  channel: slackChannel.optional(),
  expires: seconds.optional(),
  requesterCounts: z.boolean().optional(),
  /** Whether an author of the change may approve it; the requester never may approve their own. */
  authorsCount: z.boolean().optional(),
  /** What to do if the state to bind to cannot be read. */
  unobserved: z.enum(['refuse', 'allow']).optional(),
});
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

/** Only what the matcher supports: anything else would be taken literally, and the rule would match nothing. */
const pattern = (form: RegExp, example: string) =>
  z
    .string()
    .max(200)
    .regex(form, `must be a name or a pattern such as ${example}`)
    .superRefine((text, context) => {
      try {
        refuseForeign(text, `“${text}”`);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    });

const branchPattern = pattern(/^[^\s]+$/, 'release/*');

const ApprovalRule = ApprovalPolicy.extend({
  command: pattern(/^[a-z*?][a-z*? -]*$/, 'pr merge or run *').optional(),
  repository: pattern(/^[^\s/]+\/[^\s/]+$/, 'acme/engine or acme/*').optional(),
  branch: branchPattern.optional(),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

const selectors = ({ command, repository, branch }: ApprovalRule) =>
  [command, repository, branch].map((each) => each?.toLowerCase());

const ApprovalRules = z
  .array(ApprovalRule)
  .max(200)
  .superRefine((rules, context) => {
    const seen = new Map<string, number>();
    for (const [at, rule] of rules.entries()) {
      const chosen = selectors(rule);
      const same = seen.get(JSON.stringify(chosen));
      if (chosen.every((each) => each === undefined)) {
        context.addIssue({ code: 'custom', path: [at], message: 'needs a command, a repository or a branch' });
      }
      if (same !== undefined) {
        const message = `selects the same as rules.${same}; combine them into one rule`;
        context.addIssue({ code: 'custom', path: [at], message });
      }
      seen.set(JSON.stringify(chosen), same ?? at);
    }
  });

const Approvals = z
  .strictObject({
    risky: ApprovalPolicy.optional(),
    write: ApprovalPolicy.optional(),
    commands: z.record(z.string().min(1), ApprovalPolicy).default({}),
    rules: ApprovalRules.default([]),
  })
  .default({ commands: {}, rules: [] });
type Approvals = z.infer<typeof Approvals>;

/** A command as rules can name it. */
export interface KnownCommand {
  readonly name: string;
  /** Whether it can say which branch it is about. */
  readonly branch: boolean;
  /** Its approvals are set elsewhere, so nothing here would apply to it. */
  readonly separate: boolean;
}

const elsewhere = ({ name }: KnownCommand): string =>
  name === 'deploy'
    ? 'its approvals are set under deployments, so this would have no effect'
    : 'people do this to their own link by themselves, so this would have no effect';

interface WrongApprovals {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A misspelled command would be left without the intended approval. */
function wrongCommands({ commands, rules }: Approvals, known: readonly KnownCommand[]): WrongApprovals[] {
  const named = Object.keys(commands).flatMap((name) => {
    const found = known.find((each) => each.name === name);
    const message = found ? found.separate && elsewhere(found) : 'no command has this name';
    return message ? [{ path: ['approvals', 'commands', name], message }] : [];
  });
  const ruled = rules.flatMap(({ command, branch }, at) => {
    const fits = compilePattern(command ?? '*');
    const fitting = known.filter(({ name }) => fits(name));
    const path = ['approvals', 'rules', at];
    const [first] = fitting;
    if (!first) return [{ path: [...path, 'command'], message: 'no command has this name' }];
    if (fitting.every(({ separate }) => separate)) return [{ path: [...path, 'command'], message: elsewhere(first) }];
    if (branch === undefined || fitting.some((each) => each.branch)) return [];
    return [{ path: [...path, 'branch'], message: `${command} does not involve a branch; leave it out` }];
  });
  return [...named, ...ruled];
}

const name = /^[a-z0-9][a-z0-9-]{0,30}$/;
/** Words that already follow `deploy`. */
const taken = ['freeze', 'unfreeze', 'status', 'history', 'list'];

/** On these days from one time to another; a window that ends before it starts ends the next day. */
const FreezeWindow = z.strictObject({
  days: days.default([...weekdays]),
  from: clock.default('00:00'),
  to: clock.default('24:00'),
  zone,
  reason: z.string().max(200).optional(),
});
export type FreezeWindow = z.infer<typeof FreezeWindow>;

/** In the order people know them. */
export const mergeStyles = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only'] as const;

const Queue = z
  .strictObject({
    repository: pattern(/^[^\s/]+\/[^\s/]+$/, 'acme/engine or acme/*'),
    /** Absent: every branch. */
    branch: branchPattern.optional(),
    /** For those who name none; absent: the repository's own. */
    style: z.enum(mergeStyles).optional(),
    /** What is tested: the pull request's own branch after an update, or a branch that Bellows makes with git. */
    way: z.enum(['update', 'branch']).default('update'),
    /** How many are tested together; more than one only with branches that Bellows makes. */
    group: z.int().min(1).max(20).default(1),
    /** How often failed jobs are rerun before it leaves the queue. */
    retries: z.int().min(0).max(2).default(0),
    /** For the checks of one pull request. */
    timeLimit: seconds.prefault('60m'),
    /** For an approval that an update cost, in working time. */
    keepPlace: seconds.prefault('4h'),
    /** What happens to a pull request that has no checks. */
    noChecks: z.enum(['merge', 'refuse']).default('refuse'),
    /** Who may put one before the others. */
    first: Role.default('maintainer'),
    freeze: z.array(FreezeWindow).max(20).default([]),
    /** Where its card is. */
    channel: slackChannel.optional(),
  })
  .refine(({ way, group }) => way === 'branch' || group === 1, {
    error: 'needs way: branch if it is more than 1',
    path: ['group'],
  });
export type QueueSettings = z.infer<typeof Queue>;

const ReviewSettings = z
  .strictObject({
    repository: pattern(/^[^\s/]+\/[^\s/]+$/, 'acme/engine or acme/*').default('*/*'),
    /** Only for reviews requested of this team. */
    team: forgeTeam.optional(),
    /** Whether diffs are shown and reviewed in Slack. */
    diff: z.boolean().default(true),
    /** Whether `pr review --assign` takes people who fit equally well in turn. */
    roundRobin: z.boolean().default(false),
    /** Working time after which a taken review is offered again, unless it was given. */
    claim: seconds.optional(),
    /** How long a first review may take, in working hours. */
    firstReview: seconds.optional(),
    /** How long before that its reviewer gets a direct message. */
    remind: seconds.optional(),
    /** The channel or person that is told when it is late. */
    escalate: z
      .string()
      .regex(/^[CGUW][A-Z0-9]{2,20}$/, 'must be the id of a Slack channel or person such as C012AB3CD')
      .optional(),
  })
  .superRefine(({ team, diff, claim, firstReview, remind = 0, escalate }, context) => {
    const tell = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const [ignored] = Object.entries({ diff: !diff, claim }).filter(([, value]) => value);
    if (team !== undefined && ignored)
      tell(ignored[0], 'is for all reviews of a repository: leave out team, or use another entry');
    if (firstReview !== undefined) {
      if (remind >= firstReview) tell('remind', 'must be shorter than firstReview');
    } else if (remind > 0 || escalate !== undefined) tell(remind > 0 ? 'remind' : 'escalate', 'needs firstReview');
  });
export type ReviewSettings = z.infer<typeof ReviewSettings>;

const inputName = z.string().regex(/^[A-Za-z_][\w-]{0,99}$/, 'must be the name of a workflow input');

const values = z.record(inputName, z.union([z.string(), z.number(), z.boolean()]).transform(String));

const Deployment = ApprovalPolicy.omit({ ask: true, unobserved: true })
  .extend({
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must be owner/repository'),
    workflow: z.string().regex(/^[^/\s]+\.ya?ml$/, 'must be the name of a workflow file such as deploy.yml'),
    /** Branches and tags that may be deployed; the default is the first one without a wildcard, or else the default branch. */
    refs: z
      .array(branchPattern, {
        error: ({ input }) =>
          input === undefined ? 'is missing: list the branches and tags that can be deployed' : undefined,
      })
      .min(1)
      .max(20),
    /** Always sent as written here. */
    inputs: values.default({}),
    /** Provided by the person who runs it. */
    askFor: z.array(inputName).max(20).default([]),
    /** Values with which the workflow may be started by hand: exactly these, after the file's defaults. */
    ungated: z
      .array(values.refine((each) => Object.keys(each).length > 0, 'must name an input'))
      .max(20)
      .default([]),
    ask: Approvers.optional(),
    /** passing: a commit whose checks failed or are still running is refused. */
    checks: z.enum(['passing', 'any']).default('passing'),
    freeze: z.array(FreezeWindow).max(20).default([]),
    breakGlass: Members.optional(),
  })
  .superRefine(({ inputs, askFor, ungated }, context) => {
    for (const [at, each] of ungated.entries())
      if (Object.entries(each).every(([named, value]) => (inputs[named] ?? value) === value && !askFor.includes(named)))
        context.addIssue({
          code: 'custom',
          path: ['ungated', at],
          message: 'must differ from inputs, or it opens the gate',
        });
    for (const [at, each] of askFor.entries())
      if (each in inputs)
        context.addIssue({ code: 'custom', path: ['askFor', at], message: 'inputs already sets it; remove one' });
  });
export type Deployment = z.infer<typeof Deployment>;

const Deployments = z
  .record(
    z
      .string()
      .regex(name, 'must be lowercase letters, digits and -, for example production')
      .refine((text) => !taken.includes(text), 'this is the name of a deploy command; use another name'),
    Deployment,
  )
  .default({});

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
  workingHours: WorkingHours.prefault({}),
  /** The first that fits a repository and branch counts; without one, the defaults do. */
  queues: z.array(Queue).max(200).default([]),
  /** The first that fits a repository counts. */
  reviews: z.array(ReviewSettings).max(200).default([]),
  /** Logins that count as bots, besides those that the forge or their name says so of. */
  bots: z
    .array(z.string().regex(/^\S{1,100}$/, 'must be a login such as renovate'))
    .max(100)
    .default([]),
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
    ...twinDeployments(read.data.deployments),
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
  const approversOf = ({ approve }: Counted): ReadonlySet<string> | undefined => {
    if (approve === undefined || approve === 'everyone') return undefined;
    if (typeof approve === 'object')
      return approve.groups.length + approve.teams.length > 0 ? undefined : new Set(approve.users);
    const held = approve === 'admin' ? [roles.admin] : [roles.admin, roles.maintainer];
    return held.some((each) => each && each.groups.length > 0)
      ? undefined
      : new Set(held.flatMap((each) => each?.users ?? []));
  };
  return policies.flatMap(({ path, policy }) => {
    const people = approversOf(policy);
    const { count = 1 } = policy;
    if (people === undefined || count <= people.size) return [];
    const who = people.size === 1 ? 'only one person can approve' : `only ${people.size} people can approve`;
    return [{ path: [...path, 'count'], message: `needs ${count}, but ${who}` }];
  });
}

/** Which of the two a run belongs to cannot be told. */
function twinDeployments(deployments: PolicyFile['deployments']): Wrong[] {
  const seen = new Map<string, string>();
  return Object.entries(deployments).flatMap(([name, { repository, workflow, inputs, askFor }]) => {
    const sorted = Object.entries(inputs).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const what = JSON.stringify([repository.toLowerCase(), workflow, sorted, askFor.toSorted()]);
    const other = seen.get(what);
    seen.set(what, other ?? name);
    if (other === undefined) return [];
    const message = `starts the same workflow with the same inputs as ${other}. Give them different inputs, or make them one`;
    return [{ path: ['deployments', name], message }];
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

/** Where Bellows runs, and the agent's token. */
export interface AgentSettings {
  readonly url: URL;
  readonly token: string;
}

const token = z
  .string()
  .trim()
  .regex(/^bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
const address = z
  .string()
  .regex(/^https?:\/\/\S+$/i)
  .refine(URL.canParse);
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** The token would cross the network in clear. */
const isPlain = ({ protocol, hostname }: URL) => protocol === 'http:' && !loopback.test(hostname);

type Env = Readonly<Record<string, string | undefined>>;

/** What `bellows mcp` needs: neither Redis nor keys, so that it runs on anyone's machine. */
export function readAgentSettings(env: Env, given?: string): AgentSettings {
  const local = `http://127.0.0.1:${env['PORT'] || 3000}`;
  const where = address.safeParse(given ?? (env['BELLOWS_PUBLIC_URL'] || local));
  const key = token.safeParse(env['BELLOWS_AGENT_TOKEN']);
  const url = where.success ? new URL(`${where.data.replace(/\/+$/, '').replace(/\/mcp$/, '')}/mcp`) : undefined;
  const problems = [
    ...(url && isPlain(url) ? ['--url: must start with https://, so that nobody on the way can read the token'] : []),
    ...(where.success ? [] : ['--url: must be the address of Bellows, for example https://bellows.example.org']),
    ...(key.success ? [] : ['BELLOWS_AGENT_TOKEN: set it to the token from /forge agents add; it starts with bwa_']),
  ];
  if (!url || !key.success || problems.length > 0) throw new ConfigError(problems);
  return { url, token: key.data };
}

/** Forge teams, written `org/team`, and their Slack user groups. */
type TeamGroups = Readonly<Record<string, string>>;

/** The forge is case-insensitive. */
export function groupOf(teams: TeamGroups, team: string): string | undefined {
  const wanted = team.toLowerCase();
  return Object.entries(teams).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

export const teamsOf = (teams: TeamGroups, group: string): string[] =>
  Object.entries(teams).flatMap(([name, id]) => (id === group ? [name] : []));

interface Team {
  readonly name: string;
  readonly organization?: { readonly name: string } | null | undefined;
}

/** `org/team`; if the server leaves out the organization, it is the repository's owner. */
export const teamPath = ({ name, organization }: Team, repository = ''): string =>
  `${organization?.name || splitFullName(repository).owner}/${name}`;

const usualQueue = Queue.parse({ repository: '*/*' });

export const queueSettings = (queues: readonly QueueSettings[], repository: string, base: string): QueueSettings =>
  queues.find(
    ({ repository: of, branch }) =>
      compilePattern(of)(repository) && (branch === undefined || compilePattern(branch)(base)),
  ) ?? usualQueue;

/** The first that fits the repository and, if a team was asked, that team. */
export const reviewSettings = (
  reviews: readonly ReviewSettings[],
  name: string,
  asked?: string,
): ReviewSettings | undefined =>
  reviews.find(
    ({ repository, team }) =>
      compilePattern(repository)(name) && (team === undefined || team.toLowerCase() === asked?.toLowerCase()),
  );

const usualClaim = 4 * 3_600;

/** How long a taken review is kept from others. */
export const claimSeconds = (reviews: readonly ReviewSettings[], name: string): number =>
  reviewSettings(reviews, name)?.claim ?? usualClaim;
