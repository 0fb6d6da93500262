import type { Answer } from '../http/answer.js';
import { isForgejo, type Site } from '../state/site.js';

type Keys = Readonly<Record<string, unknown>>;

interface Kind {
  /** Two keys that together give the kind of object away. */
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
  { marks: ['merge_base', 'diff_url'], without: ['content_version'], with: () => ({ review_comments: 0, flow: 0 }) },
  { marks: ['units_map', 'can_create_org_repo'], without: ['visibility'], with: () => ({}) },
];

/** The keys that Forgejo sends, in place of Gitea's; on any other server the value as it is. */
export const forgejoShape = (site: Site, value: unknown): unknown => (isForgejo(site) ? shape(site, value) : value);

function shape(site: Site, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => shape(site, each));
  if (typeof value !== 'object' || value === null) return value;
  const kind = kinds.find(({ marks }) => marks.every((mark) => mark in value));
  const given = Object.entries(value).flatMap(([key, each]) =>
    kind?.without.includes(key) === true ? [] : [[key, shape(site, each)] as const],
  );
  return { ...Object.fromEntries(given), ...kind?.with(site, { ...value }) };
}

/** Gitea's answer with the keys that Forgejo sends. */
export function asForgejo(site: Site, _route: string, answer: Answer): Answer {
  return { ...answer, body: shape(site, answer.body) };
}
