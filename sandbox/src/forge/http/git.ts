import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { filesAt, treeOf } from '../acts/commits.js';
import { receive } from '../acts/git.js';
import { deleteBranch } from '../acts/refs.js';
import { access, atLeast, canSee } from '../state/access.js';
import { findRepo } from '../state/find.js';
import type { User } from '../state/people.js';
import type { Repo } from '../state/repo.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import { Refusal } from './answer.js';
import { authenticate } from './auth.js';
import type { Faults } from './faults.js';
import type { Requests } from './requests.js';
import { missingScope } from './scopes.js';
import { find } from './trouble.js';

const route = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

const config = `[core]
	repositoryformatversion = 0
	bare = true
[http]
	receivepack = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	autogc = false
[gc]
	auto = 0
`;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
}

/** Repositories as `git` sees them over HTTP: files made from the state before each request, and read again after a push. */
export function createGitDoor(state: State, faults: Faults, requests: Requests) {
  let root: string | undefined;
  const written = new Set<string>();
  const busy = new Map<number, Promise<unknown>>();

  const git = (dir: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', env: { PATH: process.env['PATH'] } });

  function put(dir: string, id: string, type: string, body: Buffer): void {
    const folder = join(dir, 'objects', id.slice(0, 2));
    const file = join(folder, id.slice(2));
    if (existsSync(file)) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])));
  }

  function lay(repo: Repo): string {
    root ??= mkdtempSync(join(tmpdir(), 'sandbox-forge-'));
    const dir = join(root, `${repo.id}.git`);
    mkdirSync(join(dir, 'objects'), { recursive: true });
    writeFileSync(join(dir, 'config'), config);
    writeFileSync(join(dir, 'HEAD'), `ref: refs/heads/${repo.defaultBranch}\n`);
    for (const { sha, raw } of repo.commits.values()) {
      if (raw === undefined || written.has(`${repo.id} ${sha}`)) continue;
      const { objects } = treeOf(filesAt(repo, [sha]));
      for (const [id, { type, body }] of objects) put(dir, id, type, body);
      put(dir, sha, 'commit', Buffer.from(raw));
      written.add(`${repo.id} ${sha}`);
    }
    const refs = [
      ...[...repo.branches].map(([name, sha]) => [`refs/heads/${name}`, sha] as const),
      ...[...repo.tags].map(([name, sha]) => [`refs/tags/${name}`, sha] as const),
      ...[...repo.issues.values()].flatMap(({ index, pull }) =>
        pull ? [[`refs/pull/${index}/head`, pull.laggingRef ?? pull.headSha] as const] : [],
      ),
    ].sort(([a], [b]) => (a < b ? -1 : 1));
    rmSync(join(dir, 'refs'), { recursive: true, force: true });
    mkdirSync(join(dir, 'refs', 'heads'), { recursive: true });
    const packed = refs.map(([name, sha]) => `${sha} ${name}\n`).join('');
    writeFileSync(join(dir, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${packed}`);
    return dir;
  }

  /** Branches as they are after a push. */
  function take(dir: string, repo: Repo, user: User): void {
    const rows = git(dir, 'for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', 'refs/heads').split('\n');
    const present = new Map(rows.filter(Boolean).map((row) => [row.slice(41), row.slice(0, 40)]));
    for (const name of repo.branches.keys()) if (!present.has(name)) deleteBranch(state, user, repo, name);
    for (const [branch, sha] of present) {
      if (repo.branches.get(branch) === sha) continue;
      const unknown = git(dir, 'rev-list', '--topo-order', '--reverse', sha).split('\n');
      const fresh = unknown.filter((id) => id !== '' && !repo.commits.has(id));
      receive(
        state,
        user,
        repo,
        branch,
        sha,
        fresh.map((id) => ({ sha: id, raw: git(dir, 'cat-file', 'commit', id) })),
      );
      for (const id of fresh) written.add(`${repo.id} ${id}`);
    }
  }

  function admit({ method, path, headers }: Asked, owner: string, name: string, writes: boolean) {
    const { user, token } = authenticate(state, headers, undefined);
    const repo = findRepo(state, owner, name);
    if (!user && (writes || !repo || !canSee(state, undefined, repo))) throw new Refusal(401, 'Unauthorized');
    if (!repo || !canSee(state, user, repo)) throw new Refusal(404, 'Repository not found');
    const level = writes ? 'POST' : 'GET';
    const lacking = token && missingScope(token.scopes, level, '/repos/a/b', !isForgejo(state.site));
    if (lacking) throw new Refusal(403, lacking);
    if (!atLeast(access(state, user, repo, 'code'), writes ? 'write' : 'read'))
      throw new Refusal(403, `User permission denied for ${writes ? 'writing' : 'reading'}.`);
    if (writes && repo.archivedAt !== undefined) throw new Refusal(403, `This repo is archived. ${method} ${path}`);
    return { user, repo };
  }

  function answer(dir: string, asked: Asked, service: string): Promise<{ status: number; head: string; body: Buffer }> {
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: dir,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: `/${service}`,
        QUERY_STRING: asked.search,
        REQUEST_METHOD: asked.method,
        CONTENT_TYPE: asked.headers['content-type'] ?? '',
        CONTENT_LENGTH: String(asked.raw.length),
        HTTP_CONTENT_ENCODING: asked.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(asked.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'sandbox',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => {});
    child.stdin.end(asked.raw);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        const head = all.subarray(0, end).toString();
        resolve({ status: Number(/^Status: (\d+)/m.exec(head)?.[1] ?? 200), head, body: all.subarray(end + 4) });
      });
    });
  }

  async function serve(asked: Asked, response: ServerResponse): Promise<boolean> {
    const [, owner = '', name = '', service = ''] = route.exec(asked.path) ?? [];
    if (owner === '' || !state.site.git) return false;
    const writes = `${service}${asked.search}`.includes('git-receive-pack');
    const line = `${asked.method} ${asked.path}`;
    const note = (status: number, who?: string) =>
      requests.add({
        ...{ at: state.now(), who, method: asked.method, path: asked.path, route: undefined },
        ...{ query: {}, body: undefined, status },
      });
    const troubles = faults.hit(undefined, line);
    requests.arrive(line);
    await sleep(find(troubles, (each) => ('delay' in each ? each.delay : undefined)) ?? 0);
    const drop = find(troubles, (each) => ('drop' in each ? each.drop : undefined));
    const refused = find(troubles, (each) => ('status' in each ? each.status : undefined));
    try {
      if (drop === 'before') throw new Refusal(0, '');
      if (refused !== undefined) throw new Refusal(refused, '');
      const { user, repo } = admit(asked, owner, name, writes);
      const before = busy.get(repo.id) ?? Promise.resolve();
      const work = before.then(async () => {
        const dir = lay(repo);
        const made = await answer(dir, asked, service);
        if (user && service === 'git-receive-pack') take(dir, repo, user);
        return made;
      });
      busy.set(
        repo.id,
        work.catch(() => {}),
      );
      const { status, head, body } = await work;
      const stall = find(troubles, (each) => ('stall' in each ? each.stall : undefined));
      if (drop === 'after' || stall !== undefined) {
        await sleep(stall ?? 0);
        throw new Refusal(0, '');
      }
      note(status, user?.login);
      const type = /^Content-Type: (.+)$/m.exec(head)?.[1]?.trim() ?? 'text/plain';
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache', 'content-length': body.length });
      response.end(body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      note(error.status);
      if (error.status === 0) response.destroy();
      else {
        const headers = error.status === 401 ? { 'www-authenticate': 'Basic realm="Gitea"' } : {};
        response.writeHead(error.status, { 'content-type': 'text/plain', ...headers });
        response.end(error.message);
      }
    }
    return true;
  }

  return {
    serve,
    close: () => {
      if (root !== undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}
