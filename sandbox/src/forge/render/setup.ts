import { createHash } from 'node:crypto';
import type { WorkflowFile } from '../acts/files.js';
import { type Commit, fullName, type Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import { apiUrl, type Json, never, stamp, type View } from './view.js';

export const watchJson = (view: View, repo: Repo): Json => ({
  subscribed: true,
  ignored: false,
  reason: null,
  created_at: stamp(view, repo.created),
  url: `${apiUrl(view)}/repos/${fullName(repo)}/subscription`,
  repository_url: `${apiUrl(view)}/repos/${fullName(repo)}`,
});

interface File {
  readonly path: string;
  readonly branch: string;
  readonly content: string;
  readonly commit: Commit;
}

function dates({ state: { site } }: View, at: string): Json {
  if (isForgejo(site)) return isForgejo(site, 15) ? { last_commit_when: at } : {};
  const since27 = site.flavor === 'gitea-1.26' ? {} : { mode: '100644' };
  return { last_committer_date: at, last_author_date: at, ...since27 };
}

export function workflowJson(
  view: View,
  repo: Repo,
  { file, path }: WorkflowFile,
  name: string,
  disabled: boolean,
): Json {
  const web = `${view.state.site.url}/${fullName(repo)}`;
  const at = stamp(view, repo.created);
  return {
    id: file,
    name,
    path,
    state: disabled ? 'disabled_manually' : 'active',
    created_at: at,
    updated_at: at,
    url: `${apiUrl(view)}/repos/${fullName(repo)}/actions/workflows/${file}`,
    html_url: `${web}/src/branch/${repo.defaultBranch}/${path}`,
    badge_url: `${web}/actions/workflows/${file}/badge.svg?branch=${repo.defaultBranch}`,
  };
}

/** One file, as returned by reading and writing it. */
export function fileJson(view: View, repo: Repo, file: File): Json {
  const { path, branch, commit } = file;
  const api = `${apiUrl(view)}/repos/${fullName(repo)}`;
  const web = `${view.state.site.url}/${fullName(repo)}`;
  const bytes = Buffer.from(file.content, 'base64');
  const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const self = `${api}/contents/${path}?ref=${branch}`;
  const html = `${web}/src/branch/${branch}/${path}`;
  const git = `${api}/git/blobs/${sha}`;
  const at = stamp(view, commit.at);
  return {
    name: path.split('/').at(-1),
    path,
    sha,
    last_commit_sha: commit.sha,
    ...dates(view, at),
    type: 'file',
    size: bytes.length,
    encoding: 'base64',
    content: file.content,
    target: null,
    url: self,
    html_url: html,
    git_url: git,
    download_url: `${web}/raw/branch/${branch}/${path}`,
    submodule_git_url: null,
    _links: { self, git, html },
  };
}

export function contentsJson(view: View, repo: Repo, file: File): Json {
  const { commit } = file;
  const api = `${apiUrl(view)}/repos/${fullName(repo)}`;
  const web = `${view.state.site.url}/${fullName(repo)}`;
  const at = stamp(view, commit.at);
  const person = { name: commit.author.fullName || commit.author.login, email: commit.author.email, date: at };
  const pointer = (kind: string, of: string): Json => ({ url: `${api}/git/${kind}/${of}`, sha: of, created: never });
  return {
    content: fileJson(view, repo, file),
    commit: {
      ...pointer('commits', commit.sha),
      html_url: `${web}/commit/${commit.sha}`,
      author: person,
      committer: person,
      parents: commit.parents.map((parent) => pointer('commits', parent)),
      message: commit.message,
      tree: pointer('trees', commit.sha),
    },
    verification: {
      verified: false,
      reason: 'gpg.error.not_signed_commit',
      signature: '',
      signer: null,
      payload: '',
    },
  };
}
