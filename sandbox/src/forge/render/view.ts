import type { User } from '../state/people.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';

/** The viewer: email addresses, permissions and private fields depend on it. */
export interface View {
  readonly state: State;
  readonly viewer: User | undefined;
}

export type Json = Readonly<Record<string, unknown>>;

/** If the forge forgets to pass the viewer, it shows everyone as to a stranger. */
export const stranger = (view: View): View => ({ state: view.state, viewer: undefined });

export const never = '0001-01-01T00:00:00Z';

export const apiUrl = (view: View): string => `${view.state.site.url}/api/v1`;

const two = (value: number): string => String(value).padStart(2, '0');

/** Whole seconds with the server's own offset; 0 means unset and is the first second of 1970. */
export function stamp(view: View, seconds: number): string {
  const minutes = view.state.site.zoneMinutes;
  const local = new Date((seconds + minutes * 60) * 1000).toISOString().slice(0, 19);
  if (minutes === 0) return `${local}Z`;
  const size = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Forgejo keeps the fractions of a few times that it never stored in its database. */
export const fineStamp = (view: View, seconds: number): string =>
  isForgejo(view.state.site)
    ? stamp(view, seconds).replace(/(?<=:\d\d)(?=Z|[+-])/, '.632334224')
    : stamp(view, seconds);

export const stampOrNull = (view: View, seconds: number | undefined): string | null =>
  seconds === undefined ? null : stamp(view, seconds);
