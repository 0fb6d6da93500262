import type { Place, Store } from '../store/index.js';

/** A muted repository queues beside its channel's outbox, so that the others are not held up. */
const mark = '~';

export const lanePlace = ({ team, channel }: Place, repo: number): Place => ({
  team,
  channel: `${channel}${mark}r${repo}`,
});

/** Approval cards wait for no backlog and no mute. */
export const noticePlace = ({ team, channel }: Place): Place => ({ team, channel: `${channel}${mark}notices` });

/** The actual Slack channel. */
export const realPlace = ({ team, channel }: Place): Place => ({ team, channel: channel.split(mark)[0] ?? channel });

export const isLane = ({ channel }: Place): boolean => channel.includes(mark);

/** Where an event goes now, and whether it came during a mute. */
interface Lane {
  readonly place: Place;
  readonly canWait: boolean;
  /** Its outbox is paused and keeps no more. */
  readonly full?: true;
}

const mostWaiting = 1_000;

/** A paused outbox may stay so for weeks: what it keeps is limited. */
export async function isFull({ outbox }: Store, place: Place): Promise<boolean> {
  return (await outbox.paused(place)) !== undefined && (await outbox.size(place)) >= mostWaiting;
}

async function laneOf(store: Store, place: Place, repo: number): Promise<Lane> {
  const lane = lanePlace(place, repo);
  const { outbox } = store;
  const [side, main] = await Promise.all([outbox.paused(lane), outbox.paused(place)]);
  const to = side ? lane : place;
  const canWait = (side ?? main) !== undefined;
  const full = canWait && (await outbox.size(to)) >= mostWaiting;
  return { place: to, canWait, ...(full && { full }) };
}

export type LaneFinder = (place: Place, repo: number) => Promise<Lane>;

/** One lookup per place and repository of a batch. */
export function laneFinder(store: Store): LaneFinder {
  const found = new Map<string, Promise<Lane>>();
  return (place, repo) => {
    const key = `${place.team}/${place.channel} ${repo}`;
    const lane = found.get(key) ?? laneOf(store, place, repo);
    found.set(key, lane);
    return lane;
  };
}

/** Quiet for a while, then a digest: the whole channel, or one repository in it. */
export async function mute(store: Store, place: Place, until: number, repo?: number): Promise<void> {
  await store.outbox.pause(repo === undefined ? place : lanePlace(place, repo), 'muted', until);
}

export async function unmute(store: Store, place: Place, repo?: number): Promise<void> {
  await store.outbox.resume(repo === undefined ? place : lanePlace(place, repo));
}
