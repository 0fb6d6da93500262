import type { Config, Deployment } from '../config.js';
import { readSettings } from './with-store.js';

/** Uses only the settings, without forge or Redis. */
export async function run(
  { json }: { readonly json?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  print: (text: string) => void,
): Promise<number> {
  const { deployments } = readSettings(env).policy;
  print(json ? JSON.stringify(deployments, null, 2) : listEnvironments(deployments));
  return 0;
}

function listEnvironments(deployments: Config['policy']['deployments']): string {
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
