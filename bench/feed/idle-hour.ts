import { setTimeout as pause } from 'node:timers/promises';
import { createForge } from '../../src/forge/index.js';
import { startChild } from '../child.js';
import { link, rest, subscribe } from '../scale/fill.js';
import { sizes } from '../scale/sizes.js';
import { benchTeam, openServices } from './services.js';

/** As the server answers. */
const rowsOfFeed = 10;
/** Long enough for every list and feed of an owner to come up at least once. */
const seconds = Number(process.env['IDLE_SECONDS'] ?? 300);
/** Every owner's feed was read once by then. */
const warmUpMs = 90_000;

/** A worker's requests and CPU in an hour without activity, extrapolated from a few minutes. */
export async function idleHour(): Promise<Record<string, number>> {
  const server = await startChild<number>(new URL('./server.ts', import.meta.url));
  const url = `http://127.0.0.1:${server.ready}`;
  const forge = createForge({ url });
  const services = await openServices(forge.as({ kind: 'token', token: 'token' }), 20);
  const repositories = Array.from({ length: sizes.repositories }, (_, at) => ({
    id: at + 1,
    ownerId: (at % sizes.owners) + 1,
  }));
  await subscribe(services.store, repositories);
  await link(services.store, benchTeam, 'token');
  // the sources of owners follow from those of their repositories
  await rest(services, repositories, url, { rows: rowsOfFeed });
  await services.jobs.steps.reconcile();
  await rest(services, repositories, url, { rows: rowsOfFeed });
  await services.jobs.start();
  // a process's first lists do not represent an hour
  await pause(warmUpMs);
  const [{ requests: before }, cpu] = [await server.ask<{ requests: number }>({}), process.cpuUsage()];
  await pause(seconds * 1_000);
  const [{ requests: after }, { user, system }] = [await server.ask<{ requests: number }>({}), process.cpuUsage(cpu)];
  await services.close();
  await forge.close();
  server.kill();
  return {
    'feed.requests_idle_hour': ((after - before) * 3_600) / seconds,
    'feed.cpu_idle_percent': ((user + system) / 1_000_000 / seconds) * 100,
  };
}
