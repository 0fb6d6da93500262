/** `feature:sub`, the words people use in subscriptions. */
export const kinds = [
  'issues:opened',
  'issues:closed',
  'issues:reopened',
  'issues:labeled',
  'pulls:opened',
  'pulls:closed',
  'pulls:merged',
  'pulls:reopened',
  'pulls:ready',
  'pulls:labeled',
  'commits:pushed',
  'branches:created',
  'branches:deleted',
  'tags:created',
  'tags:deleted',
  'releases:published',
  'reviews:requested',
  'reviews:approved',
  'reviews:rejected',
  'reviews:commented',
  'reviews:dismissed',
  'comments:issue',
  'comments:pull',
  'runs:failure',
  'runs:success',
  'runs:cancelled',
  'runs:skipped',
  'runs:waiting',
  'runs:stuck',
  'repos:created',
  'repos:renamed',
  'repos:transferred',
  'repos:starred',
  'repos:watched',
  'repos:other',
  'mirrors:pushed',
  'mirrors:created',
  'mirrors:deleted',
  'inbox:review_requested',
  'inbox:assigned',
  'inbox:mentioned',
  'inbox:replied',
  'inbox:activity',
] as const;
export type Kind = (typeof kinds)[number];
export type KindIn<Feature extends string> = Extract<Kind, `${Feature}:${string}`>;

export const featureOf = (kind: Kind): string => kind.slice(0, kind.indexOf(':'));
export const subOf = (kind: Kind): string => kind.slice(kind.indexOf(':') + 1);

export interface RepoRef {
  readonly id: number;
  readonly fullName: string;
  readonly url: string;
  /** At the time it was read: not everyone may see it. */
  readonly hidden: boolean;
}

export interface Actor {
  readonly id: number;
  readonly login: string;
  readonly bot: boolean;
}

/** What it is about; one thread per `thread` in a channel, none if absent. */
export interface Item {
  readonly kind: 'issue' | 'pull' | 'run' | 'branch' | 'tag' | 'release' | 'repo' | 'commit';
  readonly number?: number;
  readonly title?: string;
  readonly url: string;
  readonly thread?: string;
  readonly openedAt?: string;
}

export interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
}

export interface Push {
  readonly branch: string;
  readonly commits: readonly Commit[];
  /** Of the whole push; `commits` may list fewer. */
  readonly total: number;
  readonly compareUrl?: string;
}

export type Outcome = 'failure' | 'success' | 'cancelled' | 'skipped';

export interface RunFacts {
  readonly id: number;
  readonly attempt: number;
  readonly number: number;
  readonly workflow: string;
  readonly branch: string;
  readonly sha: string;
  readonly trigger: string;
  readonly seconds?: number;
  /** First red, or green again since that run broke it; absent: the same color as before. */
  readonly transition?: {
    readonly to: 'red' | 'green';
    readonly since?: number;
    readonly brokenAt?: string;
    /** The last commit that succeeded before it broke, and its run. */
    readonly green?: string;
    readonly lastGreen?: RunPoint;
  };
  /** On the default branch. */
  readonly main?: true;
  /** For a failed run, if the forge gave details at the time. */
  readonly why?: RunWhy;
  /** What this server lets people do about it. */
  readonly offers?: { readonly [What in 'rerun' | 'log' | 'approve' | 'cancel' | 'force']?: true };
  /** For a run waiting for approval. */
  readonly waiting?: RunWaiting;
  /** Why it looks stuck. */
  readonly symptoms?: readonly string[];
  /** It is no longer waiting or stuck: nothing to post, but its card is updated. */
  readonly now?: RunNow;
}

/** A run as people know it. */
export interface RunPoint {
  readonly number: number;
  readonly url: string;
  readonly at: string;
}

export type RunNow = Outcome | 'running';

/** An unapproved run of a fork's pull request; each part only if it could be read. */
export interface RunWaiting {
  readonly pull: number;
  readonly url?: string;
  readonly title?: string;
  readonly author?: string;
  /** None of their pull requests was merged here before. */
  readonly firstTime?: boolean;
  /** Workflow files the pull request changes. */
  readonly files?: readonly string[];
}

/** Why a run failed; each part only if it could be read. */
export interface RunWhy {
  readonly job?: string;
  readonly step?: string;
  /** Two to five lines of the log. */
  readonly lines: readonly string[];
  /** Since the last green run, newest first; with the author's account if the forge knows it. */
  readonly commits?: readonly (Commit & { readonly login?: string })[];
  /** Other branches where the same job failed recently. */
  readonly elsewhere?: readonly string[];
}

interface Common<K extends Kind> {
  readonly v: 1;
  /** Stable and unique across sources. */
  readonly id: string;
  readonly source: string;
  /** The same for one action in every feed it appears in. */
  readonly action?: string;
  readonly at: string;
  readonly kind: K;
  /** What else this action was: a merge is also a push to the base branch. */
  readonly also?: readonly Kind[];
  readonly repo: RepoRef;
  /** Null: a deleted user, or the forge itself. */
  readonly actor: Actor | null;
  readonly item: Item;
}

interface InboxDetail {
  readonly threadId?: number;
  readonly state: string;
  readonly commentUrl?: string;
  /** The thread was read elsewhere: nothing to post, but its card is updated. */
  readonly read?: true;
  /** When the forge was asked whether it is read. */
  readonly asOf?: number;
  /** Only its item's state changed and nobody was notified: its card is updated. */
  readonly quiet?: true;
  readonly did?:
    | 'commented'
    | 'approved'
    | 'rejected'
    | 'reviewed'
    | 'opened'
    | 'closed'
    | 'reopened'
    | 'merged'
    | 'pushed';
  /** The reader's login: the buttons are for them. */
  readonly reader?: string;
  readonly words?: string;
}

/** A review was requested; teams as `org/team`. */
interface RequestDetail {
  readonly asked: { readonly people: readonly string[]; readonly teams: readonly string[] };
  /** By login: the team a subscription names, for people who were asked because they are in it. */
  readonly memberOf?: Readonly<Record<string, string>>;
  /** Withdrawn, or requested of themselves: nothing to post, but the card of its pull request is updated. */
  readonly quiet?: true;
}

type Of<K extends Kind, Detail = unknown> = K extends Kind ? Common<K> & Detail : never;

export type Event =
  | Of<KindIn<'issues'>, { readonly label?: string }>
  | Of<KindIn<'pulls'>, { readonly label?: string; readonly auto?: boolean; readonly push?: Push }>
  | Of<'commits:pushed' | 'mirrors:pushed', { readonly push: Push; readonly created?: boolean }>
  | Of<KindIn<'branches'> | KindIn<'tags'> | 'mirrors:created' | 'mirrors:deleted', { readonly ref: string }>
  | Of<KindIn<'releases'>, { readonly tag: string }>
  | Of<'reviews:requested', RequestDetail>
  | Of<
      Exclude<KindIn<'reviews'>, 'reviews:requested'>,
      { readonly text: string; readonly comments: number; readonly reviewer?: string }
    >
  | Of<KindIn<'comments'>, { readonly text: string; readonly comment?: number }>
  | Of<KindIn<'runs'>, { readonly run: RunFacts }>
  | Of<KindIn<'repos'>, { readonly was?: string; readonly op?: string }>
  | Of<KindIn<'inbox'>, InboxDetail>;

export type EventOf<K extends Kind> = Extract<Event, { readonly kind: K }>;

/** A part of a repository that the forge opens or closes to a team on its own. */
export type Unit = 'issues' | 'pulls' | 'code' | 'actions' | 'releases';

export const unitWords: Readonly<Record<Unit, string>> = {
  issues: 'issues',
  pulls: 'pull requests',
  code: 'code',
  actions: 'workflow runs',
  releases: 'releases',
};

const units: Readonly<Record<string, Unit>> = {
  issues: 'issues',
  pulls: 'pulls',
  reviews: 'pulls',
  'comments:issue': 'issues',
  'comments:pull': 'pulls',
  commits: 'code',
  branches: 'code',
  tags: 'code',
  mirrors: 'code',
  releases: 'releases',
  runs: 'actions',
};

/** The unit a kind of event is about; none for the repository itself. */
export const unitOf = (kind: string): Unit | undefined => units[kind] ?? units[kind.slice(0, kind.indexOf(':'))];

/** A notification's kind does not tell what it is about. */
const ofItem: { readonly [Kind in Item['kind']]?: Unit } = { issue: 'issues', pull: 'pulls', commit: 'code' };

/** What the person who is responsible for this event must be able to read: a failed run also names commits or a pull request. */
export function unitsOf(event: Event): readonly Unit[] {
  const own = unitOf(event.kind);
  const run = 'run' in event ? event.run : undefined;
  const pushed = 'push' in event && event.push !== undefined;
  const more: readonly (Unit | false | undefined)[] = [
    own,
    event.kind.startsWith('inbox:') && ofItem[event.item.kind],
    (pushed || run?.why?.commits !== undefined) && 'code',
    run?.waiting !== undefined && 'pulls',
  ];
  return [...new Set(more.filter((unit) => unit !== undefined && unit !== false))];
}
