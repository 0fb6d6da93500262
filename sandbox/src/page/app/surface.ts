import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Control, Fill, Place, ShownView } from '../wire.js';
import { act } from './store.js';

/** Where blocks are drawn: it decides what a control does. */
export interface Surface {
  readonly place: Place;
  readonly values?: ShownView['values'];
  readonly errors?: ShownView['errors'];
  /** Forms keep typed text here until it is submitted. */
  readonly edits?: Readonly<Record<string, Fill>>;
  edit?(block: string, value: Fill, tellApp: boolean): void;
}

export const SurfaceContext = createContext<Surface>({ place: { in: 'home' } });
export const useSurface = (): Surface => useContext(SurfaceContext);

export const press = (place: Place, control: Control) => act({ kind: 'press', place, control });
export const choose = (place: Place, control: Control, value: Fill) => act({ kind: 'choose', place, control, value });
