import type { Running } from '../bot.js';
import { reasonOf } from '../errors.js';
import { type Log, warnSeldom } from '../log.js';

/** Runs until a signal asks to stop, or an error that nothing caught; work in progress then gets time to finish. */
export async function untilStopped(parts: readonly Running[], log: Log): Promise<number> {
  const code = await new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        log.info({ signal }, 'stopping');
        resolve(0);
      });
    // rejections arrive here too
    process.on('uncaughtException', (error) => {
      log.fatal(
        { reason: reasonOf(error), stack: error instanceof Error ? error.stack : undefined },
        'stopping after an unexpected error',
      );
      resolve(1);
    });
  });
  const late = setTimeout(() => process.exit(1), 25_000).unref();
  await Promise.all(parts.map((part) => part.stop()));
  clearTimeout(late);
  return code;
}

/** BullMQ warns on the console; operators read the log. */
export function hearLibraries(log: Log): void {
  console.warn = (...parts: unknown[]) => warnSeldom(log, 'library', {}, parts.map(String).join(' '));
}
