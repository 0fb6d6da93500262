import { useEffect, useState } from 'preact/hooks';
import type { Act, ActResult, ForgeState, Piece, ShownMessage, ShownView, Team, TourStep } from '../wire.js';
import * as api from './api.js';

export type Where = { readonly in: 'channel'; readonly id: string } | { readonly in: 'home' };

export interface State {
  readonly me: string;
  readonly online: boolean;
  readonly team: Team | undefined;
  readonly channels: Readonly<Record<string, readonly ShownMessage[]>>;
  readonly form: ShownView | null;
  readonly home: ShownView | null;
  readonly tour: readonly TourStep[];
  readonly forge: ForgeState;
  readonly where: Where;
  readonly thread: string | undefined;
  /** The newest message each person has seen, by person and channel. */
  readonly seen: Readonly<Record<string, string>>;
  readonly drafts: Readonly<Record<string, string>>;
  readonly panel: 'tour' | 'forge';
  readonly drawer: 'none' | 'rooms' | 'panel';
  readonly toast: string;
}

const first = { me: 'U0ADA00001', channel: 'C0GENERAL1' };

/** The current place is kept for the next visit in this tab. */
const remembered = 'bellows.at';

function recall(): Pick<State, 'me' | 'where'> {
  const usual = { me: first.me, where: { in: 'channel', id: first.channel } } as const;
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(remembered) ?? '');
    if (typeof kept !== 'object' || kept === null || !('me' in kept) || typeof kept.me !== 'string') return usual;
    const id = 'channel' in kept && typeof kept.channel === 'string' ? kept.channel : undefined;
    return { me: kept.me, where: id === undefined ? { in: 'home' } : { in: 'channel', id } };
  } catch {
    return usual;
  }
}

function remember({ me, where }: State): void {
  const kept = { me, ...(where.in === 'channel' && { channel: where.id }) };
  try {
    sessionStorage.setItem(remembered, JSON.stringify(kept));
  } catch {
    // A browser without storage opens at the default place.
  }
}

const begun = recall();

let state: State = {
  me: begun.me,
  online: true,
  team: undefined,
  channels: {},
  form: null,
  home: null,
  tour: [],
  forge: { repos: [], people: [], happened: [] },
  where: begun.where,
  thread: undefined,
  seen: {},
  drafts: {},
  panel: 'tour',
  drawer: 'none',
  toast: '',
};
const listeners = new Set<() => void>();

export const current = (): State => state;

export function change(next: Partial<State>): void {
  const moved = next.me !== undefined || next.where !== undefined;
  state = { ...state, ...next };
  if (moved) remember(state);
  for (const listener of listeners) listener();
}

/** The whole state; the page is small enough to be redrawn. */
export function useApp(): State {
  const [shown, show] = useState(state);
  useEffect(() => {
    const listener = () => show(state);
    listeners.add(listener);
    listener();
    return () => {
      listeners.delete(listener);
    };
  }, []);
  return shown;
}

function take({ piece, value }: Piece): void {
  if (piece === 'channel') {
    change({ channels: { ...state.channels, [value.id]: value.messages } });
    look();
  } else if (piece === 'team') {
    change({ team: value });
    stay(value);
  } else if (piece === 'form') change({ form: value });
  else if (piece === 'home') change({ home: value });
  else if (piece === 'tour') change({ tour: value });
  else change({ forge: value });
}

/** Not everyone is in every channel. */
function stay({ channels }: Team): void {
  const { where } = state;
  if (where.in === 'channel' && !channels.some(({ id }) => id === where.id)) go({ in: 'channel', id: first.channel });
}

export const seenKey = (me: string, channel: string) => `${me} ${channel}`;

/** What is on the screen counts as read. */
function look(): void {
  const { where, me, channels, seen } = state;
  const last = where.in === 'channel' ? channels[where.id]?.at(-1)?.ts : undefined;
  if (where.in === 'channel' && last !== undefined && seen[seenKey(me, where.id)] !== last)
    change({ seen: { ...seen, [seenKey(me, where.id)]: last } });
}

let stop = () => {};

export function be(me: string): void {
  stop();
  change({ me, form: null, home: null, channels: {}, thread: undefined });
  stop = api.follow(me, take, (online) => {
    if (state.online !== online) change({ online });
  });
  if (state.where.in === 'home') void act({ kind: 'home' });
}

export function go(where: Where): void {
  change({ where, thread: undefined, drawer: 'none' });
  look();
  if (where.in === 'home') void act({ kind: 'home' });
}

let clearing: ReturnType<typeof setTimeout> | undefined;

export function toast(text: string): void {
  clearTimeout(clearing);
  change({ toast: text });
  clearing = setTimeout(() => change({ toast: '' }), 7000);
}

/** Acts as the current person; errors are shown at the bottom. */
export async function act(what: Act): Promise<ActResult> {
  const result = await api.act(state.me, what);
  if (!result.ok && result.error !== undefined) toast(result.error);
  return result;
}

export const channelNamed = (name: string): string | undefined =>
  state.team?.channels.find((channel) => channel.name === name)?.id;

export function begin(): void {
  be(begun.me);
}
