import type { User } from './people.js';
import type { Comment, Issue, Repo } from './repo.js';

export interface Activity {
  readonly id: number;
  /** Who receives the row: the actor, the owning organization, each watcher. */
  readonly receiver: User;
  readonly actor: User;
  readonly op: string;
  readonly repo: Repo;
  readonly comment: Comment | undefined;
  readonly ref: string;
  readonly content: string;
  private: boolean;
  readonly created: number;
}

export type ThreadStatus = 'unread' | 'read' | 'pinned';

export interface Thread {
  readonly id: number;
  readonly user: User;
  readonly repo: Repo;
  /** Absent: the subject is the repository itself. */
  readonly issue: Issue | undefined;
  status: ThreadStatus;
  updated: number;
}

export interface CronTask {
  readonly name: string;
  readonly schedule: string;
  next: number;
  prev: number;
  executions: number;
}

export interface Hook {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly scope: 'system' | 'default' | Repo;
  readonly branchFilter: string;
  readonly url: string;
  readonly contentType: 'json' | 'form';
  readonly extras: Readonly<Record<string, string>>;
  readonly secret: string;
  readonly events: readonly string[];
  readonly authorization: string;
  readonly active: boolean;
  readonly created: number;
}

export interface Package {
  readonly id: number;
  readonly owner: User;
  readonly repo: Repo | undefined;
  readonly creator: User;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly created: number;
}

export interface Column {
  readonly id: number;
  title: string;
  color: string;
  sorting: number;
  readonly isDefault: boolean;
  readonly creator: User;
  readonly created: number;
  updated: number;
}

export interface Project {
  readonly id: number;
  title: string;
  description: string;
  /** A repository, or its owning person or organization. */
  readonly home: { readonly repo: Repo } | { readonly owner: User };
  readonly creator: User;
  closedAt: number | undefined;
  readonly template: 'none' | 'basic_kanban' | 'bug_triage';
  card: 'text_only' | 'images_and_text';
  readonly created: number;
  updated: number;
  readonly columns: Column[];
}

export interface Key {
  readonly id: number;
  /** A deploy key has a repository, a person's key a user. */
  readonly home: { readonly repo: Repo } | { readonly user: User };
  readonly title: string;
  readonly content: string;
  readonly fingerprint: string;
  readonly readOnly: boolean;
  readonly created: number;
}
