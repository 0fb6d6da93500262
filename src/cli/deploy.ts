import { parseArgs } from 'node:util';
import type { Config, Deployment } from '../config.js';
import { UserError } from '../errors.js';
import { readSettings } from './settings.js';

const usage = 'Usage: bellows deploy list [--json]';

/** Uses only the settings, without forge or Redis. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  print: (text: string) => void = console.log,
): Promise<number> {
  const options = { json: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (positionals[0] !== 'list') throw new UserError(usage);
  const { deployments } = readSettings(env).policy;
  print(values.json ? JSON.stringify(deployments, null, 2) : listed(deployments));
  return 0;
}

function listed(deployments: Config['policy']['deployments']): string {
  const all = Object.entries(deployments);
  if (all.length === 0) return 'No deployments in bellows.yaml.';
  return all.map(([name, deployment]) => [name, ...linesOf(deployment)].join('\n  ')).join('\n');
}

function linesOf(deployment: Deployment): string[] {
  const { repository, workflow, refs, inputs, askFor, ungated, ask, approve, count, channel, freeze, breakGlass } =
    deployment;
  const pairs = (values: Deployment['inputs']) => Object.entries(values).map(([name, value]) => `${name}=${value}`);
  const windows = freeze.map(({ days, from, to, zone }) => `${days.join(' ')} ${from}-${to} ${zone}`);
  const rows: [label: string, value: string][] = [
    ['runs', `${workflow} in ${repository}`],
    ['refs', refs.join(', ')],
    ['inputs', [...pairs(inputs), ...askFor.map((name) => `${name}=?`)].join(', ')],
    ['by hand', ungated.map((each) => pairs(each).join(' ')).join(', ')],
    ['requests', people(ask ?? 'everyone')],
    ['approves', `${count ?? 1} of ${people(approve ?? 'maintainer')}${channel ? ` in ${channel}` : ''}`],
    ['frozen', windows.join('; ')],
    ['break glass', breakGlass ? people({ ...breakGlass, teams: [] }) : ''],
  ];
  return rows.filter(([, value]) => value !== '').map(([label, value]) => `${label.padEnd(12)}${value}`);
}

const people = (who: NonNullable<Deployment['ask']>): string =>
  typeof who === 'string' ? who : [...who.users, ...who.groups, ...who.teams].join(', ');
