import type { Context } from '../../chat/context.js';
import { notify } from '../../chat/notice.js';
import { type Feature, type Filter, features, showFilter, wantsResults } from '../../feed/filter.js';
import { subscriptionId } from '../../store/index.js';
import { section } from '../../view/blocks.js';
import { type Done, doneCard } from '../../view/cards/outcome.js';
import { message, say } from '../../view/message.js';
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
  queue: 'merge queue',
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

/** Tells the channel who changed its subscriptions, once per command; false if nothing changed or it cannot be told. */
export async function announce(
  changes: readonly Change[],
  context: Context,
  more: Pick<Done, 'facts' | 'buttons'> = {},
): Promise<boolean> {
  const { person, login, channel, store, slack, job = '' } = context;
  const [first] = changes;
  // in a direct message the answer already says so
  if (!first || channel === undefined || channel.startsWith('D')) return false;
  const facts = await slack.channel(channel, person.user);
  if (!facts?.member || facts.archived) return false;
  const says = join(
    changes.map(({ says }) => md`${mention(person.user, login || undefined)} ${says}`),
    '\n',
  );
  const place = { ...first.one.sub.place, lane: 'notices' } as const;
  // the job is the same for its reruns only: the same change may come again
  await notify(store, place, `changed:${job}`, message({ text: says, blocks: doneCard({ says, ...more }) }));
  return true;
}

/** What only the person who asked has to know, after the channel's message. */
export const restFor = (but: readonly string[]) => message({ blocks: but.map((line) => section(md`⚠️ ${line}`)) });

/** Where only this person reads the answer although others are concerned. */
export const onlyYouKnow = ({ channel }: Context): string | undefined =>
  channel === undefined || channel.startsWith('D')
    ? undefined
    : 'Only you see this: Bellows cannot post in this channel.';

interface Wished {
  readonly one: Named;
  readonly filter: Filter;
  /** Undefined for a new subscription. */
  readonly before: Filter | undefined;
}

/** Those that changed; alike ones in one sentence. */
export function followedChanges(wished: readonly Wished[], web: string): Change[] {
  const alike = new Map<string, Wished[]>();
  for (const each of wished) {
    const [now, then] = [filterWords(each.filter), each.before && filterWords(each.before)];
    if (now === then) continue;
    const key = `${then === undefined} ${now}`;
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const titles = join(
      group.map(({ one }) => linkTarget(one, web)),
      ', ',
    );
    const says =
      first.before === undefined
        ? md`subscribed this channel to ${titles}: ${featureNames(first.filter)}`
        : md`changed this channel’s ${titles} subscription${group.length > 1 ? 's' : ''}: ${featureNames(first.filter)}`;
    return [{ one: first.one, says }];
  });
}

/** Of every change to their subscription. */
export async function notifyOwner(
  owner: string,
  { sub, title }: Named,
  what: Mrkdwn,
  { person, store, job = '' }: Context,
): Promise<void> {
  if (owner === person.user) return;
  const says = md`${mention(person.user)} ${what} ${title} in ${channel(sub.place.channel)}, a subscription you own.`;
  await notify(store, { team: person.team, user: owner }, `changed:${job}:${subscriptionId(sub)}`, say(says));
}
