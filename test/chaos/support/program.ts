import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The product as one program that starts quickly; the folder is removed by `remove`. */
export async function buildProgram(): Promise<{ readonly command: readonly string[]; remove(): Promise<void> }> {
  const folder = join('node_modules', '.cache', `bellows-chaos-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: ['src/cli.ts'],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return { command: [join(folder, 'cli.js')], remove: () => rm(folder, { recursive: true, force: true }) };
}
