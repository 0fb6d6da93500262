import { Pool } from 'undici';
import { createForge } from '../../src/forge/index.js';
import { startChild } from '../child.js';
import { median } from '../median.js';
import { openServices } from './services.js';

const inFlight = 16;
const sources = 400;
const rounds = 31;
/** Warm-up rounds that do not count. */
const warming = 10;

/** Idle polls of many repositories, each a probe page, against plain GETs of that page. */
export async function idlePolls(): Promise<Record<string, number>> {
  const server = await startChild<number>(new URL('./server.ts', import.meta.url));
  const url = `http://127.0.0.1:${server.ready}`;
  const forge = createForge({ url, maxInFlight: inFlight });
  const pool = new Pool(url, { connections: inFlight });
  const services = await openServices(forge.as({ kind: 'token', token: 'token' }));
  const { store, jobs } = services;
  for (let id = 1; id <= sources; id++) {
    await store.sources.ensure(`repo-${id}`, { owner: 'acme', name: 'web', ownerId: 6 });
  }
  const headers = { authorization: `Basic ${Buffer.from('token:x').toString('base64')}`, accept: 'application/json' };
  const raw = async () => {
    const path = '/api/v1/repos/acme/web/activities/feeds?page=1&limit=10';
    const { body } = await pool.request({ path, method: 'GET', headers });
    JSON.parse(await body.text());
  };
  const pollAll = async () => {
    for (const { source } of await store.sources.list()) await store.sources.wake(source);
    const due = await store.sources.claimDue(sources, 60_000);
    return rate(due, jobs.steps.poll);
  };
  await pollAll();
  const turns: { polls: number; raw: number }[] = [];
  for (let round = -warming; round < rounds; round++) {
    const turn = { raw: await rate(Array.from({ length: sources }), raw), polls: await pollAll() };
    if (round >= 0) turns.push(turn);
  }
  await services.close();
  await Promise.all([pool.destroy(), forge.close()]);
  server.kill();
  return {
    'feed.idle_polls_vs_raw': median(turns.map((turn) => turn.polls / turn.raw)),
    'feed.idle_polls_per_second': median(turns.map((turn) => turn.polls)),
  };
}

async function rate<T>(things: readonly T[], each: (thing: T) => Promise<unknown>): Promise<number> {
  const left = [...things];
  const started = performance.now();
  const lane = async () => {
    while (left.length > 0) await each(left.pop() as T); // never empty here
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return things.length / ((performance.now() - started) / 1_000);
}
