import type { Check } from './check.js';

export type Surface = 'message' | 'modal' | 'home';

/** What one kind of block or element must, may and must not contain. */
export interface Rule {
  required?: readonly string[];
  optional?: readonly string[];
  /** Where it may be used; default: everywhere. */
  surfaces?: readonly Surface[];
  check?: (at: Check) => void;
}
