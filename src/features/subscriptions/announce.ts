import { randomUUID } from 'node:crypto';
import type { Context } from '../../chat/context.js';
import type { MessageDelivery } from '../../feed/delivery.js';
import { type Feature, type Filter, features, showFilter, wantsResults } from '../../feed/filter.js';
import { noticePlace } from '../../feed/lanes.js';
import { plainJson } from '../../store/index.js';
import { say } from '../../view/message.js';
import { channel, code, join, type Mrkdwn, md, mention } from '../../view/text.js';
import { featuresOf, filterWords } from './fields.js';
import { linkTarget, type Named } from './target.js';

/** Labels for people. */
export const featureLabels: Readonly<Record<Feature, string>> = {
  issues: 'issues',
  pulls: 'pull requests',
  commits: 'commits',
  releases: 'releases',
  branches: 'branches',
  tags: 'tags',
  reviews: 'reviews',
  comments: 'comments',
  runs: 'runs',
  repos: 'repository events',
  mirrors: 'mirror syncs',
};

const parts: Readonly<Record<string, string>> = {
  'pulls:ready': 'ready for review',
  'reviews:rejected': 'changes requested',
  'comments:issue': 'on issues',
  'comments:pull': 'on pull requests',
  'runs:waiting': 'waiting for approval',
};

/** A part of a feature for people: `changes requested` for `reviews:rejected`. */
export const partLabel = (feature: string, part: string): string => parts[`${feature}:${part}`] ?? part;

const runResults = { transitions: 'runs', failure: 'failed runs', all: 'all runs' } as const;
const otherRuns: Readonly<Record<string, string>> = { waiting: 'runs that need approval', stuck: 'stuck runs' };

function featureName(feature: Feature, subs: readonly string[], mode: Filter['runs']): string {
  if (feature !== 'runs')
    return subs.length === 0
      ? featureLabels[feature]
      : `${featureLabels[feature]} (${subs.map((sub) => partLabel(feature, sub)).join(', ')})`;
  const results = wantsResults(subs) ? [runResults[mode ?? 'transitions']] : [];
  return [...results, ...subs.flatMap((sub) => otherRuns[sub] ?? [])].join(', ');
}

/** `issues, pull requests (opened, merged)`, then everything else that differs from the default, as typed. */
export function featureNames(filter: Filter): Mrkdwn {
  const wanted = featuresOf(filter);
  const shown = features
    .filter((feature) => wanted[feature] !== undefined)
    .map((feature) => featureName(feature, wanted[feature] ?? [], filter.runs));
  const rest = showFilter({ ...filter, features: {} });
  return join([shown.join(', '), rest === '' ? undefined : code(rest)], ' · ');
}

export interface Change {
  readonly one: Named;
  readonly says: Mrkdwn;
}

/** Tells the channel who changed its subscriptions: one message per command. */
export async function announce(changes: readonly Change[], context: Context): Promise<void> {
  const { person, login, channel, store, job = '' } = context;
  const [first] = changes;
  // in a direct message the answer already says so
  if (!first || channel === undefined || channel.startsWith('D')) return;
  const says = join(
    changes.map(({ says }) => md`${mention(person.user, login || undefined)} ${says}`),
    '\n',
  );
  const body: MessageDelivery = { type: 'message', message: say(says) };
  // the job is the same for its reruns only: the same change may come again
  await store.outbox.append(noticePlace(first.one.sub.place), [{ id: `changed:${job}`, body: plainJson(body) }]);
}

/** Empty if nothing changed. */
export function followedChange(one: Named, filter: Filter, before: Filter | undefined, web: string): Change[] {
  if (before && filterWords(before) === filterWords(filter)) return [];
  const title = linkTarget(one, web);
  const says =
    before === undefined
      ? md`subscribed this channel to ${title}: ${featureNames(filter)}`
      : md`changed this channel’s ${title} subscription: ${featureNames(filter)}`;
  return [{ one, says }];
}

/** Notifies a subscription's owner of every change to it. */
export async function tell(
  owner: string,
  { sub, title }: Named,
  what: Mrkdwn,
  { person, slack, store, log }: Context,
): Promise<void> {
  if (owner === person.user) return;
  try {
    const place = { team: person.team, channel: await slack.directMessage(owner) };
    const message = say(
      md`${mention(person.user)} ${what} ${title} in ${channel(sub.place.channel)}, a subscription you own.`,
    );
    const body: MessageDelivery = { type: 'message', message };
    await store.outbox.append(place, [{ id: `notice:${randomUUID()}`, body: plainJson(body) }]);
  } catch (error) {
    // a person who left Slack cannot be notified, and that must not stop the others
    log.warn({ user: owner, reason: String(error) }, 'could not notify a subscription’s owner');
  }
}
