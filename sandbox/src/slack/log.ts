/** A list that forgets its oldest entries, so that a long-lived sandbox stays small. */
export class Log<T> implements Iterable<T> {
  readonly #entries: T[] = [];
  readonly #max: number;
  readonly #onAdd: () => void;

  constructor(max: number, onAdd: () => void = () => {}) {
    this.#max = max;
    this.#onAdd = onAdd;
  }

  add(entry: T): T {
    this.#entries.push(entry);
    if (this.#entries.length > this.#max) this.#entries.splice(0, Math.ceil(this.#max / 10));
    this.#onAdd();
    return entry;
  }

  get all(): readonly T[] {
    return this.#entries;
  }

  get last(): T | undefined {
    return this.#entries.at(-1);
  }

  filter(wanted: (entry: T) => boolean): T[] {
    return this.#entries.filter(wanted);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#entries[Symbol.iterator]();
  }
}
