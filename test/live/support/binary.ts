import { execFile } from 'node:child_process';
import { access, cp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const version = '1.26.0';
const module = `code.gitea.io/gitea@v${version}`;

export interface Binary {
  readonly path: string;
  /** Templates and options, if the binary does not contain them. */
  readonly staticRoot: string | undefined;
}

/** Why there is no server to test on, for the person who ran the tests. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

export async function findBinary(env: NodeJS.ProcessEnv = process.env): Promise<Binary> {
  const given = env['GITEA_BIN'];
  if (given) return beside(given);
  const folder = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'bellows', `gitea-${version}`);
  const built = join(folder, 'gitea');
  if (!(await exists(built))) await build(folder, env);
  return beside(built);
}

async function beside(path: string): Promise<Binary> {
  if (!(await exists(path))) throw new NoServer(`GITEA_BIN names no file: ${path}`);
  const source = join(dirname(path), 'source');
  return { path, staticRoot: (await exists(join(source, 'templates'))) ? source : undefined };
}

async function build(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await requireTools();
  console.log(`Building Gitea ${version} into ${folder}: some minutes, once.`);
  // built in a temporary folder and moved at the end: an interrupted build is never mistaken for a server
  const aside = `${folder}-${process.pid}`;
  const source = join(aside, 'source');
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: '/' });
    const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout));
    await cp(Dir, source, { recursive: true });
    // the module cache is read-only, and so is its copy
    await run('chmod', ['-R', 'u+w', source]);
    const flags = ['-tags', 'sqlite sqlite_unlock_notify', '-ldflags', `-s -w -X main.Version=${version}`];
    // without optimizing it builds in half the time; what hashes tokens must stay fast
    const plain = ['-gcflags', 'all=-N -l -dwarf=false'];
    const fast = ['std', 'golang.org/x/crypto/...'].flatMap((name) => ['-gcflags', `${name}=-dwarf=false`]);
    await run('go', ['build', ...flags, ...plain, ...fast, '-o', join(aside, 'gitea'), '.'], {
      cwd: source,
      env: { ...env, CGO_ENABLED: '1', CGO_CFLAGS: '-O1' },
      maxBuffer: 64_000_000,
    });
    await rm(folder, { recursive: true, force: true });
    await rename(aside, folder);
  } catch (problem) {
    const words = problem instanceof Error ? problem.message.slice(0, 2000) : String(problem);
    throw new NoServer(`Gitea ${version} could not be built: ${words}`);
  }
}

async function requireTools(): Promise<void> {
  const go = await run('go', ['env', 'GOVERSION']).catch(() => undefined);
  if (!go) throw new NoServer('there is no Go toolchain (1.26.2 or later) to build Gitea with');
  const [major = 0, minor = 0, patch = 0] = (go.stdout.match(/\d+/g) ?? []).map(Number);
  const enough = major > 1 || (major === 1 && (minor > 26 || (minor === 26 && patch >= 2)));
  if (!enough) throw new NoServer(`Gitea ${version} needs Go 1.26.2 or later; this is ${go.stdout.trim()}`);
  const [cc, git] = await Promise.all([
    run('go', ['env', 'CC'])
      .then(
        ({ stdout }) => run(stdout.trim(), ['--version']),
        () => undefined,
      )
      .catch(() => undefined),
    run('git', ['--version']).catch(() => undefined),
  ]);
  if (!cc) throw new NoServer('there is no C compiler to build Gitea with');
  if (!git) throw new NoServer('there is no git, which Gitea needs');
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
