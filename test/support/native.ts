import { readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const root = resolve('.');
const folder = resolve('node_modules', '.cache', `suite-${process.pid}`);
const { resolve: locate } = createRequire(import.meta.url);
const sources = ['src', 'sandbox/src', 'test'];

/** Whether it is one of ours that tests import, by its place in the project, wherever that lies. */
const isCompiled = (place: string) =>
  sources.some((each) => place.startsWith(`${each}/`)) && /(?<!\.test)\.ts$/.test(place);

/** Where the script of this file is, if it has one. */
function scriptOf(source: string): string | undefined {
  const place = relative(root, source);
  return isCompiled(place) ? join(folder, place.replace(/ts$/, 'js')) : undefined;
}

/** Node itself loads what a test imports: the test runner's loader made a whole run a tenth longer, a short one a fifth. */
export const nativeModules: Plugin = {
  name: 'native-modules',
  enforce: 'pre',
  config: () => ({ test: { server: { deps: { external: [/\/node_modules\/\.cache\/suite-/] } } } }),
  async resolveId(id, importer) {
    if (!importer?.endsWith('.test.ts')) return;
    const found = await this.resolve(id, importer, { skipSelf: true });
    return (found && scriptOf(found.id)) ?? found;
  },
};

/** Compiles each file for itself; a package's files stay where they are, except the sandbox's. */
export async function setup(): Promise<() => Promise<void>> {
  const places = sources.map(async (each) =>
    (await readdir(each, { recursive: true })).map((name) => join(each, name)).filter(isCompiled),
  );
  await build({
    entryPoints: (await Promise.all(places)).flat(),
    outbase: '.',
    outdir: folder,
    bundle: true,
    packages: 'external',
    external: ['./*', '../*'],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'sandbox',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^@bellows\/sandbox/ }, ({ path }) => {
            const source = locate(path);
            return { path: scriptOf(source) ?? source, external: true };
          }),
      },
    ],
  });
  return () => rm(folder, { recursive: true, force: true });
}
