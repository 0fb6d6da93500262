import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The sandbox is TypeScript, which the program cannot load by itself; everything else stays where npm put it. */
const withSandbox: Plugin = {
  name: 'with-sandbox',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path === '@bellows/sandbox' ? undefined : { path, external: true },
    );
  },
};

/** The product as one program that starts quickly; `remove` deletes its folder. */
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
    plugins: [withSandbox],
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
