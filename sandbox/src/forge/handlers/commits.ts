import { history, resolve } from '../acts/commits.js';
import { type Answer, invalid, notFound, ok, refuse } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { linkHeader, windowOf } from '../http/paging.js';
import { badTime, parseTime, type Query } from '../http/query.js';
import { commitJson } from '../render/commits.js';
import type { Commit, Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';

/** With a path the server always uses its own page size. */
const rangeSize = 50;

function timeOf(query: Query, name: string): number | undefined {
  const text = query.text(name);
  if (text === undefined) return undefined;
  const seconds = parseTime(text);
  if (seconds === undefined) throw invalid(badTime(text));
  return seconds;
}

function under(commit: Commit, path: string): boolean {
  return commit.files.some((file) => file.filename === path || file.filename.startsWith(`${path}/`));
}

/** As git reads it: in full, or else a tag before a branch. */
function headOf(repo: Repo, name: string): Commit | undefined {
  const [, kind, short = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
  if (kind === undefined) return resolve(repo, repo.tags.get(name) ?? name);
  return repo.commits.get((kind === 'heads' ? repo.branches : repo.tags).get(short) ?? '');
}

function select(repo: Repo, query: Query, knowsTimes: boolean): Commit[] {
  const sha = query.text('sha') ?? repo.defaultBranch;
  const head = headOf(repo, sha);
  if (head === undefined) throw notFound(`object does not exist [id: ${sha}, rel_path: ]`);
  const since = (knowsTimes ? timeOf(query, 'since') : undefined) ?? 0;
  const until = (knowsTimes ? timeOf(query, 'until') : undefined) ?? Number.POSITIVE_INFINITY;
  const not = query.text('not');
  const excluded = new Set(
    not === undefined ? [] : history(repo, resolve(repo, not)?.sha ?? '').map((commit) => commit.sha),
  );
  const path = query.text('path');
  const found = history(repo, head.sha).filter(
    (commit) =>
      commit.at >= since &&
      commit.at <= until &&
      !excluded.has(commit.sha) &&
      (path === undefined || under(commit, path)),
  );
  if (path !== undefined && found.length === 0) throw notFound(`object does not exist [id: , rel_path: ${path}]`);
  return found;
}

export function listCommits(call: Pick<Call, 'state' | 'view' | 'query' | 'path'>, repo: Repo): Answer {
  const { query, view } = call;
  if (repo.commits.size === 0) throw refuse(409, 'Git Repository is empty.');
  const all = select(repo, query, !isForgejo(call.state.site));
  const { page, size } = windowOf(call);
  const real = query.text('path') === undefined ? size : rangeSize;
  const pages = Math.max(1, Math.ceil(all.length / size));
  const parts = {
    stat: query.flag('stat') ?? true,
    verification: query.flag('verification') ?? true,
    files: query.flag('files') ?? true,
  };
  const link = linkHeader(call, all.length, size);
  return ok(
    all.slice((page - 1) * real, page * real).map((commit) => commitJson(view, repo, commit, parts)),
    {
      'x-page': String(page),
      'x-perpage': String(size),
      'x-total': String(all.length),
      'x-total-count': String(all.length),
      'x-pagecount': String(pages),
      'x-hasmore': String(page < pages),
      ...(link === '' ? {} : { link }),
    },
  );
}
