import { UserError } from '../errors.js';

/** A person's own commands run alongside their agent's. */
const atOnce = 2;
const mostWaiting = 20;
const mostInAll = 200;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs each agent's calls in order, two at a time; a call behind too long a queue is refused. */
export function createTurns() {
  const lines = new Map<string, Line>();
  let all = 0;

  return async <T>(agent: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(agent) ?? { running: 0, waiting: [] };
    if (line.waiting.length >= mostWaiting || all >= mostInAll)
      throw new UserError('Too many calls are waiting. Wait for some of them to end, then try again.');
    lines.set(agent, line);
    all += 1;
    try {
      // a finished call passes on its slot
      if (line.running >= atOnce) await new Promise<void>((resolve) => line.waiting.push(resolve));
      else line.running += 1;
      return await work();
    } finally {
      all -= 1;
      const next = line.waiting.shift();
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) lines.delete(agent);
    }
  };
}
