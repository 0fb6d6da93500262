import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startForge } from '@bellows/sandbox/forge';
import { startRedis } from '@bellows/sandbox/redis.js';
import { startSlack } from '@bellows/sandbox/slack';
import { request } from 'undici';
import { startBot } from '../src/bot.js';
import { serving } from '../src/cli/serving.js';
import { readConfig } from '../src/config.js';
import { createMetrics } from '../src/http/metrics.js';
import { createLog } from '../src/log.js';
import { startWorker } from '../src/worker.js';
import { environmentOn } from '../test/support/processes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const secret = 'a webhook secret';
const channel = 'engine';
/** Long enough for every regular turn of the worker to come once. */
const idleMs = 35_000;

/** Which files of src run for five actions, less those that run while nothing happens. */
export async function run(): Promise<Record<string, number>> {
  const [redis, forge, slack] = await Promise.all([startRedis(), startForge(), startSlack()]);
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const policy = join(await mkdtemp(join(tmpdir(), 'bellows-')), 'bellows.yaml');
  await writeFile(policy, 'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001]\n');
  const settings = { FORGE_WEBHOOK_SECRET: secret, BELLOWS_CONFIG: policy };
  const config = readConfig(environmentOn({ slack, forge, redisUrl: redis.url, keys }, settings));
  const log = createLog({ level: 'error' });
  const metrics = createMetrics();
  const [bot, worker] = await Promise.all([startBot(config, log, metrics), startWorker(config, log, metrics)]);
  const http = await serving({ config, log, metrics, parts: [bot, worker], agents: bot.agents });

  const [ada, grace] = [slack.as('ada'), slack.as('grace')];
  const shows = (part: string, actor = ada) =>
    slack.until(
      () => actor.sees(channel).find(({ text, blocks }) => `${text}${JSON.stringify(blocks)}`.includes(part)),
      30_000,
    );
  for (const [actor, login] of [
    [ada, 'ada'],
    [grace, 'grace'],
  ] as const) {
    await actor.command(channel, '/forge', 'signin');
    await slack.until(() => actor.openView(), 10_000);
    await actor.fill({ token: forge.account(login).token() });
    await actor.submit();
    await shows(`linked as`, actor);
  }
  await ada.command(channel, '/forge', 'subscribe acme/engine issues');
  await shows('Unsubscribe');
  await ada.command(channel, '/forge', 'agents add roads --may "issue close" --repos acme/engine');
  const token = /bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/.exec(JSON.stringify(await shows('bwa_')))?.[0] ?? '';
  const { index: left } = forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'For the agent' });
  const { id: stuck } = forge.world.startRun({ as: 'ada', repo: 'acme/engine', title: 'Stuck' });
  forge.world.freezeRun({ run: stuck });

  const coverage = new Session();
  coverage.connect();
  await coverage.post('Profiler.enable');
  await coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** Files of which a function ran since the last look. */
  async function ran(): Promise<string[]> {
    const { result } = await coverage.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      if (!url.startsWith('file:')) return [];
      const file = relative(root, fileURLToPath(url.replace(/\?.*/, '')));
      const isCalled = functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
      return file.startsWith('src/') && isCalled ? [file] : [];
    });
  }
  // what was just set up is posted first
  await pause(idleMs);
  await ran();
  await pause(idleMs);
  const idle = new Set(await ran());

  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    'issue close': async () => {
      await ada.command(channel, '/forge', 'issue close acme/engine#2');
      await shows('Closed');
    },
    'run force-cancel': async () => {
      await ada.command(channel, '/forge', `run force-cancel ${forge.url}/acme/engine/actions/runs/${stuck}`);
      await shows('Approve', grace);
    },
    'the click that approves': async () => {
      await grace.click(await shows('Approve', grace), 'Approve');
      await slack.until(() => forge.world.run(stuck)?.status === 'cancelled', 30_000);
      await shows('Approved by', grace);
    },
    'an agent’s issue_close': async () => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'issue_close', arguments: { issue: `acme/engine#${left}` } },
      });
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const answer = await request(`${http.address}/mcp`, { method: 'POST', headers, body });
      const text = await answer.body.text();
      if (!text.includes('Closed')) throw new Error(`the agent did not close the issue: ${text.slice(0, 500)}`);
    },
    'a new issue until its card': async () => {
      forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Roads' });
      const body = JSON.stringify({ repository: { id: forge.world.repo('acme/engine').id } });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-gitea-signature': signature };
      await (await request(`${http.address}/hooks/forge`, { method: 'POST', headers, body })).body.dump();
      await shows('Roads', grace);
    },
  };

  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  const rows: { action: string; files: number; lines: number }[] = [];
  for (const [action, act] of Object.entries(actions)) {
    await ran();
    await act();
    const files = (await ran()).filter((file) => !idle.has(file)).toSorted();
    rows.push({ action, files: files.length, lines: files.reduce((sum, file) => sum + lines(file), 0) });
    console.log(`\n${action}\n${files.map((file) => `  ${file}`).join('\n')}`);
  }
  await http.stop();
  await Promise.all([bot.stop(), worker.stop()]);
  await Promise.all([forge.close(), slack.close(), redis.close()]);
  if (process.env['UPDATE_DOCS'] !== undefined) writeTable(rows);
  return Object.fromEntries(rows.map(({ action, files }) => [`roads.${action.replace(/[^a-z]+/g, '_')}`, files]));
}

function writeTable(rows: readonly { action: string; files: number; lines: number }[]): void {
  const file = join(root, 'docs/architecture.md');
  const cells = [
    ['Action', 'Files', 'Their lines'],
    ...rows.map(({ action, files, lines }) => [action, String(files), lines.toLocaleString('en-US')]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const row = (of: readonly string[]) => `| ${of.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = cells;
  const table = [row(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(row)].join('\n');
  const page = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    page.replace(/<!-- roads -->[\s\S]*?<!-- \/roads -->/, `<!-- roads -->\n\n${table}\n\n<!-- /roads -->`),
  );
}
