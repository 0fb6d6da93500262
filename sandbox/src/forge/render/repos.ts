import { fullName, type Release, type Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { plainUser, rightsJson, userJson } from './people.js';
import { apiUrl, type Json, never, stamp, type View } from './view.js';

/** `own`: what the viewer may do. `none`: all false. `hidden`: the key is missing, as in notifications. */
export type Rights = 'own' | 'none' | 'hidden';

function rights(view: View, repo: Repo, show: Rights): Json {
  if (show === 'hidden') return {};
  return { permissions: show === 'own' ? rightsJson(view, repo) : { admin: false, push: false, pull: false } };
}

const always = {
  has_wiki: true,
  has_pull_requests: true,
  has_projects: true,
  projects_mode: 'all',
  has_releases: true,
  has_packages: true,
  has_actions: true,
  ignore_whitespace_conflicts: false,
  allow_manual_merge: false,
  autodetect_manual_merge: false,
  default_allow_maintainer_edit: true,
  avatar_url: '',
};

/** Each style by the setting that switches it off. */
export const styleSettings = {
  allow_merge_commits: 'merge',
  allow_rebase: 'rebase',
  allow_rebase_explicit: 'rebase-merge',
  allow_squash_merge: 'squash',
  allow_fast_forward_only_merge: 'fast-forward-only',
} as const;

const mergingJson = ({ state: { site } }: View, { merging }: Repo): Json => {
  const { stylesOff, defaultStyle, deletesBranch, rebaseUpdate, updateStyle } = merging;
  const isOlder = site.flavor === 'gitea-1.26';
  return {
    ...Object.fromEntries(Object.entries(styleSettings).map(([name, style]) => [name, !stylesOff.includes(style)])),
    default_delete_branch_after_merge: deletesBranch,
    default_merge_style: defaultStyle,
    allow_rebase_update: rebaseUpdate,
    ...(isOlder ? {} : { default_update_style: updateStyle }),
    ...(isOlder || isForgejo(site) ? {} : { allow_merge_update: true }),
  };
};

function counts(repo: Repo): Json {
  let issues = 0;
  let pulls = 0;
  for (const issue of repo.issues.values()) {
    if (issue.state !== 'open') continue;
    if (issue.pull === undefined) issues += 1;
    else pulls += 1;
  }
  return {
    stars_count: repo.stargazers.size,
    forks_count: 0,
    watchers_count: repo.watchers.size,
    branch_count: repo.branches.size,
    open_issues_count: issues,
    open_pr_counter: pulls,
    release_counter: repo.releases.size,
  };
}

export function repoJson(view: View, repo: Repo, show: Rights = 'own'): Json {
  const name = fullName(repo);
  const web = `${view.state.site.url}/${name}`;
  const api = `${apiUrl(view)}/repos/${name}`;
  return {
    id: repo.id,
    owner: userJson(view, repo.owner),
    name: repo.name,
    full_name: name,
    description: repo.description,
    empty: repo.commits.size === 0,
    private: repo.private,
    fork: repo.fork,
    template: repo.template,
    mirror: repo.mirror,
    size: 24 + repo.commits.size,
    language: repo.language,
    languages_url: `${api}/languages`,
    html_url: web,
    url: api,
    link: '',
    ssh_url: `git@localhost:${name}.git`,
    clone_url: `${web}.git`,
    original_url: repo.originalUrl,
    website: '',
    ...counts(repo),
    default_branch: repo.defaultBranch,
    archived: repo.archivedAt !== undefined,
    created_at: stamp(view, repo.created),
    updated_at: stamp(view, repo.updated),
    archived_at: stamp(view, repo.archivedAt ?? 0),
    ...rights(view, repo, show),
    has_code: true,
    has_issues: true,
    internal_tracker: {
      enable_time_tracker: repo.timeTracking,
      allow_only_contributors_to_track_time: true,
      enable_issue_dependencies: repo.dependencies,
    },
    ...always,
    ...mergingJson(view, repo),
    internal: !repo.private && repo.owner.visibility === 'private',
    mirror_interval: repo.mirror ? '8h0m0s' : '',
    object_format_name: 'sha1',
    mirror_updated: repo.mirror ? stamp(view, repo.updated) : never,
    mirror_last_sync_at: repo.mirror ? stamp(view, repo.updated) : never,
    topics: repo.topics,
    licenses: [],
  };
}

export const repoMeta = (repo: Repo): Json => ({
  id: repo.id,
  name: repo.name,
  owner: repo.owner.login,
  full_name: fullName(repo),
});

export function releaseJson(view: View, repo: Repo, { id, tag, title, notes, author, created }: Release): Json {
  return {
    id,
    tag_name: tag,
    target_commitish: repo.defaultBranch,
    name: title,
    body: notes,
    url: `${apiUrl(view)}/repos/${fullName(repo)}/releases/${id}`,
    html_url: `${view.state.site.url}/${fullName(repo)}/releases/tag/${tag}`,
    draft: false,
    prerelease: false,
    created_at: stamp(view, created),
    published_at: stamp(view, created),
    author: plainUser(view, author),
    assets: [],
  };
}
