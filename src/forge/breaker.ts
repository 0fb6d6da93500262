export interface Breaker {
  /** Milliseconds until a retry makes sense; 0 if a request may pass. */
  wait(): number;
  /** Like wait, but takes the only probe slot while half open. */
  enter(): number;
  succeeded(): void;
  failed(): void;
  /** The request ended without saying anything about the forge. */
  left(): void;
}

interface BreakerOptions {
  readonly threshold?: number;
  readonly coolMs?: number;
  readonly now: () => number;
  readonly changed?: (open: boolean) => void;
}

/** Opens after repeated failures; after a pause one request probes, and its outcome decides for all. */
export function createBreaker({ threshold = 5, coolMs = 10_000, now, changed }: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil: number | undefined;
  let probing = false;

  function wait(): number {
    if (openUntil === undefined) return 0;
    const left = openUntil - now();
    if (left > 0) return left;
    return probing ? Math.min(coolMs, 1000) : 0;
  }

  return {
    wait,
    enter() {
      const left = wait();
      if (left === 0 && openUntil !== undefined) probing = true;
      return left;
    },
    succeeded() {
      if (openUntil !== undefined) changed?.(false);
      failures = 0;
      openUntil = undefined;
      probing = false;
    },
    failed() {
      failures += 1;
      probing = false;
      if (failures < threshold) return;
      if (openUntil === undefined) changed?.(true);
      openUntil = now() + coolMs;
    },
    left() {
      probing = false;
    },
  };
}
