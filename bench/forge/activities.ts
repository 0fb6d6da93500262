/** A page of a repository feed as Gitea 1.28 sends it, with every key: about 170 kB for fifty. */
export function activities(count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, position) => activity(5000 - position));
}

const kinds = ['commit_repo', 'comment_issue', 'create_issue', 'merge_pull_request', 'close_issue'] as const;
const people = ['alice', 'bob', 'carol', 'dan'] as const;
const forge = 'http://forge.example';

function activity(id: number): unknown {
  const kind = kinds[id % kinds.length] ?? 'commit_repo';
  const who = people[id % people.length] ?? 'alice';
  const created = new Date(Date.UTC(2026, 7, 22, 8, 0, 0) + id * 37_000).toISOString().replace('.000Z', '+02:00');
  return {
    id,
    user_id: 2,
    op_type: kind,
    act_user_id: 2,
    act_user: user(2, who),
    repo_id: 1,
    repo: repository(),
    comment_id: kind === 'comment_issue' ? id : 0,
    comment: kind === 'comment_issue' ? comment(id, created) : null,
    ref_name: kind === 'commit_repo' ? 'refs/heads/main' : '',
    is_private: false,
    content:
      kind === 'commit_repo'
        ? commits(id, who, created)
        : `${id}|Feeds show "renamed" twice when <b>a</b> branch moves`,
    created,
  };
}

function user(id: number, login: string): unknown {
  return {
    id,
    login,
    login_name: '',
    source_id: 0,
    full_name: login.toUpperCase(),
    email: `${login}@example.org`,
    avatar_url: `${forge}/avatars/fbf7c6aec1d4280b7c2704c1c0478bd6`,
    html_url: `${forge}/${login}`,
    language: '',
    is_admin: false,
    last_login: '1970-01-01T00:00:00Z',
    created: '2026-05-15T01:47:35Z',
    restricted: false,
    active: true,
    prohibit_login: false,
    location: '',
    website: '',
    description: '',
    visibility: 'public',
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: login,
  };
}

function comment(id: number, created: string): unknown {
  return {
    id,
    html_url: `${forge}/acme/web/issues/1#issuecomment-${id}`,
    pull_request_url: '',
    issue_url: `${forge}/acme/web/issues/1`,
    user: null,
    original_author: '',
    original_author_id: 0,
    body: 'I can reproduce it on the newest build; see the log. @bob may know more about the queue.',
    assets: [],
    created_at: created,
    updated_at: created,
  };
}

function commits(id: number, who: string, at: string): string {
  const one = {
    Sha1: id.toString(16).padStart(8, 'a').repeat(5),
    Message: "Merge pull request 'Keep order when two events share a second' (#4) from feat into main\n",
    AuthorEmail: `${who}@example.org`,
    AuthorName: who,
    CommitterEmail: `${who}@example.org`,
    CommitterName: who,
    Timestamp: at,
  };
  return JSON.stringify({
    Commits: [one, one],
    HeadCommit: one,
    CompareURL: 'acme/web/compare/194fbaec...aec743d4',
    Len: 2,
  });
}

export function repository(): object {
  return {
    id: 1,
    owner: user(6, 'acme'),
    name: 'web',
    full_name: 'acme/web',
    description: 'the web',
    ...flags(['empty', 'private', 'fork', 'template', 'mirror', 'archived', 'internal', 'allow_manual_merge'], false),
    ...flags(['autodetect_manual_merge', 'default_delete_branch_after_merge', 'ignore_whitespace_conflicts'], false),
    ...flags(['has_code', 'has_issues', 'has_wiki', 'has_pull_requests', 'has_projects', 'has_releases'], true),
    ...flags(['has_packages', 'has_actions', 'allow_merge_commits', 'allow_rebase', 'allow_rebase_explicit'], true),
    ...flags(
      ['allow_squash_merge', 'allow_fast_forward_only_merge', 'allow_merge_update', 'allow_rebase_update'],
      true,
    ),
    default_allow_maintainer_edit: true,
    size: 27,
    language: '',
    languages_url: `${forge}/api/v1/repos/acme/web/languages`,
    html_url: `${forge}/acme/web`,
    url: `${forge}/api/v1/repos/acme/web`,
    link: '',
    ssh_url: 'git@forge.example:acme/web.git',
    clone_url: `${forge}/acme/web.git`,
    original_url: '',
    website: '',
    stars_count: 0,
    forks_count: 0,
    watchers_count: 3,
    branch_count: 2,
    open_issues_count: 2,
    open_pr_counter: 0,
    release_counter: 0,
    default_branch: 'main',
    created_at: '2026-05-15T01:47:36Z',
    updated_at: '2026-08-22T01:47:43Z',
    archived_at: '1970-01-01T00:00:00Z',
    permissions: { admin: true, push: true, pull: true },
    internal_tracker: {
      enable_time_tracker: true,
      allow_only_contributors_to_track_time: true,
      enable_issue_dependencies: true,
    },
    projects_mode: 'all',
    default_merge_style: 'merge',
    default_update_style: 'merge',
    avatar_url: '',
    mirror_interval: '',
    object_format_name: 'sha1',
    mirror_updated: '0001-01-01T00:00:00Z',
    mirror_last_sync_at: '0001-01-01T00:00:00Z',
    topics: [],
    licenses: [],
  };
}

function flags(names: readonly string[], value: boolean): Record<string, boolean> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
