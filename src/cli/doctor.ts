import type { Config } from '../config.js';
import { ConfigError } from '../errors.js';
import { examined, type Finding, notebook, report } from './doctor/finding.js';
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

export async function examine(env: Readonly<Record<string, string | undefined>>): Promise<readonly Finding[]> {
  const config = read(env);
  if (Array.isArray(config)) return config;
  const looks = [
    examined('redis', 'Check REDIS_URL and that Redis is running.', (found) => lookAtRedis(config, found)),
    examined('forge', 'Check FORGE_URL and that this machine can reach it.', (found) => lookAtForge(config, found)),
    examined('slack', 'Check the tokens and that this machine can reach Slack.', (found) => lookAtSlack(config, found)),
  ];
  const found = notebook('config');
  found.ok(`complete: ${config.slack.mode.kind === 'socket' ? 'Socket Mode' : 'HTTP mode'}, ${config.command}`);
  return [...found.findings, ...(await Promise.all(looks)).flat()];
}

function read(env: Readonly<Record<string, string | undefined>>): Config | Finding[] {
  try {
    return readSettings(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = notebook('config');
    for (const problem of error.problems) {
      const [says = problem, remedy] = problem.split('; ', 2);
      found.failure(says, remedy ?? 'Fix it and run bellows doctor again.');
    }
    found.note('Redis, the forge and Slack were not checked', 'Fix the settings first.');
    return [...found.findings];
  }
}
