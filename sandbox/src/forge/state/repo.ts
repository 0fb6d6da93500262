import type { Label } from './label.js';
import type { Level, Team, User } from './people.js';

/** Repeated by a commit that squashes or rebases it. */
export interface Edit {
  /** In order of arrival. */
  readonly id: string;
  readonly files: readonly string[];
}

export interface Commit {
  readonly sha: string;
  /** As git stores it, where the forge serves git. */
  readonly raw?: string;
  /** Order of arrival; breaks ties in time. */
  readonly seq: number;
  readonly message: string;
  /** Who pushed it, and wrote it unless an address says otherwise. */
  readonly author: User;
  readonly authorEmail?: string;
  readonly committerEmail?: string;
  readonly at: number;
  readonly parents: readonly string[];
  /** What it makes: its own, or those it squashed or rebased; none for a merge. */
  readonly changes: readonly Edit[];
  readonly files: readonly { readonly filename: string; readonly status: 'added' | 'modified' | 'removed' }[];
  readonly additions: number;
  readonly deletions: number;
}

export interface Milestone {
  readonly id: number;
  title: string;
  description: string;
  state: 'open' | 'closed';
  readonly created: number;
  updated: number;
  closedAt: number | undefined;
  dueOn: number | undefined;
}

export interface CommitStatus {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  /** The server stores any word; it writes pending, success, error, failure, warning and skipped itself. */
  readonly state: string;
  readonly description: string;
  readonly targetUrl: string;
  /** Nobody if the server wrote it for a job. */
  readonly creator: User | undefined;
  readonly at: number;
}

export interface WorkflowJobPlan {
  readonly name: string;
  readonly labels: readonly string[];
  readonly needs: readonly string[];
  readonly steps: readonly string[];
}

interface Workflow {
  readonly file: string;
  readonly events: readonly string[];
  readonly jobs: readonly WorkflowJobPlan[];
}

/** What a branch demands of a merge; absent rules demand nothing. */
export interface Protection {
  /** Patterns of required contexts; an empty list: everything reported must be green, and something must be. */
  readonly statusChecks?: readonly string[] | undefined;
  readonly requiredApprovals?: number | undefined;
  /** Who may merge, by login. */
  readonly mergeList?: readonly string[] | undefined;
  readonly blockOnRejected?: boolean | undefined;
  readonly blockOnRequests?: boolean | undefined;
  readonly blockOnOutdated?: boolean | undefined;
  readonly protectedFiles?: string | undefined;
  readonly requireSigned?: boolean | undefined;
  readonly dismissStale?: boolean | undefined;
  readonly ignoreStale?: boolean | undefined;
}

export interface MergeSettings {
  readonly stylesOff: readonly string[];
  /** Used by people and programs that name none. */
  readonly defaultStyle: string;
  readonly deletesBranch: boolean;
  /** Whether a branch may be updated by rebasing it. */
  readonly rebaseUpdate: boolean;
  readonly updateStyle: 'merge' | 'rebase';
}

export interface Repo {
  readonly id: number;
  owner: User;
  name: string;
  /** Its former `owner/name` in lower case. */
  readonly formerNames: Set<string>;
  description: string;
  private: boolean;
  archivedAt: number | undefined;
  mirror: boolean;
  fork: boolean;
  template: boolean;
  defaultBranch: string;
  language: string;
  originalUrl: string;
  readonly topics: string[];
  readonly created: number;
  updated: number;
  readonly commits: Map<string, Commit>;
  readonly branches: Map<string, string>;
  readonly tags: Map<string, string>;
  readonly statuses: CommitStatus[];
  readonly workflows: Map<string, Workflow>;
  /** Workflow files that nothing starts any longer. */
  readonly disabledWorkflows: Set<string>;
  /** Contents by path, each under the commit that wrote it. */
  readonly texts: Map<string, Map<string, string>>;
  readonly collaborators: Map<User, Level>;
  readonly watchers: Set<User>;
  readonly stargazers: Set<User>;
  readonly issues: Map<number, Issue>;
  readonly labels: Label[];
  readonly milestones: Milestone[];
  readonly releases: Map<string, Release>;
  runs: number;
  readonly protections: Map<string, Protection>;
  merging: MergeSettings;
  timeTracking: boolean;
  dependencies: boolean;
}

export const fullName = (repo: Repo): string => `${repo.owner.login}/${repo.name}`;

export interface Release {
  readonly id: number;
  readonly tag: string;
  readonly title: string;
  readonly notes: string;
  readonly author: User;
  readonly created: number;
}

export interface Comment {
  readonly id: number;
  readonly issue: Issue;
  readonly poster: User;
  body: string;
  /** The forge keeps state changes and the like as comments too; only `text` ones are listed. */
  readonly kind: 'text' | 'review' | 'close' | 'reopen' | 'event';
  /** For an event: its timeline entry. */
  readonly event: TimelineEvent | undefined;
  readonly created: number;
  updated: number;
}

export interface TimelineEvent {
  readonly type: string;
  /** Whom it is about. */
  readonly assignee?: User;
  readonly team?: Team;
  readonly removed?: boolean;
}

export type ReviewState = 'APPROVED' | 'PENDING' | 'COMMENT' | 'REQUEST_CHANGES' | 'REQUEST_REVIEW';

export interface Review {
  readonly id: number;
  readonly user: User | undefined;
  readonly team: Team | undefined;
  state: ReviewState;
  body: string;
  commitId: string;
  stale: boolean;
  official: boolean;
  dismissed: boolean;
  /** On single lines. */
  readonly comments: readonly string[];
  readonly comment: Comment | undefined;
  readonly created: number;
  updated: number;
}

export interface Schedule {
  readonly by: User;
  readonly style: string;
  readonly deleteBranch: boolean;
}

export interface Pull {
  readonly id: number;
  base: string;
  readonly head: string;
  headSha: string;
  /** What `refs/pull/N/head` still shows after a push. */
  laggingRef: string | undefined;
  mergeBase: string;
  /** Undefined if the fork was deleted. */
  headRepo: Repo | undefined;
  merged: { readonly at: number; readonly by: User; readonly sha: string } | undefined;
  conflicts: boolean;
  /** It merges, but its commits one by one do not. */
  rebaseConflicts: boolean;
  /** The server checks it for conflicts until then, in milliseconds. */
  checkedAt: number;
  /** To be merged by the server when it thinks the checks passed. */
  schedule: Schedule | undefined;
  maintainerEdit: boolean;
  additions: number;
  deletions: number;
  changedFiles: number;
  readonly reviews: Review[];
}

export interface Issue {
  readonly id: number;
  readonly repo: Repo;
  readonly index: number;
  readonly poster: User;
  title: string;
  body: string;
  /** Changes only with the body. */
  contentVersion: number;
  state: 'open' | 'closed';
  closedAt: number | undefined;
  readonly created: number;
  updated: number;
  dueDate: string | undefined;
  ref: string;
  locked: boolean;
  labels: Label[];
  milestone: Milestone | undefined;
  assignees: User[];
  readonly projects: Set<number>;
  /** What must be closed before this. */
  readonly dependencies: Set<Issue>;
  readonly comments: Comment[];
  readonly mentioned: Set<User>;
  readonly pull: Pull | undefined;
}

export interface TrackedTime {
  readonly id: number;
  readonly issue: Issue;
  readonly user: User;
  readonly seconds: number;
  readonly created: number;
}

export const isDraft = (issue: Issue): boolean => /^(wip:|\[wip\])/i.test(issue.title.trim());
