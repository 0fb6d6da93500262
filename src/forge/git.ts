import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { bearer, type Credential } from './credential.js';
import { workflowFolders } from './product.js';

/** The first with `merge-tree --write-tree`. */
export const oldestGit = '2.38';
const longestMs = 10 * 60_000;
/** Older copies are made anew, larger ones too. */
const oldestMs = 7 * 86_400_000;
const mostKiB = 1024 * 1024;

/**
 * `refused`: the forge does not let this account read or push. `rejected`: a rule there refuses the branch. `unwritable`: there is
 * no place for a copy.
 */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly kind: 'refused' | 'rejected' | 'unwritable' | 'failed';

  constructor(kind: GitError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

interface Where {
  readonly credential: Credential;
  /** The repository's id: copies are kept by it. */
  readonly id: number;
  readonly owner: string;
  readonly repo: string;
}

interface Stack extends Where {
  readonly base: { readonly branch: string; readonly commit: string };
  /** In order, each on top of those before it. */
  readonly pulls: readonly { readonly index: number; readonly head: string }[];
  /** The same for the same stack, so that a repeated one is the same commit. */
  readonly at: number;
}

export type Stacked =
  /** The base is elsewhere, or the server does not offer these heads to git yet. */
  | { readonly state: 'moved' }
  | { readonly state: 'lagging'; readonly index: number }
  | {
      readonly state: 'made';
      /** Without those that conflict with the base or with one before them. */
      readonly made: readonly {
        readonly index: number;
        readonly commit: string;
        readonly changesWorkflows: boolean;
      }[];
    };

interface GitOptions {
  readonly root: string;
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
}

interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs git for the merge queue, in a bare copy without file contents, hooks, submodules or anyone's settings; only with the forge. */
export function createGit({ root, ca, proxy }: GitOptions) {
  const folder = join(tmpdir(), `bellows-git-${process.getuid?.() ?? 0}`);
  const copyOf = (id: number) =>
    join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 16)}-${id}.git`);

  async function headerOf(credential: Credential): Promise<string> {
    // git is only served to Basic
    const known =
      credential.kind === 'renewed' ? ({ kind: 'token', token: await credential.token() } as const) : credential;
    return bearer(known).plain['authorization'] ?? '';
  }

  /** The credential is in the environment only: not in arguments, files or messages. */
  async function run(where: Where, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const url = `${root}/${encodeURIComponent(where.owner)}/${encodeURIComponent(where.repo)}.git`;
    const header = await headerOf(where.credential);
    const settings: readonly (readonly [string, string])[] = [
      ['remote.forge.url', url],
      ['remote.forge.promisor', 'true'],
      ['remote.forge.partialCloneFilter', 'blob:none'],
      ['core.hooksPath', devNull],
      ['credential.helper', ''],
      ['http.followRedirects', 'false'],
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      ...(header === '' ? [] : [[`http.${url}.extraHeader`, `Authorization: ${header}`] as const]),
      ...(proxy === undefined ? [] : [['http.proxy', proxy] as const]),
      ...(ca === undefined ? [] : [['http.sslCAInfo', join(folder, 'ca.pem')] as const]),
    ];
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'http:https',
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([key, value], nth) => [
          [`GIT_CONFIG_KEY_${nth}`, key],
          [`GIT_CONFIG_VALUE_${nth}`, value],
        ]),
      ),
      ...more,
    };
    return execute(['--git-dir', copyOf(where.id), ...args], env);
  }

  async function must(where: Where, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const done = await run(where, args, more);
    if (done.code !== 0) throw failureOf(args[0] ?? '', done);
    return done.out.trim();
  }

  /** Nobody else's folder, and nothing that is too old. */
  async function prepareFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid))
      throw new GitError('unwritable', `${folder} belongs to someone else`);
    for (const name of await readdir(folder)) {
      const made = await stat(join(folder, name, 'HEAD')).catch(() => undefined);
      if (made && Date.now() - made.mtimeMs > oldestMs) await rm(join(folder, name), { recursive: true, force: true });
    }
    if (ca !== undefined) await writeFile(join(folder, 'ca.pem'), [...rootCertificates, ca].join('\n'));
  }

  async function prepare(where: Where): Promise<void> {
    await prepareFolder().catch((error: NodeJS.ErrnoException) => {
      throw error instanceof GitError ? error : new GitError('unwritable', `${folder} (${error.code ?? error.name})`);
    });
    await must(where, ['init', '--quiet', '--bare', '--template=', '--initial-branch=none']);
  }

  async function forgetIfLarge(where: Where): Promise<void> {
    const { out } = await run(where, ['count-objects', '-v']);
    const sizes = [...out.matchAll(/^size(?:-pack)?: (\d+)$/gm)].map(([, size]) => Number(size));
    if (sizes.reduce((sum, size) => sum + size, 0) > mostKiB)
      await rm(copyOf(where.id), { recursive: true, force: true });
  }

  async function stackOn(of: Stack): Promise<Stacked> {
    const { base, pulls, at } = of;
    const refs = [
      `+refs/heads/${base.branch}:refs/queue/heads/${base.branch}`,
      ...pulls.map(({ index }) => `+refs/pull/${index}/head:refs/queue/pull/${index}`),
    ];
    await must(of, [
      ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--filter=blob:none'],
      ...['forge', ...refs],
    ]);
    const listed = await must(of, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/queue']);
    const present = new Map(listed.split('\n').map((row) => [row.slice(0, -41), row.slice(-40)]));
    if (present.get(`refs/queue/heads/${base.branch}`) !== base.commit) return { state: 'moved' };
    const late = pulls.find(({ index, head }) => present.get(`refs/queue/pull/${index}`) !== head);
    if (late) return { state: 'lagging', index: late.index };
    const who = { NAME: 'Bellows', EMAIL: 'bellows@localhost', DATE: `${Math.floor(at / 1_000)} +0000` };
    const identity = Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    );
    const made: { index: number; commit: string; changesWorkflows: boolean }[] = [];
    let tip = base.commit;
    for (const { index, head } of pulls) {
      const merged = await run(of, ['merge-tree', '--write-tree', '--no-messages', tip, head]);
      if (merged.code === 1) continue;
      if (merged.code !== 0) throw failureOf('merge-tree', merged);
      const tree = merged.out.trim();
      const touched = await must(of, [
        ...['diff-tree', '-r', '--name-only', '--no-renames', `${tip}^{tree}`, tree],
        ...['--', ...workflowFolders],
      ]);
      const said = `Test #${index} on ${base.branch}`;
      tip = await must(of, ['commit-tree', tree, '-p', tip, '-p', head, '-m', said], identity);
      made.push({ index, commit: tip, changesWorkflows: touched !== '' });
    }
    return { state: 'made', made };
  }

  return {
    /** Undefined if it is missing or too old. */
    async version(): Promise<string | undefined> {
      const { out } = await execute(['--version'], { PATH: process.env['PATH'] }).catch(() => ({ out: '' }));
      const [, found = '', major = '0', minor = '0'] = /((\d+)\.(\d+)\S*)/.exec(out) ?? [];
      const [needMajor = 0, needMinor = 0] = oldestGit.split('.').map(Number);
      const isEnough = Number(major) > needMajor || (Number(major) === needMajor && Number(minor) >= needMinor);
      return isEnough ? found : undefined;
    },

    /** The commits to test, of exactly these heads on exactly this base. Nothing on the forge changes. */
    async stack(of: Stack): Promise<Stacked> {
      await prepare(of);
      return stackOn(of);
    },

    /** Whether this worker's copy has it: another worker may have made it, or the copy may be gone. */
    async has(where: Where, commit: string): Promise<boolean> {
      // the forge is not asked for what it never got
      const local = { GIT_NO_LAZY_FETCH: '1' };
      return (await run(where, ['cat-file', '-e', `${commit}^{commit}`], local)).code === 0;
    },

    /** Also if it is there already, by a push whose answer was lost. */
    async push(where: Where, commit: string, branch: string): Promise<void> {
      const ref = `refs/heads/${branch}`;
      const done = await run(where, ['push', '--porcelain', '--no-verify', 'forge', `${commit}:${ref}`]);
      if (done.code !== 0 && !(await must(where, ['ls-remote', 'forge', ref])).startsWith(commit)) {
        const reason = /^!\t[^\t]*\t(.*)$/m.exec(done.out)?.[1];
        throw reason === undefined ? failureOf('push', done) : new GitError('rejected', reason.slice(0, 200));
      }
      await forgetIfLarge(where);
    },
  };
}

export type Git = ReturnType<typeof createGit>;

function execute(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Done> {
  return new Promise((resolve, reject) => {
    execFile('git', args, { env, timeout: longestMs, maxBuffer: 16_000_000 }, (error, out, err) => {
      if (!error) resolve({ code: 0, out, err });
      else if (typeof error.code === 'number') resolve({ code: error.code, out, err });
      else reject(new GitError('failed', `git ${error.code === 'ENOENT' ? 'is not installed' : 'was stopped'}`));
    });
  });
}

/** Only the status and its first words: an address may be in the rest. */
function failureOf(command: string, { code, err }: Done): GitError {
  const status = /returned error: (\d{3})/.exec(err)?.[1] ?? (/Authentication failed/.test(err) ? '401' : undefined);
  const isRefused = status !== undefined && ['401', '403', '404'].includes(status);
  const said = /^(?:fatal|error|remote): (.*)$/m.exec(err)?.[1]?.replaceAll(/https?:\/\/\S+/g, 'the forge') ?? '';
  const why = status === undefined ? said.slice(0, 200) : `the forge answered ${status}`;
  return new GitError(isRefused ? 'refused' : 'failed', `git ${command} failed (${code}): ${why}`);
}
