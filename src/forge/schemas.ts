import { z } from 'zod';

const Parts = z.tuple([z.string().regex(/^\d+$/)]).rest(z.string());

/** Forgejo 13 writes the parts of a row as a JSON list; older rows and other servers separate them with bars. */
function contentWithBars(content: string): string {
  if (!content.startsWith('[') || !content.endsWith(']')) return content;
  const parts = Parts.safeParse(json(content));
  return parts.success ? parts.data.join('|') : content;
}

function json(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

// One zod node per field, not three: a feed page has about fifteen hundred of them.

type Nullish<T> = T | null | undefined;
type Context = { issues: z.core.$ZodRawIssue[] };

/** 64-bit at the forge; one that would be rounded is refused, with its path in the error. */
const Id = z.int();

const Text = z.transform<Nullish<string>, string>((value, context) =>
  typeof value === 'string' ? value : nothing(value, '', 'string', context),
);

const Flag = z.transform<Nullish<boolean>, boolean>((value, context) =>
  typeof value === 'boolean' ? value : nothing(value, false, 'boolean', context),
);

const Count = z.transform<Nullish<number>, number>((value, context) =>
  Number.isSafeInteger(value) ? Number(value) : nothing(value, 0, 'int', context),
);

/** @internal RFC 3339, with any offset. */
export const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** @internal The forge writes "never" as null, '', the Unix epoch or the year 1, depending on the field. */
export const TimeOrUnset = z.transform<Nullish<string>, Date | undefined>((value, context) => {
  const read = value ? Time.safeParse(value) : undefined;
  if (read?.success) return unlessUnset(read.data);
  return nothing(value || undefined, undefined, 'date', context);
});

/** Null and absent both become undefined. */
export function maybe<T extends z.ZodType>(schema: T) {
  return z.pipe(
    z.transform((value: unknown): unknown => value ?? undefined),
    z.optional(schema),
  );
}

/** The forge sends null for many empty lists. */
function listOf<T extends z.ZodType>(item: T) {
  return z.pipe(
    z.transform((value: unknown): unknown => value ?? []),
    z.array(item),
  );
}

export const State = z.enum(['open', 'closed']);
export type State = z.infer<typeof State>;

function nothing<T>(value: unknown, instead: T, expected: z.core.$ZodInvalidTypeExpected, context: Context): T {
  if (value !== null && value !== undefined) context.issues.push({ code: 'invalid_type', expected, input: value });
  return instead;
}

function unlessUnset(time: Date): Date | undefined {
  return time.getTime() === 0 || time.getUTCFullYear() <= 1 ? undefined : time;
}

/** A user as embedded elsewhere. */
export const User = z.object({
  id: Id,
  login: z.string(),
  full_name: Text,
  avatar_url: Text,
  html_url: Text,
  /** User, Organization or Bot; only newer servers say. */
  type: maybe(z.string()),
});
export type User = z.infer<typeof User>;

/** A user read by name; private fields are zero unless the caller may see them. */
export const Account = User.extend({
  email: Text,
  is_admin: Flag,
  active: Flag,
  prohibit_login: Flag,
  restricted: Flag,
  visibility: Text,
  created: TimeOrUnset,
  last_login: TimeOrUnset,
});
export type Account = z.infer<typeof Account>;

/** A comment in a feed: its author is missing there, so the activity's actor counts. */
const CommentRef = z.object({ id: Id, body: Text, html_url: Text });

export const Comment = CommentRef.extend({
  /** Web addresses; one is empty, depending on the kind. */
  issue_url: Text,
  pull_request_url: Text,
  user: maybe(User),
  original_author: Text,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Comment = z.infer<typeof Comment>;

/** A repository as embedded elsewhere: kept small, since feeds carry fifty of them. */
const RepositoryRef = z.object({
  id: Id,
  name: z.string(),
  full_name: z.string(),
  html_url: Text,
  private: Flag,
  internal: Flag,
  archived: Flag,
  owner: maybe(z.object({ id: maybe(Id), visibility: Text })),
});

const mergeWays = {
  default_merge_style: Text,
  /** merge or rebase; older servers have no default. */
  default_update_style: Text,
  allow_rebase_update: maybe(z.boolean()),
  allow_merge_update: maybe(z.boolean()),
};

const Permission = z.object({ admin: Flag, push: Flag, pull: Flag });

export const Repository = RepositoryRef.extend({
  owner: maybe(User.extend({ visibility: Text })),
  description: Text,
  default_branch: Text,
  language: Text,
  website: Text,
  clone_url: Text,
  ssh_url: Text,
  original_url: Text,
  avatar_url: Text,
  empty: Flag,
  fork: Flag,
  mirror: Flag,
  template: Flag,
  has_issues: Flag,
  has_pull_requests: Flag,
  has_projects: Flag,
  has_actions: Flag,
  ...mergeWays,
  default_delete_branch_after_merge: Flag,
  object_format_name: Text,
  size: Count,
  stars_count: Count,
  forks_count: Count,
  watchers_count: Count,
  open_issues_count: Count,
  open_pr_counter: Count,
  topics: listOf(z.string()),
  permissions: maybe(Permission),
  parent: maybe(RepositoryRef),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  archived_at: TimeOrUnset,
});
export type Repository = z.infer<typeof Repository>;

/** An issue's repository: here the owner is just a login. */
const RepositoryMeta = z.object({ id: Id, name: z.string(), owner: z.string(), full_name: z.string() });

export const Branch = z.object({
  name: z.string(),
  protected: Flag,
  required_approvals: Count,
  enable_status_check: Flag,
  /** Patterns; all must be green if this is empty. */
  status_check_contexts: listOf(z.string()),
  /** Whether the caller may. */
  user_can_merge: maybe(z.boolean()),
  /** The rule that protects it; only for repository admins. */
  effective_branch_protection_name: Text,
  commit: maybe(z.object({ id: Text, message: Text, timestamp: TimeOrUnset })),
});
export type Branch = z.infer<typeof Branch>;

export const Protection = z.object({
  rule_name: Text,
  enable_status_check: Flag,
  status_check_contexts: listOf(z.string()),
  block_on_outdated_branch: Flag,
});

export const Tree = z.object({
  tree: listOf(z.object({ path: Text, mode: Text, type: Text, sha: Text })),
  truncated: Flag,
});

/** A person's permission in a repository: none, read, write, admin or owner. */
export const CollaboratorPermission = z.object({ permission: z.string(), role_name: Text, user: maybe(User) });
export type CollaboratorPermission = z.infer<typeof CollaboratorPermission>;

/** All types in the API document; some never occur, and newer servers may send others. */
export const opTypes = [
  'create_repo',
  'rename_repo',
  'star_repo',
  'watch_repo',
  'commit_repo',
  'create_issue',
  'create_pull_request',
  'transfer_repo',
  'push_tag',
  'comment_issue',
  'merge_pull_request',
  'close_issue',
  'reopen_issue',
  'close_pull_request',
  'reopen_pull_request',
  'delete_tag',
  'delete_branch',
  'mirror_sync_push',
  'mirror_sync_create',
  'mirror_sync_delete',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'publish_release',
  'pull_review_dismissed',
  'pull_request_ready_for_review',
  'auto_merge_pull_request',
] as const;
export type OpType = (typeof opTypes)[number];

/** Their content is one free text, whatever it looks like. */
const titled: ReadonlySet<string> = new Set(['publish_release', 'rename_repo', 'transfer_repo'] satisfies OpType[]);

const Row = z.object({
  id: Id,
  op_type: z.string(),
  created: Time,
  content: Text,
  ref_name: Text,
  is_private: Flag,
  user_id: Count,
  act_user_id: Count,
  act_user: maybe(User),
  repo_id: Count,
  repo: maybe(RepositoryRef),
  comment_id: Count,
  comment: maybe(CommentRef),
});

/** Normalizes `content` for all servers: a number, then its texts, separated by bars. */
const inOneForm = <R extends { readonly op_type: string; readonly content: string }>(row: R): R =>
  titled.has(row.op_type) ? row : { ...row, content: contentWithBars(row.content) };

export const Activity = Row.transform(inOneForm);
export type Activity = z.infer<typeof Activity>;

const unreadPart = z.unknown().transform(() => undefined);

/** A row of unknown shape: the least it needs to be posted plainly. Without a visibility it counts as private. */
export const PoorerActivity = Row.extend({
  content: Text.catch(''),
  ref_name: Text.catch(''),
  is_private: z.boolean().catch(true),
  user_id: Count.catch(0),
  act_user_id: Count.catch(0),
  act_user: maybe(User).or(unreadPart),
  repo_id: Count.catch(0),
  comment_id: Count.catch(0),
  comment: maybe(CommentRef).or(unreadPart),
}).transform(inOneForm);

const Signature = z.object({ name: Text, email: Text, date: TimeOrUnset });
const ShaRef = z.object({ sha: z.string() });

export const RepoCommit = z.object({
  sha: z.string(),
  html_url: Text,
  created: TimeOrUnset,
  /** Accounts, if the email address belongs to one. */
  author: maybe(User),
  committer: maybe(User),
  commit: maybe(
    z.object({
      message: Text,
      author: maybe(Signature),
      committer: maybe(Signature),
      verification: maybe(z.object({ verified: Flag, reason: Text })),
    }),
  ),
  parents: listOf(ShaRef),
  files: listOf(z.object({ filename: Text, status: Text })),
  stats: maybe(z.object({ additions: Count, deletions: Count, total: Count })),
});
export type RepoCommit = z.infer<typeof RepoCommit>;

/** status: pending, success, error, failure, warning or skipped. */
export const CommitStatus = z.object({
  context: Text,
  status: Text,
  description: Text,
  target_url: Text,
  updated_at: TimeOrUnset,
});
export type CommitStatus = z.infer<typeof CommitStatus>;

export const Cron = z.object({
  name: z.string(),
  schedule: Text,
  next: TimeOrUnset,
  prev: TimeOrUnset,
  exec_times: Count,
});
export type Cron = z.infer<typeof Cron>;

export const Email = z.object({
  email: z.string(),
  verified: Flag,
  primary: Flag,
  user_id: Count,
  username: Text,
});
export type Email = z.infer<typeof Email>;

/** Its `authorization_header` is left out on purpose: nobody here needs that secret. */
export const Hook = z.object({
  id: Id,
  name: Text,
  type: Text,
  branch_filter: Text,
  config: maybe(z.object({ url: Text, content_type: Text, channel: Text })),
  events: listOf(z.string()),
  active: Flag,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type Hook = z.infer<typeof Hook>;

const Loose = maybe(z.record(z.string(), z.unknown()));

/** Attributes and validations are whatever the file says. */
export const IssueFormField = z.object({
  type: Text,
  id: Text,
  attributes: Loose,
  validations: Loose,
  visible: listOf(z.string()),
});
export type IssueFormField = z.infer<typeof IssueFormField>;

/** From config.yaml beside the templates; a server that finds none allows blank issues. */
export const IssueConfig = z.object({ blank_issues_enabled: z.boolean() });

/** `body` is empty for a Markdown template, `content` for a form. */
export const IssueTemplate = z.object({
  name: Text,
  title: Text,
  about: Text,
  labels: listOf(z.string()),
  assignees: listOf(z.string()),
  content: Text,
  file_name: Text,
  body: listOf(IssueFormField),
});
export type IssueTemplate = z.infer<typeof IssueTemplate>;

export const Label = z.object({
  id: Id,
  name: z.string(),
  /** Six hex digits, without the # that requests need. */
  color: Text,
  description: Text,
  exclusive: Flag,
  is_archived: Flag,
});
export type Label = z.infer<typeof Label>;

export const Milestone = z.object({
  id: Id,
  title: z.string(),
  description: Text,
  state: maybe(State),
  open_issues: Count,
  closed_issues: Count,
  due_on: TimeOrUnset,
  closed_at: TimeOrUnset,
});
export type Milestone = z.infer<typeof Milestone>;

export const Project = z
  .object({
    id: Id,
    title: z.string(),
    description: Text,
    state: State.nullish(),
    is_closed: Flag,
    type: Text,
    template_type: Text,
    card_type: Text,
    html_url: Text,
    owner_id: Count,
    repo_id: Count,
    num_issues: Count,
    num_open_issues: Count,
    num_closed_issues: Count,
    creator: maybe(User),
    created_at: TimeOrUnset,
    updated_at: TimeOrUnset,
    closed_at: TimeOrUnset,
  })
  // 1.27 lists projects on issues but has no `state` yet
  .transform(({ is_closed, state, ...rest }) => ({ ...rest, state: state ?? (is_closed ? 'closed' : 'open') }));
export type Project = z.infer<typeof Project>;

export const ProjectColumn = z.object({
  id: Id,
  title: z.string(),
  color: Text,
  default: Flag,
  sorting: Count,
  project_id: Count,
  creator: maybe(User),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type ProjectColumn = z.infer<typeof ProjectColumn>;

const PullRequestMeta = z.object({
  draft: Flag,
  merged: Flag,
  merged_at: TimeOrUnset,
  html_url: Text,
});

export const Issue = z.object({
  id: Id,
  number: Id,
  title: z.string(),
  body: Text,
  state: State,
  html_url: Text,
  url: Text,
  user: maybe(User),
  original_author: Text,
  assignees: listOf(User),
  labels: listOf(Label),
  milestone: maybe(Milestone),
  projects: listOf(Project),
  /** Present if this is a pull request. */
  pull_request: maybe(PullRequestMeta),
  repository: maybe(RepositoryMeta),
  comments: Count,
  /** Absent before 1.26: then an edit cannot detect that someone else was faster. */
  content_version: maybe(Id),
  is_locked: Flag,
  pin_order: Count,
  ref: Text,
  time_estimate: Count,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  closed_at: TimeOrUnset,
  due_date: TimeOrUnset,
});
export type Issue = z.infer<typeof Issue>;

/** One internal shape from two wire shapes: a recognized record is rewritten before validation. */
function either<T extends z.ZodType>(rewrite: (record: object) => object, schema: T) {
  return z
    .unknown()
    .transform((value) => (typeof value === 'object' && value !== null ? rewrite(value) : value))
    .pipe(schema);
}

/** The filter values of the lists of runs and jobs; any other is a 400. */
export const RunFilter = z.enum([
  'pending',
  'queued',
  'in_progress',
  'failure',
  'success',
  'skipped',
  'waiting',
  'requested',
  'action_required',
  'completed',
  'cancelled',
  'timed_out',
  'neutral',
]);
export type RunFilter = z.infer<typeof RunFilter>;

interface Progress {
  readonly status: string;
  readonly conclusion?: string;
}

const stages: Readonly<Record<string, string>> = {
  unknown: 'queued',
  waiting: 'queued',
  blocked: 'waiting',
  running: 'in_progress',
};

/** One word at Forgejo, two at Gitea: progress and conclusion. */
function progressOf(word: unknown): Progress {
  if (typeof word !== 'string') return { status: '' };
  const stage = Object.hasOwn(stages, word) ? stages[word] : undefined;
  return stage === undefined ? { status: 'completed', conclusion: word } : { status: stage };
}

const ended = ['success', 'failure', 'cancelled', 'skipped'];

const asked: Readonly<Record<RunFilter, readonly string[]>> = {
  pending: ['waiting'],
  queued: ['waiting'],
  requested: ['waiting'],
  waiting: ['blocked'],
  action_required: ['blocked'],
  in_progress: ['running'],
  success: ['success'],
  failure: ['failure'],
  cancelled: ['cancelled'],
  skipped: ['skipped'],
  completed: ended,
  timed_out: [],
  neutral: [],
};

/** The values Forgejo's filter takes; any other is a 400. */
export function statusWords(filters: readonly RunFilter[]): string[] {
  return [...new Set(filters.flatMap((filter) => asked[filter]))];
}

/** An ActionRun is recognized by its number; everything else is returned unchanged. */
function fromForgejoRun(record: object): object {
  if (!('index_in_repo' in record)) return record;
  const run = new Map<string, unknown>(Object.entries(record));
  return {
    id: run.get('id'),
    run_number: run.get('index_in_repo'),
    display_title: run.get('title'),
    path: run.get('workflow_id'),
    // `event` is the webhook's name; this one is the key under `on:`
    event: run.get('trigger_event') || run.get('event'),
    ...progressOf(run.get('status')),
    head_sha: run.get('commit_sha'),
    head_branch: run.get('prettyref'),
    html_url: run.get('html_url'),
    actor: run.get('trigger_user'),
    trigger_actor: run.get('trigger_user'),
    repository: run.get('repository'),
    created_at: run.get('created'),
    updated_at: run.get('updated'),
    started_at: run.get('started'),
    completed_at: run.get('stopped'),
  };
}

/** An ActionRunJob has labels, but no runner, times or steps. */
function fromForgejoJob(record: object): object {
  if (!('runs_on' in record)) return record;
  const job = new Map<string, unknown>(Object.entries(record));
  return {
    id: job.get('id'),
    run_id: job.get('run_id'),
    run_attempt: job.get('attempt'),
    name: job.get('name'),
    labels: job.get('runs_on'),
    ...progressOf(job.get('status')),
  };
}

const Step = z.object({
  name: Text,
  number: Count,
  status: Text,
  conclusion: maybe(z.string()),
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

const Job = z.object({
  id: Id,
  run_id: Count,
  run_attempt: Count,
  name: Text,
  labels: listOf(z.string()),
  status: Text,
  conclusion: maybe(z.string()),
  head_sha: Text,
  head_branch: Text,
  html_url: Text,
  runner_id: maybe(Id),
  runner_name: Text,
  steps: listOf(Step),
  created_at: TimeOrUnset,
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

/** The end of a text; `whole` if that is all of it. */
export const TextTail = z.object({ text: z.string(), whole: z.boolean() });

export const WorkflowJob = either(fromForgejoJob, Job);
export type WorkflowJob = z.infer<typeof WorkflowJob>;

export const DeployKey = z.object({
  id: Id,
  key_id: Count,
  title: Text,
  key: Text,
  fingerprint: Text,
  /** ssh or token; only the newest servers say. */
  key_type: maybe(z.string()),
  /** Plaintext, only when a token key is created: never log, never post. */
  token: maybe(z.string()),
  read_only: Flag,
  repository: maybe(RepositoryRef),
  created_at: TimeOrUnset,
});
export type DeployKey = z.infer<typeof DeployKey>;

export const PublicKey = z
  .object({
    id: Id,
    title: Text,
    key: Text,
    fingerprint: Text,
    key_type: Text,
    read_only: Flag,
    user: maybe(User),
    created_at: TimeOrUnset,
    last_used_at: TimeOrUnset,
    updated_at: TimeOrUnset,
  })
  // the API document calls the last use `updated_at`
  .transform(({ updated_at, last_used_at, ...rest }) => ({ ...rest, last_used_at: last_used_at ?? updated_at }));
export type PublicKey = z.infer<typeof PublicKey>;

export const NotificationStatus = z.enum(['unread', 'read', 'pinned']);
export type NotificationStatus = z.infer<typeof NotificationStatus>;

const NotificationSubject = z.object({
  /** Issue, Pull, Commit or Repository. */
  type: z.string(),
  title: Text,
  /** open, closed, merged or empty. */
  state: Text,
  html_url: Text,
  /** An API address; for a pull request, the issue's. */
  url: Text,
  latest_comment_html_url: Text,
  latest_comment_url: Text,
});

/** `repository` and `subject` are missing if the reader lost access. */
export const NotificationThread = z.object({
  id: Id,
  unread: Flag,
  pinned: Flag,
  updated_at: Time,
  repository: maybe(RepositoryRef),
  subject: maybe(NotificationSubject),
  url: Text,
});
export type NotificationThread = z.infer<typeof NotificationThread>;

export const NotificationCount = z.object({ new: Count });
export type NotificationCount = z.infer<typeof NotificationCount>;

export const Organization = z
  .object({
    id: Id,
    name: z.string().optional(),
    /** The older name of `name`; old servers send only this one. */
    username: z.string().optional(),
    full_name: Text,
    description: Text,
    avatar_url: Text,
    visibility: Text,
  })
  .transform(({ name, username, ...rest }) => ({ ...rest, name: name ?? username ?? '' }));
export type Organization = z.infer<typeof Organization>;

export const Package = z.object({
  id: Id,
  type: z.string(),
  name: z.string(),
  version: z.string(),
  html_url: Text,
  owner: maybe(User),
  creator: maybe(User),
  repository: maybe(RepositoryRef),
  created_at: TimeOrUnset,
});
export type Package = z.infer<typeof Package>;

export const Team = z.object({
  id: Id,
  name: z.string(),
  description: Text,
  organization: maybe(Organization),
  permission: Text,
  can_create_org_repo: Flag,
  includes_all_repositories: Flag,
  visibility: Text,
  /** `repo.actions` and the like, each with none, read, write, admin or owner. */
  units_map: maybe(z.record(z.string(), z.string())),
});
export type Team = z.infer<typeof Team>;

/** `repo` is missing if the fork was deleted. */
const PullBranch = z.object({
  label: Text,
  ref: Text,
  sha: Text,
  repo: maybe(RepositoryRef.extend(mergeWays)),
});

/** The API document has only some of these fields: only the identity is certain. */
export const PullRequest = z.object({
  id: Id,
  number: Id,
  title: Text,
  body: Text,
  state: maybe(State),
  html_url: Text,
  user: maybe(User),
  assignees: listOf(User),
  labels: listOf(Label),
  milestone: maybe(Milestone),
  requested_reviewers: listOf(User),
  requested_reviewers_teams: listOf(Team),
  base: maybe(PullBranch),
  head: maybe(PullBranch),
  draft: Flag,
  mergeable: Flag,
  merged: Flag,
  merged_at: TimeOrUnset,
  merged_by: maybe(User),
  merge_commit_sha: Text,
  /** Where the branches diverged; it follows a push a moment later. */
  merge_base: Text,
  allow_maintainer_edit: Flag,
  additions: maybe(z.int()),
  deletions: maybe(z.int()),
  changed_files: maybe(z.int()),
  comments: Count,
  review_comments: Count,
  content_version: maybe(Id),
  is_locked: Flag,
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  closed_at: TimeOrUnset,
  due_date: TimeOrUnset,
});
/** A file that a pull request changes. */
export const ChangedFile = z.object({ filename: Text, status: Text });

export type PullRequest = z.infer<typeof PullRequest>;

export const Release = z.object({
  id: Id,
  tag_name: Text,
  name: Text,
  body: Text,
  html_url: Text,
  draft: Flag,
  prerelease: Flag,
  author: maybe(User),
  published_at: TimeOrUnset,
});
export type Release = z.infer<typeof Release>;

export const PullReview = z.object({
  id: Id,
  /** APPROVED, PENDING, COMMENT, REQUEST_CHANGES or REQUEST_REVIEW. */
  state: z.string(),
  body: Text,
  html_url: Text,
  commit_id: Text,
  comments_count: Count,
  dismissed: Flag,
  official: Flag,
  stale: Flag,
  /** One of the two is set. */
  user: maybe(User),
  team: maybe(Team),
  submitted_at: TimeOrUnset,
  updated_at: TimeOrUnset,
});
export type PullReview = z.infer<typeof PullReview>;

const End = z.object({ ref: Text, sha: Text, repo: maybe(z.object({ id: Id })) });

const RunPull = z.object({
  id: Id,
  number: Id,
  url: Text,
  head: maybe(End),
  base: maybe(End),
});

const Run = z.object({
  id: Id,
  /** The number on the forge's pages. */
  run_number: Count,
  /** 0 marks a run from before attempts were recorded. */
  run_attempt: Count,
  previous_attempt_url: maybe(z.string()),
  display_title: Text,
  /** `file.yml@refs/heads/branch`. */
  path: Text,
  event: Text,
  /** queued, waiting, in_progress or completed; not the same words as the filter's. */
  status: Text,
  /** `success`, `failure`, `cancelled` or `skipped`, once completed. */
  conclusion: maybe(z.string()),
  head_sha: Text,
  head_branch: Text,
  html_url: Text,
  actor: maybe(User),
  trigger_actor: maybe(User),
  repository: maybe(RepositoryRef),
  pull_requests: listOf(RunPull),
  created_at: TimeOrUnset,
  updated_at: TimeOrUnset,
  started_at: TimeOrUnset,
  completed_at: TimeOrUnset,
});

/** One run, from either server. */
export const WorkflowRun = either(fromForgejoRun, Run);

const unknownPart = z.unknown().transform(() => undefined);

/** A run of unknown shape: the least it needs to be posted plainly. */
export const PoorerRun = either(
  fromForgejoRun,
  Run.extend({
    previous_attempt_url: unknownPart,
    display_title: Text.catch(''),
    event: Text.catch(''),
    head_sha: Text.catch(''),
    html_url: Text.catch(''),
    actor: maybe(User).or(unknownPart),
    trigger_actor: maybe(User).or(unknownPart),
    repository: maybe(RepositoryRef).or(unknownPart),
    pull_requests: listOf(RunPull).catch([]),
  }),
);
export type WorkflowRun = z.infer<typeof WorkflowRun>;

/** Labels are plain strings there, and one status says both whether a runner is online and whether it is busy. */
function fromForgejoRunner(record: object): object {
  const runner = new Map<string, unknown>(Object.entries(record));
  const labels = runner.get('labels');
  const status = runner.get('status');
  return {
    ...record,
    ...(Array.isArray(labels) && {
      labels: labels.map((label) => (typeof label === 'string' ? { name: label } : label)),
    }),
    ...((status === 'idle' || status === 'active') && { status: 'online', busy: status === 'active' }),
  };
}

const AnyRunner = z.object({
  id: Id,
  name: Text,
  /** online or offline. */
  status: Text,
  busy: Flag,
  /** Absent if runners cannot be disabled. */
  disabled: maybe(z.boolean()),
  ephemeral: Flag,
  labels: listOf(z.object({ name: z.string(), type: Text })),
});

export const Runner = either(fromForgejoRunner, AnyRunner);
export type Runner = z.infer<typeof Runner>;

/** Created by name; the token is shown only this once. */
export const RegisteredRunner = z.object({ id: Id, uuid: z.string(), token: z.string() });
export type RegisteredRunner = z.infer<typeof RegisteredRunner>;

/** A secret: anyone who has it can attach a runner. */
export const RegistrationToken = z.object({ token: z.string() });
export type RegistrationToken = z.infer<typeof RegistrationToken>;

export const ServerVersion = z.object({ version: z.string() });
export type ServerVersion = z.infer<typeof ServerVersion>;

export const ApiSettings = z.object({
  max_response_items: maybe(z.int().positive()),
  default_paging_num: maybe(z.int().positive()),
});
export type ApiSettings = z.infer<typeof ApiSettings>;

/** An event on an issue or pull request. */
export const TimelineEntry = z.object({
  id: Id,
  /** `comment`, `review_request`, `assignees`, `close`, `reopen`, `merge_pull`, `pull_push` and many more. */
  type: Text,
  /** Of a push: JSON with `commit_ids`. */
  body: Text,
  user: maybe(User),
  /** Who was assigned or requested, or no longer is. */
  assignee: maybe(User),
  assignee_team: maybe(Team),
  removed_assignee: Flag,
  created_at: TimeOrUnset,
});
export type TimelineEntry = z.infer<typeof TimelineEntry>;

/** `sha1` is the secret itself, sent once: never log, never post. */
export const CreatedToken = z.object({
  id: Id,
  name: z.string(),
  sha1: z.string(),
  token_last_eight: Text,
  scopes: listOf(z.string()),
});
export type CreatedToken = z.infer<typeof CreatedToken>;

export const CurrentToken = z.object({
  id: Id,
  name: Text,
  scopes: listOf(z.string()),
  user: maybe(z.object({ id: Id, login: z.string() })),
});
export type CurrentToken = z.infer<typeof CurrentToken>;

/** `client_secret` is sent once. */
export const CreatedOAuthApp = z.object({ id: Id, client_id: z.string(), client_secret: z.string() });

export const TrackedTime = z.object({
  id: Id,
  /** Seconds. */
  time: z.int(),
  user_name: Text,
  issue: maybe(Issue),
  created: TimeOrUnset,
});
export type TrackedTime = z.infer<typeof TrackedTime>;

export const Workflow = z.object({
  /** The file name, which every other call takes. */
  id: z.string(),
  /** From the file, or its file name. */
  name: Text,
  path: Text,
  /** `active`, or `disabled_…` with the reason. */
  state: Text,
  html_url: Text,
});
export type Workflow = z.infer<typeof Workflow>;

/** Which run a dispatch started: `workflow_run_id` at Gitea, `id` at Forgejo; older servers do not say. */
export const Dispatched = maybe(
  z
    .object({ workflow_run_id: maybe(z.int()), id: maybe(z.int()) })
    .transform(({ workflow_run_id, id }) => ({ run: workflow_run_id ?? id })),
);

const Named = z.object({ name: Text });

/** A folder is answered with a list of what is in it. */
export const FileContent = z
  .array(z.unknown())
  .transform((rows) => ({
    ...{ type: 'dir', size: 0, encoding: '', content: '' },
    names: rows.flatMap((row) => Named.safeParse(row).data?.name ?? []),
  }))
  .or(
    z
      .object({ type: Text, size: Count, encoding: Text, content: Text })
      .transform((file) => ({ ...file, names: [] as readonly string[] })),
  );
export type FileContent = z.infer<typeof FileContent>;
