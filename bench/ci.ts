import { startForge } from '@bellows/sandbox/forge';
import { createForge } from '../src/forge/index.js';
import { openServices } from './feed/services.js';

const rounds = 20;
const repo = 'acme/engine';
const lists = 'GET /repos/{owner}/{repo}/actions/runs';
const feeds = 'GET /repos/{owner}/{repo}/activities/feeds';
const jobs = [{ name: 'build', labels: ['gpu'], needs: [], steps: ['npm ci', 'npm test'] }];

/** What CI updates cost the forge: each round one run ends, and its source is polled once. */
export async function run(): Promise<Record<string, number>> {
  const sandbox = await startForge();
  const forge = createForge({ url: sandbox.url });
  const service = forge.as({ kind: 'token', token: sandbox.account('ada').token() });
  const services = await openServices(service);
  const { store, jobs: feed } = services;
  const { id } = await service.repos.get({ owner: 'acme', repo: 'engine' });
  const place = { team: 'T0BENCH001', channel: 'C0BENCH001' };
  const filter = { features: { runs: [] }, runs: 'all' };
  await store.subscriptions.put({ place, owner: 'U0BENCH001', filter, target: { kind: 'repo', id } }, repo);
  await feed.steps.reconcile();

  const poll = async () => {
    for (const { source } of await store.sources.list())
      if (source.startsWith('runs-')) await store.sources.wake(source);
    for (const due of await store.sources.claimDue(10, 60_000))
      if (due.source.startsWith('runs-')) await feed.steps.poll(due);
  };
  const end = (conclusion: 'success' | 'failure') => {
    const queued = sandbox.world.queueRun({ as: 'ada', repo, title: conclusion, branch: 'main', jobs });
    sandbox.world.finishRun({ run: queued.id, conclusion });
  };
  /** The repository's own feed is read anyway, for a run only sooner. */
  const asked = () => sandbox.requests.all.length - sandbox.requests.of(feeds).length;
  await poll();

  const failed: number[] = [];
  const green: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // green before each red: every failure is a new one, with the most to read
    end('success');
    sandbox.requests.clear();
    await poll();
    green.push(asked() - sandbox.requests.of(lists).length);
    sandbox.world.push({ as: 'grace', repo, branch: 'main', commits: [`Change ${round}`] });
    end('failure');
    sandbox.requests.clear();
    await poll();
    failed.push(asked());
  }
  await services.close();
  await forge.close();
  await sandbox.close();
  return {
    'ci.requests_per_failed_run': Math.max(...failed),
    'ci.requests_per_green_run_beyond_the_list': Math.max(...green),
  };
}
