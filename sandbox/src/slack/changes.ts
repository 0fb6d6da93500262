import type { Change } from './model.js';

type Listener = (change: Change) => void;

/** Notifies everyone interested in changes in the sandbox. */
export class Changes {
  readonly #listeners = new Set<Listener>();

  tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves with the first truthy result; the predicate runs now and after each change, never on a timer. */
  until<T>(predicate: () => T | undefined | false | null, timeoutMs: number, condition: string): Promise<T> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`Nothing satisfied the condition within ${timeoutMs} ms: ${condition}`));
      }, timeoutMs);
      const look = () => {
        try {
          const answer = predicate();
          if (answer === undefined || answer === false || answer === null) return;
          clearTimeout(timer);
          stop();
          resolve(answer);
        } catch (error) {
          clearTimeout(timer);
          stop();
          reject(error);
        }
      };
      stop = this.listen(look);
      look();
    });
  }

  close(): void {
    this.#listeners.clear();
  }
}
