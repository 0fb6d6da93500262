import type { Running } from '../bot.js';
import { type Log, warnSeldom } from '../log.js';

/** Runs until a signal asks to stop; work in progress then gets time to finish. */
export async function untilStopped(parts: readonly Running[], log: Log): Promise<number> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
  });
  log.info({ signal }, 'stopping');
  const late = setTimeout(() => process.exit(1), 25_000).unref();
  await Promise.all(parts.map((part) => part.stop()));
  clearTimeout(late);
  return 0;
}

/** BullMQ warns on the console; operators read the log. */
export function hearLibraries(log: Log): void {
  console.warn = (...parts: unknown[]) => warnSeldom(log, 'library', {}, parts.map(String).join(' '));
}
