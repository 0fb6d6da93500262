import { createAbsences } from './absences.js';
import { createAccounts } from './accounts.js';
import { createAgents } from './agents.js';
import { createAlarm } from './alarm.js';
import { createAnswers } from './answers.js';
import { createApprovals } from './approvals.js';
import { createAudit } from './audit.js';
import { createCalls } from './calls.js';
import { createChannels } from './channels.js';
import { createChecks } from './checks.js';
import { createClaims } from './claims.js';
import { createClocks } from './clocks.js';
import { createDecisions } from './decisions.js';
import { createDepartures } from './departures.js';
import { createDeployments } from './deployments.js';
import { createDrains } from './drains.js';
import { createFollows } from './follows.js';
import type { Alarm, Forged, Ground } from './ground.js';
import { createHandovers } from './handovers.js';
import { createIncomplete } from './incomplete.js';
import { createIntervals } from './intervals.js';
import { createJobsOnce } from './jobs-once.js';
import { createKeys } from './keys.js';
import { createLinks } from './links.js';
import { createLostChannels } from './lost-channels.js';
import { createMarks } from './marks.js';
import { createOutbox } from './outbox.js';
import { createPace } from './pace.js';
import { createPending } from './pending.js';
import { createQueues } from './queues.js';
import type { Connection } from './redis.js';
import { createReminders } from './reminders.js';
import { createRenewals } from './renewals.js';
import { createReplies } from './replies.js';
import { createReviews } from './reviews.js';
import { createRounds } from './rounds.js';
import type { Seal } from './seal.js';
import { createSettings } from './settings.js';
import { createSignIns } from './sign-ins.js';
import { createSources } from './sources.js';
import { createSubscriptions } from './subscriptions.js';
import { createThreads } from './threads.js';
import { createTurns } from './turns.js';
import { createUndo } from './undo.js';

export interface StoreOptions {
  readonly redis: Connection;
  readonly forgeId: string;
  readonly seal: Seal;
  readonly now?: () => number;
  /** Something in Redis was refused: someone else wrote it. */
  readonly onForged?: (forged: Forged) => void;
}

export type Store = ReturnType<typeof createStore>;

/** Everything Bellows stores about one forge. */
export function createStore({ redis, forgeId, seal, now = Date.now, onForged = () => {} }: StoreOptions) {
  const alarm: Alarm = createAlarm({ append: (entry) => audit.append(entry), report: onForged, now });
  const ground: Ground = { redis, forge: forgeId, keys: createKeys(forgeId), seal, now, alarm };
  const audit = createAudit(ground);
  const subscriptions = createSubscriptions(ground);
  return {
    redis,
    forgeId,
    seal,
    /** The time shared by all processes. */
    now,
    alarm,
    accounts: createAccounts(ground),
    agents: createAgents(ground),
    calls: createCalls(ground),
    pending: createPending(ground),
    signIns: createSignIns(ground),
    renewals: createRenewals(ground),
    departures: createDepartures(ground),
    deployments: createDeployments(ground),
    channels: createChannels(ground, subscriptions),
    jobs: createJobsOnce(ground),
    claims: createClaims(ground),
    checks: createChecks(ground),
    drains: createDrains(ground),
    queues: createQueues(ground),
    follows: createFollows(ground),
    links: createLinks(ground),
    replies: createReplies(ground),
    reviews: createReviews(ground),
    settings: createSettings(ground),
    clocks: createClocks(ground),
    rounds: createRounds(ground),
    undo: createUndo(ground),
    answers: createAnswers(ground),
    approvals: createApprovals(ground),
    audit,
    subscriptions,
    handovers: createHandovers(ground),
    absences: createAbsences(ground),
    lostChannels: createLostChannels(ground),
    sources: createSources(ground),
    marks: createMarks(ground),
    incomplete: createIncomplete(ground),
    outbox: createOutbox(ground),
    threads: createThreads(ground),
    pace: createPace(ground),
    decisions: createDecisions(ground),
    reminders: createReminders(ground),
    intervals: createIntervals(ground),
    turns: createTurns(ground),
  };
}

export type { Absence } from './absences.js';
export type { Account, OAuthCredential } from './accounts.js';
export type { Agent, AgentName } from './agents.js';
export type { Rank, Stands } from './answers.js';
export type { Approval, ApprovalState, Party } from './approvals.js';
export { samePerson } from './approvals.js';
export type { AuditEntry, AuditRow } from './audit.js';
export type { ChannelFacts } from './channels.js';
export type { DuePull } from './checks.js';
export type { Claimed } from './claims.js';
export { createClock } from './clock.js';
export type { Clock } from './clocks.js';
export type { Decided, Posted, RoutingDecision } from './decisions.js';
export type { Departure } from './departures.js';
export { type Deployment, type Freeze, isOver, ranCommit } from './deployments.js';
export type { Drain } from './drains.js';
export type { Follow } from './follows.js';
export type { Forged, OutboxPlace, Person, Place } from './ground.js';
export { isUserId, outboxName, placeName, plainJson } from './ground.js';
export type { Handover } from './handovers.js';
export { checkRedis } from './health.js';
export type { IncompleteRow } from './incomplete.js';
export type { Stamp } from './jobs-once.js';
export { nextLookMs } from './later.js';
export type { Lease } from './lease.js';
export type { Link } from './links.js';
export type { LoggedEvent, OpenedSource, SourceMark } from './marks.js';
export {
  addressOf,
  type ForgeAccount,
  movedWords,
  type Namespace,
  openNamespace,
  readNamespace,
  rememberAccount,
  rememberAddress,
  writeNamespace,
} from './namespace.js';
export { stoppedTheWorker } from './outbox.js';
export type { Intent, OutboxEntry, OutboxView, ThreadMark, Trouble } from './outbox-entry.js';
export type { Rate } from './pace.js';
export { createPeople, type Directory, type KnownPerson } from './people.js';
export { longestRestMs, type Queue, type QueueEntry, type QueueStep } from './queues.js';
export { type Connection, close, connect, ready } from './redis.js';
export { isRedisError, redisTrouble, refusalOf } from './refusals.js';
export type { Reminder } from './reminders.js';
export type { Reply } from './replies.js';
export type { TakenReview } from './reviews.js';
export { createSeal, type Seal, same, unseal } from './seal.js';
export type { Settings } from './settings.js';
export type { DueSource, SourceLags, SourceState } from './sources.js';
export { readSubscriptionId, type Subscription, subscriptionId, type Target } from './subscriptions.js';
export { mostWaiting, type Turn } from './turns.js';
export { countUnopened } from './unopened.js';
