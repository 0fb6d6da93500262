import { asForgejo } from '../forgejo/shape.js';
import { type Flavor, isForgejo, type Site } from '../state/site.js';
import type { Answer } from './answer.js';
import type { Endpoint } from './router.js';

const number = (version: string): number => {
  const [major = '0', minor = '0'] = version.split('.');
  return Number(major) * 1000 + Number(minor);
};

export function serves(site: Site, endpoint: Endpoint): boolean {
  if (site.flavor === 'document') return !endpoint.beyond;
  if (endpoint.since === 'none') return false;
  if (site.flavor === 'gitea-1.26') return number(endpoint.since ?? '1.0') <= number('1.26');
  return true;
}

const versions: Partial<Record<Flavor, string>> = {
  'gitea-1.26': '1.26.0',
  'forgejo-11': '11.0.1+gitea-1.22.0',
  'forgejo-15': '15.0.3+gitea-1.22.0',
  'forgejo-16': '16.0.0-dev+gitea-1.22.0',
};

export const versionOf = (site: Site): string => versions[site.flavor] ?? '1.28.0+dev-477-g7fae3d5db3';

/** Keys an older server does not send yet, by a key that identifies the kind of object. */
const later: readonly (readonly [mark: string, keys: readonly string[]])[] = [
  ['languages_url', ['allow_merge_update', 'default_update_style', 'mirror_last_sync_at']],
  ['time_estimate', ['projects']],
  ['units_map', ['visibility']],
  [
    'run_number',
    [
      'artifacts_url',
      'cancel_url',
      'created_at',
      'jobs_url',
      'logs_url',
      'previous_attempt_url',
      'pull_requests',
      'rerun_url',
      'updated_at',
    ],
  ],
];

function older(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(older);
  const drop = later.flatMap(([mark, keys]) => (mark in value ? keys : []));
  const aged: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) if (!drop.includes(key)) aged[key] = older(each);
  // its runs do not count attempts
  return 'run_number' in value ? { ...aged, run_attempt: 0 } : aged;
}

/** Where the API document says list, it is a bare array. */
const wrapped: Readonly<Record<string, string>> = {
  'GET /admin/actions/jobs': 'jobs',
  'GET /admin/actions/runners': 'runners',
  'GET /admin/actions/runs': 'workflow_runs',
};

function unwrapped(route: string, body: unknown): unknown {
  const key = wrapped[route];
  if (key === undefined || typeof body !== 'object' || body === null) return body;
  return new Map(Object.entries(body)).get(key) ?? body;
}

const isEmptyKind = (status: number): boolean => status === 404 || status === 409;

function asDocumented(route: string, answer: Answer): Answer {
  if (isEmptyKind(answer.status)) return { status: answer.status };
  const counted = new Set(['link', 'x-total-count']);
  const headers = Object.fromEntries(Object.entries(answer.headers ?? {}).filter(([name]) => !counted.has(name)));
  const success = answer.status >= 200 && answer.status < 300 && answer.status !== 204;
  return { ...answer, headers, status: success ? 200 : answer.status, body: unwrapped(route, answer.body) };
}

/** An older server lists causes for some 404s, null for others, and nothing for the rest. */
const causes: readonly (readonly [RegExp, 'listed' | 'null'])[] = [
  [/^(repository does not exist|user does not exist \[)/, 'listed'],
  [/^(not found$|runner with id|User '.*' not exist)/, 'null'],
];

function asOlder(route: string, answer: Answer): Answer {
  const { body } = answer;
  if (answer.status !== 404 || typeof body !== 'object' || body === null || !('message' in body)) {
    return { ...answer, body: older(body) };
  }
  if (route === 'GET /repos/{owner}/{repo}/commits') {
    return { status: 404, text: { type: 'application/json;charset=utf-8', content: '' } };
  }
  const message = String(body.message);
  const kind = route === 'POST /orgs/{org}/repos' ? 'listed' : causes.find(([pattern]) => pattern.test(message))?.[1];
  if (kind === undefined) return answer;
  return { ...answer, body: { errors: kind === 'listed' ? [message] : null, ...body } };
}

export function shaped(site: Site, route: string, answer: Answer): Answer {
  if (site.flavor === 'document') return asDocumented(route, answer);
  if (isForgejo(site)) return asForgejo(site, route, answer);
  return site.flavor === 'gitea-1.26' ? asOlder(route, answer) : answer;
}
