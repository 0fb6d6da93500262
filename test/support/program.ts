import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** It looks for its own files beside itself, and few commands need it. */
const outside = ['@bull-board/api', '@bull-board/hono'];

/** What packages that are no ES modules expect. */
const banner = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

/** The product as one program with its packages: half of a start was loading them file by file; `remove` deletes its folder. */
export async function buildProgram(): Promise<{ readonly command: readonly string[]; remove(): Promise<void> }> {
  const folder = resolve('node_modules', '.cache', `bellows-${process.pid}`);
  const outdir = join(folder, 'dist');
  await mkdir(outdir, { recursive: true });
  await copyFile('package.json', join(folder, 'package.json'));
  await build({
    entryPoints: ['src/cli.ts'],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: outside,
    banner: { js: banner },
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'error',
  });
  return { command: [join(outdir, 'cli.js')], remove: () => rm(folder, { recursive: true, force: true }) };
}

const variable = 'BELLOWS_TEST_PROGRAM';

/** Built once for all tests of a run, which find it by its variable. */
export async function setup(): Promise<() => Promise<void>> {
  const { command, remove } = await buildProgram();
  process.env[variable] = command.join('\n');
  return remove;
}

/** The arguments for `node`. */
export function program(): readonly string[] {
  const found = process.env[variable];
  if (found === undefined) throw new Error(`${variable} is set by the suite's global setup only.`);
  return found.split('\n');
}
