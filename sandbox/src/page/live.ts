import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { keyOf, piecesFor, type Scene } from './pieces.js';

const batchMs = 25;
const heartbeatMs = 15_000;

export interface Live {
  /** Everything this person sees, then every change. */
  follow(context: Context, me: string): Response;
  close(): void;
}

export function createLive(scene: Scene): Live {
  const ends = new Set<() => void>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const stops = [scene.slack.onChange(tell), scene.forge.onChange(tell)];
  return {
    follow: (context, me) =>
      streamSSE(context, async (stream) => {
        const sent = new Map<string, string>();
        const update = async () => {
          for (const piece of piecesFor(scene, me)) {
            const data = JSON.stringify(piece);
            if (sent.get(keyOf(piece)) === data) continue;
            sent.set(keyOf(piece), data);
            await stream.writeSSE({ data });
          }
        };
        // One update after the other: an older one must not overtake a newer one.
        let updating = update();
        let timer: NodeJS.Timeout | undefined;
        const soon = () => {
          timer ??= setTimeout(() => {
            timer = undefined;
            updating = updating.then(update);
          }, batchMs);
        };
        listeners.add(soon);
        const heartbeat = setInterval(() => void stream.writeSSE({ event: 'beat', data: '' }), heartbeatMs);
        await new Promise<void>((resolve) => {
          ends.add(resolve);
          stream.onAbort(() => {
            ends.delete(resolve);
            resolve();
          });
        });
        listeners.delete(soon);
        clearTimeout(timer);
        clearInterval(heartbeat);
      }),
    close() {
      for (const stop of stops) stop();
      for (const end of ends) end();
    },
  };
}
