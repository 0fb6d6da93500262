import { randomBytes } from 'node:crypto';
import { devNull } from 'node:os';
import type { Config } from '../config.js';
import { ConfigError } from '../errors.js';
import { type Area, examined, type Finding, type Notebook, notebook, report } from './doctor/finding.js';
import { lookAtForge } from './doctor/forge.js';
import { lookAtRedis } from './doctor/redis.js';
import { lookAtSlack } from './doctor/slack.js';
import { readSettings } from './settings.js';

/** 0: everything needed works. 1: something must be fixed first. */
export async function run({ json }: { readonly json?: boolean }): Promise<number> {
  const findings = await examine(process.env);
  const ok = !findings.some(({ level }) => level === 'failure');
  console.log(json ? JSON.stringify({ ok, findings }, null, 2) : report(findings));
  return ok ? 0 : 1;
}

type Env = Readonly<Record<string, string | undefined>>;

export async function examine(env: Env): Promise<readonly Finding[]> {
  const found = notebook('config');
  const { config, skipped } = readAsFarAsPossible(env, found);
  const look = (area: Area, remedy: string, at: (found: Notebook) => Promise<void>) =>
    skipped.has(area) ? [] : [examined(area, remedy, at)];
  const looks = [
    ...look('redis', 'Check REDIS_URL and that Redis is running.', (notes) => lookAtRedis(config, notes)),
    ...look(
      'forge',
      `Check ${config.forge.proxy ? 'FORGE_PROXY, ' : ''}FORGE_URL and that this machine can reach it.`,
      (notes) => lookAtForge(config, notes),
    ),
    ...look('slack', 'Check the tokens and that this machine can reach Slack.', (notes) => lookAtSlack(config, notes)),
  ];
  return [...found.findings, ...(await Promise.all(looks)).flat()];
}

/** Which area a setting belongs to; the others can be checked without it. */
const areaOf = (setting: string): Area | undefined => {
  if (setting.startsWith('SLACK_')) return 'slack';
  if (setting.startsWith('FORGE_')) return 'forge';
  return ['REDIS_URL', 'BELLOWS_KEYS', 'BELLOWS_NAMESPACE'].includes(setting) ? 'redis' : undefined;
};

/** Used in place of settings that are wrong or missing; what would need them is not checked. */
const standIns = {
  SLACK_BOT_TOKEN: 'xoxb-0',
  SLACK_APP_TOKEN: 'xapp-0',
  FORGE_URL: 'https://forge.invalid',
  FORGE_TOKEN: '0',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

function readAsFarAsPossible(env: Env, found: Notebook): { config: Config; skipped: ReadonlySet<Area> } {
  try {
    const config = readSettings(env);
    found.ok(`complete: ${config.slack.mode.kind === 'socket' ? 'Socket Mode' : 'HTTP mode'}, ${config.command}`);
    return { config, skipped: new Set() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) {
      const [says = problem, remedy] = problem.split('; ', 2);
      found.failure(says, remedy ?? 'Fix it and run bellows doctor again.');
    }
    const wrong = error.problems.map((problem) => /^[A-Z_]+(?=:)/.exec(problem)?.[0] ?? 'BELLOWS_CONFIG');
    const skipped = new Set(wrong.flatMap((setting) => areaOf(setting) ?? []));
    if (skipped.size > 0) found.note(`not checked: ${[...skipped].join(', ')}`, 'Fix the settings first.');
    const right = Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.includes(name)));
    const key = `doctor:${randomBytes(32).toString('base64')}`;
    const policy = wrong.includes('BELLOWS_CONFIG') ? { BELLOWS_CONFIG: devNull } : {};
    const mode = right['SLACK_SIGNING_SECRET'] ? { SLACK_APP_TOKEN: undefined } : {};
    return { config: readSettings({ BELLOWS_KEYS: key, ...standIns, ...mode, ...right, ...policy }), skipped };
  }
}
