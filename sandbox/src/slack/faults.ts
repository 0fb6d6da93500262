import type { Obj } from './json.js';

export type Fault =
  /** An HTTP error page instead of an answer. */
  | { kind: 'status'; status: number }
  /** No answer at all; the caller has to time out. */
  | { kind: 'silence' }
  | { kind: 'ratelimited'; retryAfter: number }
  | { kind: 'error'; error: string }
  /** The connection drops before anything happened. */
  | { kind: 'drop' }
  /** It happens, and then the answer is lost: dropped, swallowed, or an HTTP error. */
  | { kind: 'lost'; how?: 'drop' | 'silence' | 'status' }
  /** Answered as usual, later. */
  | { kind: 'slow'; ms: number };

interface Planned {
  method: string;
  fault: Fault;
  left: number;
  when: (args: Obj) => boolean;
}

export class Faults {
  readonly #planned: Planned[] = [];

  /** The next calls of a Web API method (or of `response_url`, or of any with `*`) fail this way. */
  next(method: string, fault: Fault, times = 1, when: (args: Obj) => boolean = () => true): void {
    this.#planned.push({ method, fault, left: times, when });
  }

  clear(): void {
    this.#planned.length = 0;
  }

  take(method: string, args: Obj): Fault | undefined {
    const index = this.#planned.findIndex((plan) => (plan.method === method || plan.method === '*') && plan.when(args));
    const plan = this.#planned[index];
    if (plan === undefined) return undefined;
    plan.left -= 1;
    if (plan.left <= 0) this.#planned.splice(index, 1);
    return plan.fault;
  }
}
