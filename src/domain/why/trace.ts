import type { Context } from '../../chat/context.js';
import { covers } from '../../feed/covers.js';
import { itemThread, runThread } from '../../feed/item.js';
import { sourceKey } from '../../feed/sources/source.js';
import type { Repository } from '../../forge/schemas/repository.js';
import { type RoutingDecision, readSubscriptionId, type SourceState } from '../../store/index.js';
import { titleOf } from '../subscriptions/titles.js';

/** One decision in readable form. */
export interface Traced extends RoutingDecision {
  readonly title: string | undefined;
  readonly fate: 'posted' | 'waiting' | 'dropped';
}

export interface Trace {
  readonly decisions: readonly Traced[];
  /** Number of channels this person may not know about. */
  readonly elsewhere: number;
}

/** The decisions this person may see: this channel's, and those of subscriptions they own. */
export async function traced(addresses: readonly string[], channel: string, context: Context): Promise<Trace> {
  const { store, person } = context;
  const all = (await Promise.all(addresses.map((address) => store.decisions.about(address)))).flat();
  const owned = new Set((await store.subscriptions.ownedBy(person)).map(({ place }) => place.channel));
  const mine = (each: RoutingDecision) =>
    each.team === person.team && (each.channel === channel || owned.has(each.channel));
  const shown = latest(all.filter(mine));
  const waits = await waitingIn(shown, context);
  const decisions = await Promise.all(
    shown.map(async (each) => ({
      ...each,
      title: await titleFor(each, context),
      fate: !each.kept ? ('dropped' as const) : waits.has(keyOf(each)) ? ('waiting' as const) : ('posted' as const),
    })),
  );
  return { decisions, elsewhere: new Set(all.filter((each) => !mine(each)).map((each) => each.channel)).size };
}

const keyOf = ({ channel, event }: RoutingDecision): string => `${channel} ${event}`;

/** A guard may overrule a filter that kept it. */
function latest(all: readonly RoutingDecision[]): RoutingDecision[] {
  const found = new Map<string, RoutingDecision>();
  for (const each of [...all].sort((a, b) => b.at - a.at)) {
    const key = `${keyOf(each)} ${each.subscription ?? ''}`;
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

async function waitingIn(shown: readonly RoutingDecision[], { store, person }: Context): Promise<Set<string>> {
  const waits = new Set<string>();
  for (const channel of new Set(shown.filter(({ kept }) => kept).map((each) => each.channel))) {
    const { entries } = await store.outbox.view({ team: person.team, channel }, 200);
    for (const { body } of entries) waits.add(`${channel} ${eventIn(body)}`);
  }
  return waits;
}

function eventIn(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('event' in body)) return '';
  const { event } = body;
  return typeof event === 'object' && event !== null && 'id' in event ? String(event.id) : '';
}

async function titleFor({ subscription }: RoutingDecision, { store }: Context): Promise<string | undefined> {
  if (subscription === undefined) return undefined;
  const { target } = readSubscriptionId(subscription);
  const name = await store.subscriptions.nameOf(target);
  return name === undefined ? 'an ended subscription' : titleOf(target, name);
}

/** The link to the item's card in this channel. */
export async function cardLink(
  repository: Repository,
  { index, run }: { readonly index?: number | undefined; readonly run?: number | undefined },
  channel: string,
  { store, slack, person }: Context,
): Promise<string | undefined> {
  const thread =
    index !== undefined ? itemThread(repository.id, index) : run !== undefined ? runThread(run) : undefined;
  const card = thread === undefined ? undefined : await store.threads.get({ team: person.team, channel }, thread);
  return card && slack.permalink(channel, card.ts);
}

export interface Coverage {
  /** Subscriptions of this channel that cover the repository. */
  readonly titles: readonly string[];
  readonly source: SourceState | undefined;
}

export async function coverage(repository: Repository, channel: string, { store, person }: Context): Promise<Coverage> {
  const all = await store.subscriptions.candidates(repository.id, repository.owner?.id ?? 0);
  const here = all.filter(
    (sub) => sub.place.team === person.team && sub.place.channel === channel && covers(sub, repository.full_name),
  );
  const titles = here.map(({ target }) =>
    titleOf(target, target.kind === 'repo' ? repository.full_name : (repository.owner?.login ?? '')),
  );
  return { titles, source: await store.sources.get(sourceKey({ kind: 'repo', id: repository.id })) };
}
