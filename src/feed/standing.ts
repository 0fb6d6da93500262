import { issueState, pullState, runState } from '../view/state.js';
import type { Event, Kind, KindIn, Outcome, RunFacts, RunNow, RunPoint } from './event.js';
import { type ItemState, isOlder } from './item.js';

/** The current state of a card's subject: collected from events, corrected by the forge. */
export interface Standing {
  readonly item?: ItemState;
  readonly state?: 'open' | 'closed' | 'merged';
  readonly approvedBy?: readonly string[];
  readonly rejectedBy?: readonly string[];
  readonly outcome?: Outcome;
  /** When it passed, and in which attempt. */
  readonly passed?: { readonly attempt: number; readonly at: string };
  /** For an unfinished run: it needs approval, looks stuck, or is running. */
  readonly stage?: 'waiting' | 'stuck' | 'running';
  /** The person read the notification elsewhere. */
  readonly read?: true;
  /** When the forge was last asked that. */
  readonly readAsOf?: number;
  /** The run that fixed a broken branch. */
  readonly fixedBy?: Fix;
  /** Who took the review, and when; looked up whenever the card is drawn. */
  readonly reviewing?: { readonly login: string; readonly since: number };
  /** When the first requested review is due, if there is a limit. */
  readonly reviewDue?: number | 'late';
}

/** The run that fixed a branch, with its commit. */
export type Fix = RunPoint & { readonly sha: string; readonly title?: string; readonly by?: string };

export const fixOf = ({ run, item, at, actor }: Extract<Event, { readonly run: RunFacts }>): Fix => ({
  number: run.number,
  url: item.url,
  at,
  sha: run.sha,
  ...(item.title && { title: item.title }),
  ...(actor && { by: actor.login }),
});

const stateAfter: { readonly [K in Kind]?: Standing['state'] | undefined } = {
  'issues:opened': 'open',
  'issues:closed': 'closed',
  'issues:reopened': 'open',
  'issues:labeled': undefined,
  'pulls:opened': 'open',
  'pulls:closed': 'closed',
  'pulls:merged': 'merged',
  'pulls:reopened': 'open',
  'pulls:ready': undefined,
  'pulls:labeled': undefined,
} satisfies Record<KindIn<'issues' | 'pulls'>, Standing['state']>;

/** none: the earlier verdict no longer counts. */
type Verdict = 'approved' | 'rejected' | 'none';
const verdictAfter: { readonly [K in Kind]?: Verdict | undefined } = {
  'reviews:approved': 'approved',
  'reviews:rejected': 'rejected',
  'reviews:dismissed': 'none',
  'reviews:commented': undefined,
  'reviews:requested': undefined,
} satisfies Record<KindIn<'reviews'>, Verdict | undefined>;

const states = ['open', 'closed', 'merged'] as const;

/** A notification carries its subject's state. */
const subjectState = (event: Event): Standing['state'] =>
  'threadId' in event ? states.find((each) => each === event.state) : undefined;

/** The state after this event; `item` is the forge's own answer, if it was read. */
export function stand(before: Standing | undefined, event: Event, item: ItemState | undefined): Standing {
  if (before && item && isOlder(item, before.item)) {
    const { read: _, ...newer } = before;
    return before.item?.verdicts ? newer : { ...newer, ...verdicts(before, event) };
  }
  const known = item ?? before?.item;
  const state = item?.state ?? stateAfter[event.kind] ?? subjectState(event) ?? before?.state;
  return {
    ...(known && { item: known }),
    ...(state && { state }),
    ...(item?.verdicts ?? verdicts(before, event)),
    ...run(before, event),
  };
}

/** The item was read only after its card was drawn; what the card already knows stays. */
export const addItem = (before: Standing, item: ItemState): Standing =>
  before.item ? before : { ...before, item, state: item.state };

/** A notification was read, or is unread again; its item may have changed by then. */
export function asRead(standing: Standing, item: ItemState | undefined, read: boolean, asOf?: number): Standing {
  const { read: _, ...before } = standing;
  const current = item && !isOlder(item, before.item) && { item, state: item.state };
  // a poll may be on its way while its person marks it
  if (asOf !== undefined && asOf < (before.readAsOf ?? 0)) return { ...standing, ...current };
  return { ...before, ...current, ...(read && { read }), ...(asOf !== undefined && { readAsOf: asOf }) };
}

/** The item's current state, whatever was seen before it; verdicts come from the forge if they were read. */
export function applyItem(standing: Standing, item: ItemState): Standing {
  const { approvedBy, rejectedBy, ...before } = standing;
  if (isOlder(item, before.item)) return standing;
  const verdicts = item.verdicts ?? { ...(approvedBy && { approvedBy }), ...(rejectedBy && { rejectedBy }) };
  // not everything that reads the item reads its checks
  const checks = item.sha === before.item?.sha && before.item?.checks ? { checks: before.item.checks } : {};
  return { ...before, item: { ...checks, ...item }, state: item.state, ...verdicts };
}

/** Each reviewer's last verdict counts. */
function verdicts(before: Standing | undefined, event: Event): Pick<Standing, 'approvedBy' | 'rejectedBy'> {
  const login = event.kind === 'reviews:dismissed' ? event.reviewer : event.actor?.login;
  const verdict = verdictAfter[event.kind];
  const others = (names: readonly string[] = []) => (verdict ? names.filter((name) => name !== login) : names);
  const add = (given: typeof verdict) => (verdict === given && login !== undefined ? [login] : []);
  const approvedBy = [...others(before?.approvedBy), ...add('approved')];
  const rejectedBy = [...others(before?.rejectedBy), ...add('rejected')];
  return { ...(approvedBy.length > 0 && { approvedBy }), ...(rejectedBy.length > 0 && { rejectedBy }) };
}

function run(before: Standing | undefined, event: Event): Pick<Standing, 'outcome' | 'passed' | 'fixedBy' | 'stage'> {
  if (!('run' in event))
    return {
      ...(before?.outcome && { outcome: before.outcome }),
      ...(before?.passed && { passed: before.passed }),
      ...(before?.fixedBy && { fixedBy: before.fixedBy }),
    };
  if (event.kind === 'runs:waiting') return { stage: 'waiting' };
  if (event.kind === 'runs:stuck') return { stage: 'stuck' };
  const outcome: Outcome = outcomeOf(event.kind);
  const { transition, id } = event.run;
  // a later run that fixed the branch leaves this one failed
  if (transition?.to === 'green' && transition.since !== undefined && transition.since !== id) {
    return {
      outcome: before?.outcome ?? 'failure',
      fixedBy: fixOf(event),
    };
  }
  return { outcome, ...(outcome === 'success' && { passed: { attempt: event.run.attempt, at: event.at } }) };
}

function outcomeOf(kind: `runs:${Outcome}`): Outcome {
  switch (kind) {
    case 'runs:failure':
      return 'failure';
    case 'runs:success':
      return 'success';
    case 'runs:cancelled':
      return 'cancelled';
    case 'runs:skipped':
      return 'skipped';
  }
}

/** A run that was waiting or stuck continues or has ended. */
export const runGoesOn = ({ stage: _, ...before }: Standing, now: RunNow): Standing =>
  now === 'running' ? { ...before, stage: 'running' } : { ...before, outcome: now };

const stages = { waiting: '🟠 Needs approval', stuck: '⚠️ Looks stuck', running: runState({ status: 'running' }) };

/** One emoji and one word; undefined if there is no state to show. */
export function standingWord(event: Event, standing: Standing): string | undefined {
  const { item, state, outcome, fixedBy, stage } = standing;
  if (stage) return stages[stage];
  if (outcome) return fixedBy ? '✅ Fixed' : runState({ status: 'completed', conclusion: outcome });
  if (!state) return undefined;
  if (event.item.kind === 'issue') return issueState(state);
  if (event.item.kind !== 'pull') return undefined;
  if (state === 'open' && !item?.draft && standing.rejectedBy?.length) return '🟠 Changes requested';
  if (state === 'open' && !item?.draft && standing.approvedBy?.length) return '✅ Approved';
  return pullState({
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    draft: item?.draft ?? false,
  });
}
