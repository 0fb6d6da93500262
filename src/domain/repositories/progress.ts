const firstMs = 2_000;
const everyMs = 5_000;

/** Reports how long the work has taken until it ends; a report in progress is finished first, so that the answer comes last. */
export async function whileTelling<T>(tell: (passedMs: number) => Promise<void>, work: Promise<T>): Promise<T> {
  const started = performance.now();
  let telling: Promise<void> = Promise.resolve();
  let timer = setTimeout(tick, firstMs);
  function tick(): void {
    telling = tell(performance.now() - started).catch(() => {});
    timer = setTimeout(tick, everyMs);
  }
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    await telling;
  }
}
