import { describe, expect, it } from 'vitest';
import { onceMore } from '../../src/jobs/feed.js';

/** Runs that end when the test says so. */
function controlled() {
  const runs: { readonly end: () => void; readonly fail: () => void }[] = [];
  const ask = onceMore(
    () => new Promise((resolve, reject) => runs.push({ end: resolve, fail: () => reject(new Error('failed')) })),
  );
  return { ask, runs, started: (count: number) => expect.poll(() => runs).toHaveLength(count) };
}

describe('a step that many ask for', () => {
  it('runs once more for all who asked while it ran', async () => {
    const { ask, runs, started } = controlled();
    const first = ask();
    await started(1);
    const later = [ask(), ask(), ask()];
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await first;
    await started(2);
    const during = ask();
    expect(runs).toHaveLength(2);
    runs[1]?.end();
    await Promise.all(later);
    await started(3);
    runs[2]?.end();
    await during;
    void ask();
    await started(4);
  });

  it('runs for those who asked during a run that failed', async () => {
    const { ask, runs, started } = controlled();
    const first = ask();
    await started(1);
    const second = ask();
    runs[0]?.fail();
    await expect(first).rejects.toThrow('failed');
    await started(2);
    runs[1]?.end();
    await second;
  });
});
