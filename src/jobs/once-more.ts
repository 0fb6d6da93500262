/** Runs one at a time; everyone who asks during a run shares the next one. */
export function onceMore(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    const started = run();
    last = started.catch(() => {});
    return started;
  };
  return () => {
    next ??= last.then(start);
    return next;
  };
}
