/** One request as it was served. */
interface Served {
  readonly at: number;
  readonly who: string | undefined;
  readonly method: string;
  /** Below /api/v1, without the query. */
  readonly path: string;
  /** The table's route, when one matched. */
  readonly route: string | undefined;
  /** A name's values, separated by commas. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** 0: the connection was dropped. */
  readonly status: number;
  /** A defect of the sandbox itself. */
  readonly error?: unknown;
}

const kept = 5000;

export interface Requests extends Iterable<Served> {
  readonly all: readonly Served[];
  add(served: Served): void;
  clear(): void;
  /** Those of one route of the table. */
  of(route: string): Served[];
  /** For the server: a request arrived and is not yet answered. */
  arrive(methodAndPath: string): void;
  /** Resolves when the next such request arrives. */
  next(what: RegExp): Promise<void>;
}

export function createRequests(): Requests {
  const all: Served[] = [];
  const waiting = new Set<{ readonly what: RegExp; readonly come: () => void }>();
  return {
    all,
    add(served) {
      all.push(served);
      if (all.length > kept) all.shift();
    },
    clear: () => {
      all.length = 0;
    },
    arrive(methodAndPath) {
      for (const each of waiting) {
        if (!each.what.test(methodAndPath)) continue;
        waiting.delete(each);
        each.come();
      }
    },
    next: (what) =>
      new Promise((come) => {
        waiting.add({ what, come });
      }),
    of: (route) => all.filter((served) => served.route === route),
    [Symbol.iterator]: () => all[Symbol.iterator](),
  };
}
