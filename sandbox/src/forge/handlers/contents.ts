import { history, resolve } from '../acts/commits.js';
import { hasFolder, keepText, textAt } from '../acts/files.js';
import { push } from '../acts/git.js';
import { issueTemplates, takesBlank } from '../acts/templates.js';
import { learnWorkflow, triggerWorkflows } from '../acts/workflows.js';
import { notFound, ok } from '../http/answer.js';
import type { Body } from '../http/body.js';
import type { Handlers } from '../http/call.js';
import { may, repoOf } from '../http/guard.js';
import { fileJson } from '../render/setup.js';
import type { User } from '../state/people.js';
import type { Commit, Repo } from '../state/repo.js';
import type { State } from '../state/state.js';

export interface Written {
  readonly path: string;
  readonly branch: string;
  readonly content: string;
  readonly commit: Commit;
}

/** A file written by the API is a push like any other; a workflow file starts runs from then on. */
export function writeFile(state: State, user: User, repo: Repo, path: string, body: Body): Written {
  const content = body.requiredText('content');
  const start = body.text('branch') || repo.defaultBranch;
  const branch = body.text('new_branch') || start;
  const message = body.text('message') || `Add ${path}`;
  const text = Buffer.from(content, 'base64').toString('utf8');
  const [, file] = /^\.(?:gitea|forgejo|github)\/workflows\/([^/]+)$/.exec(path) ?? [];
  if (file !== undefined) learnWorkflow(repo, file, text);
  const [commit] = push(state, user, repo, { branch, from: start, commits: [{ message, files: [path] }] });
  if (commit === undefined) throw notFound();
  keepText(repo, path, text, commit);
  triggerWorkflows(state, user, repo, 'push', branch, commit);
  return { path, branch, content, commit };
}

/** What a push only named: a line for each commit that changed it. */
function messagesOf(repo: Repo, { sha }: Commit, path: string): string | undefined {
  const made = history(repo, sha).filter(({ files }) => files.some(({ filename }) => filename === path));
  return made.length === 0
    ? undefined
    : made
        .reverse()
        .map(({ message }) => message)
        .join('');
}

/** By branch, tag or commit, where newer servers prefer a tag to a branch; a folder is a list of its files. */
export const readFile: Handlers['repos']['getFile'] = (call) => {
  const repo = repoOf(call);
  if (!may(call, repo, 'code', 'read')) throw notFound();
  const branch = call.query.text('ref') || repo.defaultBranch;
  const [, kind, whole = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(branch) ?? [];
  const tagged = call.state.site.flavor === 'gitea-1.26' ? undefined : repo.tags.get(branch);
  const named = kind === undefined ? (tagged ?? branch) : (kind === 'heads' ? repo.branches : repo.tags).get(whole);
  const commit = resolve(repo, named ?? '');
  const path = call.params.filepath;
  if (commit && hasFolder(repo, commit, path)) {
    const within = [...repo.texts.keys()].filter((each) => each.startsWith(`${path}/`));
    return ok(within.map((each) => ({ name: each.slice(path.length + 1), path: each, type: 'file', content: null })));
  }
  const text = commit && (textAt(repo, commit, path) ?? messagesOf(repo, commit, path));
  if (commit === undefined || text === undefined) throw notFound(`object does not exist [id: , rel_path: ${path}]`);
  const content = Buffer.from(text).toString('base64');
  return ok(fileJson(call.view, repo, { path, branch, content, commit }));
};

/** Of the default branch. */
export const listTemplates: Handlers['repos']['listIssueTemplates'] = (call) => {
  const repo = repoOf(call);
  if (!may(call, repo, 'code', 'read')) throw notFound();
  const commit = resolve(repo, repo.defaultBranch);
  return ok(commit ? issueTemplates(call.state, repo, commit) : []);
};

/** Also from the default branch. */
export const readIssueConfig: Handlers['repos']['getIssueConfig'] = (call) => {
  const repo = repoOf(call);
  if (!may(call, repo, 'code', 'read')) throw notFound();
  const commit = resolve(repo, repo.defaultBranch);
  return ok({ blank_issues_enabled: !commit || takesBlank(call.state, repo, commit), contact_links: [] });
};
