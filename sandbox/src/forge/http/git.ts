import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, gunzipSync, inflateSync } from 'node:zlib';
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
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	autogc = false
	unpackLimit = 1000000
[gc]
	auto = 0
`;

type Refs = readonly (readonly [name: string, sha: string])[];
type GitObject = ReturnType<typeof treeOf>['objects'] extends ReadonlyMap<string, infer Each> ? Each : never;

const types: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3 };
const pushing =
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta object-format=sha1 agent=git/sandbox';
const fetching = [
  ...['version 2', 'agent=git/sandbox', 'ls-refs=unborn', 'fetch=shallow wait-for-done filter'],
  ...['server-option', 'object-format=sha1'],
];

/** As git frames a line. */
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const sha1 = (of: Buffer) => createHash('sha1').update(of).digest();

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
  /** What refs are in each folder. */
  const laid = new Map<number, string>();
  const busy = new Map<number, Promise<unknown>>();

  /** One file for many objects, and where each one is in it, as git keeps them. */
  function pack(dir: string, objects: ReadonlyMap<string, GitObject>): void {
    const head = Buffer.alloc(12);
    head.write('PACK');
    head.writeUInt32BE(2, 4);
    head.writeUInt32BE(objects.size, 8);
    const parts = [head];
    const places: { readonly id: string; readonly offset: number }[] = [];
    let offset = head.length;
    for (const [id, { type, body }] of objects) {
      const size = [((types[type] ?? 0) << 4) | (body.length & 15)];
      for (let rest = body.length >> 4; rest > 0; rest >>= 7) {
        size.push((size.pop() ?? 0) | 128);
        size.push(rest & 127);
      }
      const part = Buffer.concat([Buffer.from(size), deflateSync(body)]);
      places.push({ id, offset });
      parts.push(part);
      offset += part.length;
    }
    const signed = (all: readonly Buffer[]) => Buffer.concat([...all, sha1(Buffer.concat(all))]);
    const whole = signed(parts);
    const index = Buffer.alloc(1024 + 24 * places.length);
    places.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (let first = 0; first < 256; first += 1)
      index.writeUInt32BE(places.filter(({ id }) => Number.parseInt(id.slice(0, 2), 16) <= first).length, 4 * first);
    for (const [nth, { id, offset }] of places.entries()) {
      index.writeUInt32BE(offset, 1024 + 24 * nth);
      index.write(id, 1028 + 24 * nth, 'hex');
    }
    const name = join(dir, 'objects', 'pack', `pack-${sha1(whole).toString('hex')}`);
    writeFileSync(`${name}.pack`, whole);
    writeFileSync(`${name}.idx`, signed([index, whole.subarray(-20)]));
  }

  const refsOf = (repo: Repo): Refs =>
    [
      ...[...repo.branches].map(([name, sha]) => [`refs/heads/${name}`, sha] as const),
      ...[...repo.tags].map(([name, sha]) => [`refs/tags/${name}`, sha] as const),
      ...[...repo.issues.values()].flatMap(({ index, pull }) =>
        pull ? [[`refs/pull/${index}/head`, pull.laggingRef ?? pull.headSha] as const] : [],
      ),
    ].sort(([a], [b]) => (a < b ? -1 : 1));

  function lay(repo: Repo, refs: Refs): string {
    root ??= mkdtempSync(join(tmpdir(), 'sandbox-forge-'));
    const dir = join(root, `${repo.id}.git`);
    const fresh = new Map<string, GitObject>();
    const add = (id: string, object: GitObject) => {
      if (!written.has(`${repo.id} ${id}`)) fresh.set(id, object);
      written.add(`${repo.id} ${id}`);
    };
    for (const { sha, raw } of repo.commits.values()) {
      if (raw === undefined || written.has(`${repo.id} ${sha}`)) continue;
      for (const [id, object] of treeOf(filesAt(repo, [sha])).objects) add(id, object);
      add(sha, { type: 'commit', body: Buffer.from(raw) });
    }
    if (!laid.has(repo.id)) {
      mkdirSync(join(dir, 'objects', 'pack'), { recursive: true });
      writeFileSync(join(dir, 'config'), config);
    }
    if (fresh.size > 0) pack(dir, fresh);
    const head = `ref: refs/heads/${repo.defaultBranch}\n`;
    const packed = refs.map(([name, sha]) => `${sha} ${name}\n`).join('');
    if (laid.get(repo.id) === head + packed) return dir;
    rmSync(join(dir, 'refs'), { recursive: true, force: true });
    mkdirSync(join(dir, 'refs', 'heads'), { recursive: true });
    writeFileSync(join(dir, 'HEAD'), head);
    writeFileSync(join(dir, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${packed}`);
    laid.set(repo.id, head + packed);
    return dir;
  }

  /** Branches as they are after a push. */
  function take(dir: string, repo: Repo, user: User): void {
    laid.set(repo.id, '');
    const packed = readFileSync(join(dir, 'packed-refs'), 'utf8').matchAll(/^(.{40}) refs\/heads\/(.+)$/gm);
    const present = new Map([...packed].map(([, sha = '', name = '']) => [name, sha]));
    const heads = join(dir, 'refs', 'heads');
    for (const name of readdirSync(heads, { recursive: true, encoding: 'utf8' })) {
      const file = join(heads, name);
      if (statSync(file).isFile()) present.set(name, readFileSync(file, 'utf8').trim());
    }
    for (const name of repo.branches.keys()) if (!present.has(name)) deleteBranch(state, user, repo, name);
    for (const [branch, sha] of present) {
      if (repo.branches.get(branch) === sha) continue;
      const fresh = new Map<string, string>();
      const read = (id: string): void => {
        if (repo.commits.has(id) || fresh.has(id)) return;
        const object = inflateSync(readFileSync(join(dir, 'objects', id.slice(0, 2), id.slice(2)))).toString();
        const raw = object.slice(object.indexOf('\0') + 1);
        for (const [, parent = ''] of raw.matchAll(/^parent (.{40})$/gm)) read(parent);
        fresh.set(id, raw);
      };
      read(sha);
      receive(
        state,
        user,
        repo,
        branch,
        sha,
        [...fresh].map(([sha, raw]) => ({ sha, raw })),
      );
      for (const id of fresh.keys()) written.add(`${repo.id} ${id}`);
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

  /** What needs no content is said without git. */
  function said({ search, headers }: Asked, body: string, repo: Repo, refs: Refs): string | undefined {
    if (search.includes('git-receive-pack')) {
      const [first = ['capabilities^{}', '0'.repeat(40)], ...others] = refs;
      const rows = [`${first[1]} ${first[0]}\0${pushing}\n`, ...others.map(([name, sha]) => `${sha} ${name}\n`)];
      return `${line('# service=git-receive-pack\n')}0000${rows.map(line).join('')}0000`;
    }
    if (!String(headers['git-protocol']).includes('version=2')) return undefined;
    if (search.includes('git-upload-pack')) return `${fetching.map((each) => line(`${each}\n`)).join('')}0000`;
    if (!body.includes('command=ls-refs')) return undefined;
    const prefixes = [...body.matchAll(/ref-prefix (.+)\n/g)].map(([, prefix = '']) => prefix);
    const target = `refs/heads/${repo.defaultBranch}`;
    const head = refs.flatMap(([name, sha]) => (name === target ? [`${sha} HEAD symref-target:${target}\n`] : []));
    const rows = [...head, ...refs.map(([name, sha]) => `${sha} ${name}\n`)];
    const wanted = (row: string) => prefixes.length === 0 || prefixes.some((each) => row.startsWith(each, 41));
    return `${rows.filter(wanted).map(line).join('')}0000`;
  }

  function run(dir: string, { headers }: Asked, service: string, input: Buffer): Promise<Buffer> {
    const isAsked = service === 'info/refs';
    const name = isAsked ? 'upload-pack' : service.slice('git-'.length);
    const child = spawn('git', [name, '--stateless-rpc', ...(isAsked ? ['--http-backend-info-refs'] : []), dir], {
      env: { PATH: process.env['PATH'], GIT_PROTOCOL: String(headers['git-protocol'] ?? '') },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const chunks: Buffer[] = isAsked ? [Buffer.from(`${line('# service=git-upload-pack\n')}0000`)] : [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve(Buffer.concat(chunks)));
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
        const input = asked.headers['content-encoding'] === 'gzip' ? gunzipSync(asked.raw) : asked.raw;
        const refs = refsOf(repo);
        const known = said(asked, service === 'git-upload-pack' ? input.toString() : '', repo, refs);
        if (known !== undefined) return Buffer.from(known);
        const dir = lay(repo, refs);
        const made = await run(dir, asked, service, input);
        if (user && service === 'git-receive-pack') take(dir, repo, user);
        return made;
      });
      busy.set(
        repo.id,
        work.catch(() => {}),
      );
      const body = await work;
      const stall = find(troubles, (each) => ('stall' in each ? each.stall : undefined));
      if (drop === 'after' || stall !== undefined) {
        await sleep(stall ?? 0);
        throw new Refusal(0, '');
      }
      note(200, user?.login);
      const asks = service === 'info/refs' ? (writes ? 'git-receive-pack' : 'git-upload-pack') : service;
      const type = `application/x-${asks}-${service === 'info/refs' ? 'advertisement' : 'result'}`;
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache', 'content-length': body.length });
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
