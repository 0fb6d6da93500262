import type { Check } from './check.js';

export type Surface = 'message' | 'modal' | 'home';

/** What one kind of block or element must, may and may not carry. */
export interface Rule {
  required?: readonly string[];
  optional?: readonly string[];
  /** Where it may stand; everywhere when not said. */
  surfaces?: readonly Surface[];
  check?: (at: Check) => void;
}
