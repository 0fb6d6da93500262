import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts in hundredths of a second. */
const perSecond = 100;

/** Seconds of processor time a process has used; NaN where the system does not say. */
export function usedBy(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / perSecond;
  } catch {
    return Number.NaN;
  }
}

/** Starts a watch; asked again, it says what percentage of all cores was busy since then. */
export function watchMachine(): () => number {
  const read = () =>
    cpus().reduce(
      (sum, { times }) => {
        const all = Object.values(times).reduce((a, b) => a + b, 0);
        return { all: sum.all + all, idle: sum.idle + times.idle };
      },
      { all: 0, idle: 0 },
    );
  const before = read();
  return () => {
    const after = read();
    return 100 * (1 - (after.idle - before.idle) / (after.all - before.all));
  };
}
