/** The stand-in forge in its own process: it creates activity on request and sends a signed hook for each. */
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startForge } from '@bellows/sandbox/forge';
import { Pool } from 'undici';
import { eventAt, repositoryAt, sizes } from './sizes.js';

export interface Emit {
  readonly round: number;
  readonly secret: string;
  /** Where the workers listen, used in turn. */
  readonly addresses: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

const forge = await startForge();
const repositories: { readonly id: number; readonly ownerId: number }[] = [];
for (let at = 0; at < sizes.owners; at++) forge.world.createOrg({ as: 'ada', login: `org-${at}` });
for (let at = 0; at < sizes.repositories; at++) {
  const { owner, name } = repositoryAt(at);
  const repo = forge.world.createRepo({ as: 'ada', owner, name });
  repositories.push({ id: repo.id, ownerId: repo.owner.id });
}

async function emit({ round, secret, addresses, perSecond, seconds }: Emit): Promise<void> {
  const pools = addresses.map((address) => new Pool(address, { connections: 8 }));
  const emitted: number[] = [];
  const count = perSecond * seconds;
  const started = Date.now();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const due = started + (n * 1_000) / perSecond;
    if (due > Date.now()) await pause(due - Date.now());
    const { repository, kind, title } = eventAt(round, n);
    const { owner, name } = repositoryAt(repository);
    const what = { as: 'ada', repo: `${owner}/${name}` };
    emitted.push(Date.now());
    if (kind === 'issues') forge.world.openIssue({ ...what, title });
    else if (kind === 'commits') forge.world.push({ ...what, branch: 'main', commits: [title] });
    // the tag is another event, with other followers
    else forge.world.release({ ...what, tag: `v${round}.${n}`, title });
    const pool = pools[n % pools.length];
    const place = repositories[repository];
    if (pool && place) sent.push(hook(pool, secret, place, kind === 'issues' ? { issue: { title } } : {}));
  }
  await Promise.all(sent);
  await Promise.all(pools.map((pool) => pool.close()));
  process.send?.({ emitted });
}

async function hook(
  pool: Pool,
  secret: string,
  { id, ownerId }: (typeof repositories)[number],
  about: object,
): Promise<void> {
  const body = JSON.stringify({ repository: { id, owner: { id: ownerId } }, ...about });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-gitea-signature': signature };
  // polling makes up for a lost hook
  const answer = await pool.request({ path: '/hooks/forge', method: 'POST', body, headers }).catch(() => undefined);
  await answer?.body.dump();
}

process.on('message', (message: Emit) => void emit(message));
process.send?.({ url: forge.url, token: forge.account('ada').token(), repositories });
