/** A checked page of fifty activities through the client, against the bare minimum and against gitea-js. */
import { giteaApi } from 'gitea-js';
import { Pool } from 'undici';
import { createForge } from '../src/forge/index.js';
import { startChild } from './child.js';
import { median } from './median.js';

const inFlight = 16;
const rounds = 30;
const perRound = 120;
const path = '/api/v1/repos/acme/web/activities/feeds?limit=50';

type Ask = () => Promise<number>;

export async function run(): Promise<Record<string, number>> {
  const server = await startChild<number>(new URL('./forge/server.ts', import.meta.url));
  const url = `http://127.0.0.1:${server.ready}`;
  const pool = new Pool(url, { connections: inFlight });
  const forge = createForge({ url, maxInFlight: inFlight });
  try {
    return await compare({ raw: rawly(pool), client: through(forge), giteaJs: byGiteaJs(url) });
  } finally {
    await Promise.all([pool.destroy(), forge.close()]);
    server.kill();
  }
}

function rawly(pool: Pool): Ask {
  const headers = {
    authorization: `Basic ${Buffer.from('bench:token').toString('base64')}`,
    accept: 'application/json',
  };
  return async () => {
    const { body } = await pool.request({ path, method: 'GET', headers });
    const list: readonly unknown[] = JSON.parse(await body.text());
    return list.length;
  };
}

function through(forge: ReturnType<typeof createForge>): Ask {
  const api = forge.as({ kind: 'token', token: 'token' });
  return async () => (await api.activity.repoFeed({ owner: 'acme', repo: 'web', query: { limit: 50 } })).items.length;
}

function byGiteaJs(url: string): Ask {
  const api = giteaApi(url, { token: 'token' });
  return async () => (await api.repos.repoListActivityFeeds('acme', 'web', { limit: 50 })).data.length;
}

/** Rounds alternate, so that a slow moment affects all; each ratio is from one round. */
async function compare(asks: { raw: Ask; client: Ask; giteaJs: Ask }): Promise<Record<string, number>> {
  const names = ['raw', 'client', 'giteaJs'] as const;
  for (const name of names) await rate(asks[name]);
  const turns: { raw: number; client: number; giteaJs: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const turn = { raw: 0, client: 0, giteaJs: 0 };
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(place + round) % names.length] ?? 'raw';
      turn[name] = await rate(asks[name]);
    }
    turns.push(turn);
    console.log(
      `round ${round + 1}: raw ${turn.raw.toFixed(0)}/s, client ${turn.client.toFixed(0)}/s, gitea-js ${turn.giteaJs.toFixed(0)}/s`,
    );
  }
  return {
    'forge.client_vs_raw': median(turns.map((turn) => turn.client / turn.raw)),
    'forge.client_vs_gitea_js': median(turns.map((turn) => turn.client / turn.giteaJs)),
    'forge.raw_vs_gitea_js': median(turns.map((turn) => turn.raw / turn.giteaJs)),
    'forge.client_pages_per_second': median(turns.map((turn) => turn.client)),
  };
}

async function rate(ask: Ask): Promise<number> {
  let left = perRound;
  const started = performance.now();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      if ((await ask()) !== 50) throw new Error('not the page that was asked for');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return perRound / ((performance.now() - started) / 1000);
}
