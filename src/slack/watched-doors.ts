import type { Doors } from './app.js';

/** The time each door takes until Slack gets its acknowledgement. */
export function watchedDoors(doors: Doors, onAck: (door: string, seconds: number) => void): Doors {
  const timed =
    <Given extends unknown[], Answer>(door: string, open: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      const started = performance.now();
      try {
        return await open(...given);
      } finally {
        onAck(door, (performance.now() - started) / 1_000);
      }
    };
  return {
    command: timed('command', doors.command),
    action: timed('action', doors.action),
    submission: timed('submission', doors.submission),
    options: timed('options', doors.options),
    shortcut: timed('shortcut', doors.shortcut),
    // Bolt acknowledges events before anybody looks at them.
    event: doors.event,
  };
}
