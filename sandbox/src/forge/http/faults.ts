import type { Route } from '../../../../src/forge/operation.js';

export type Trouble =
  | { readonly delay: number }
  /** Does the work only after this. */
  | { readonly first: () => Promise<unknown> }
  | {
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The work is done first. */
      readonly done?: true;
    }
  /** A proxy's page instead of JSON. */
  | { readonly html: number }
  /** Sends this part of the body, between 0 and 1, and hangs up. */
  | { readonly cut: number }
  /** Serves this page, whichever is requested. */
  | { readonly repeatPage: number }
  /** Hangs up without an answer: before the work, or after it was done. */
  | { readonly drop: 'before' | 'after' }
  /** Does the work, stays silent for this long and hangs up. */
  | { readonly stall: number }
  /** Does the work and answers only after this. */
  | { readonly hold: () => Promise<unknown> }
  /** Does the work and changes the answer. */
  | { readonly bend: (body: unknown) => unknown }
  /** Exactly this text; `done`: after the work was done. */
  | { readonly text: string; readonly status?: number; readonly type?: string; readonly done?: true };

interface Fault {
  /** A route of the table, or a pattern on `METHOD /path`; absent means every request. */
  readonly on?: Route | RegExp;
  /** How many requests it hits; default: one. */
  readonly times?: number;
  /** How many matching requests it lets pass first. */
  readonly after?: number;
  readonly trouble: Trouble;
}

export interface Faults {
  /** Returns a function that removes it. */
  add(fault: Fault): () => void;
  clear(): void;
  /** For the server: the faults that hit this request. Counts it. */
  hit(route: string | undefined, methodAndPath: string): Trouble[];
}

function matches(fault: Fault, route: string | undefined, methodAndPath: string): boolean {
  if (fault.on === undefined) return true;
  return typeof fault.on === 'string' ? fault.on === route : fault.on.test(methodAndPath);
}

export function createFaults(): Faults {
  const active = new Map<Fault, { passed: number; hits: number }>();
  return {
    add(fault) {
      active.set(fault, { passed: 0, hits: 0 });
      return () => active.delete(fault);
    },
    clear: () => active.clear(),
    hit(route, methodAndPath) {
      const troubles: Trouble[] = [];
      for (const [fault, count] of active) {
        if (!matches(fault, route, methodAndPath)) continue;
        if (count.passed < (fault.after ?? 0)) {
          count.passed += 1;
          continue;
        }
        count.hits += 1;
        if (count.hits >= (fault.times ?? 1)) active.delete(fault);
        troubles.push(fault.trouble);
      }
      return troubles;
    },
  };
}
