import type { Answer } from '../http/answer.js';
import { isForgejo, type Site } from '../state/site.js';

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

type Keys = Readonly<Record<string, unknown>>;

interface Kind {
  /** Two keys that together identify the kind of object. */
  readonly marks: readonly [string, string];
  readonly without: readonly string[];
  readonly with: (site: Site, value: Keys) => Keys;
}

const kinds: readonly Kind[] = [
  { marks: ['login', 'starred_repos_count'], without: [], with: () => ({ pronouns: '' }) },
  {
    marks: ['languages_url', 'full_name'],
    without: [
      'allow_manual_merge',
      'allow_merge_update',
      'autodetect_manual_merge',
      'branch_count',
      'has_code',
      'licenses',
      'mirror_last_sync_at',
      'projects_mode',
    ],
    with: (site, value) => ({
      parent: null,
      repo_transfer: null,
      wiki_branch: 'main',
      globally_editable_wiki: false,
      default_allow_maintainer_edit: false,
      ...(isForgejo(site, 15) || !isEmpty(value['topics']) ? {} : { topics: null }),
      ...(isForgejo(site, 15)
        ? {
            has_wiki_contents: false,
            wiki_ssh_url: `git@localhost:${String(value['full_name'])}.wiki.git`,
            wiki_clone_url: `${String(value['html_url'])}.wiki.git`,
          }
        : {}),
    }),
  },
  {
    marks: ['original_author_id', 'pin_order'],
    without: ['content_version', 'projects', 'time_estimate'],
    with: () => ({}),
  },
  {
    marks: ['merge_base', 'diff_url'],
    without: ['content_version'],
    with: (_site, value) => ({
      review_comments: 0,
      flow: 0,
      ...(isEmpty(value['assignees']) ? { assignees: null } : {}),
    }),
  },
  {
    marks: ['units_map', 'can_create_org_repo'],
    without: ['visibility'],
    with: (_site, value) =>
      value['permission'] === 'owner'
        ? { units_map: { ...Object(value['units_map']), 'repo.ext_issues': 'owner', 'repo.ext_wiki': 'owner' } }
        : {},
  },
];

/** The keys that Forgejo sends instead of Gitea's; on other servers the value is unchanged. */
export const forgejoShape = (site: Site, value: unknown): unknown => (isForgejo(site) ? shape(site, value) : value);

// every answer passes here, so it is a plain loop
function shape(site: Site, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => shape(site, each));
  const kind = kinds.find(({ marks: [one, other] }) => one in value && other in value);
  const shaped: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) if (!kind?.without.includes(key)) shaped[key] = shape(site, each);
  return Object.assign(shaped, kind?.with(site, { ...value }));
}

/** Only these lists carry links to their other pages. */
const linked: ReadonlySet<string> = new Set([
  'GET /repos/search',
  'GET /repos/issues/search',
  'GET /user/repos',
  'GET /orgs/{org}/repos',
  'GET /admin/emails',
  'GET /admin/emails/search',
  'GET /repos/{owner}/{repo}/commits',
]);

/** These do not say how long they are. */
const uncounted = /\/issues\/\{index\}\/(dependencies|blocks)$/;

function headersOf(route: string, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const drop = [linked.has(route) ? '' : 'link', uncounted.test(route) ? 'x-total-count' : ''];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !drop.includes(name)));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some 404s list a cause, most an empty list, a few none. */
const causes: readonly (readonly [RegExp, (message: string) => Keys])[] = [
  [/^not found$/, () => ({ message: "The target couldn't be found.", errors: [] })],
  [/^repository does not exist/, (message) => ({ message: 'IsErrRepoNotExist', errors: [message] })],
  [/^issue does not exist/, (message) => ({ message: 'IsErrIssueNotExist', errors: [message] })],
  [/^user doesn't exist: /, (message) => ({ message: `User '${message.slice(20)}' not exist`, errors: [] })],
  [/^team doesn't exist: /, (message) => ({ message: `Team '${message.slice(20)}' not exist`, errors: [] })],
];

function missing(route: string, body: Keys): Answer {
  if (route === 'GET /repos/{owner}/{repo}/commits' && text(body['message']).startsWith('object does not exist')) {
    return { status: 404, text: { type: 'application/json;charset=utf-8', content: '' } };
  }
  if (route === 'POST /orgs/{org}/repos') {
    const errors = ['user redirect does not exist [name: nobody]'];
    return { status: 404, body: { ...body, message: 'GetOrgByName', errors } };
  }
  const message = text(body['message']);
  const more = causes.find(([pattern]) => pattern.test(message))?.[1](message);
  return { status: 404, body: { ...body, ...more } };
}

/** Gitea's answer with the keys and headers that Forgejo sends. */
export function asForgejo(site: Site, route: string, answer: Answer): Answer {
  if (answer.status === 404 && typeof answer.body === 'object' && answer.body !== null) {
    return missing(route, { ...answer.body });
  }
  return { ...answer, headers: headersOf(route, answer.headers), body: shape(site, answer.body) };
}
