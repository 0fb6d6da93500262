import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve('.');
const folder = resolve('node_modules', '.cache', `suite-${process.pid}`);
const ours = /\/(src|sandbox\/src|test)\/(?!.*\.test\.ts$).*\.ts$/;

const scriptOf = (source: string): string => source.replace(root, folder).replace(/\.ts$/, '.js');

interface Resolver {
  resolve(id: string, importer: string, options: { readonly skipSelf: true }): Promise<{ readonly id: string } | null>;
}

/** Node itself loads what a test imports: the test runner's loader made a whole run a tenth longer, a short one a fifth. */
export const nativeModules = {
  name: 'native-modules',
  enforce: 'pre' as const,
  config: () => ({ test: { server: { deps: { external: [/\/node_modules\/\.cache\/suite-/] } } } }),
  async resolveId(this: Resolver, id: string, importer: string | undefined) {
    if (!importer?.endsWith('.test.ts')) return;
    const found = await this.resolve(id, importer, { skipSelf: true });
    return found && ours.test(found.id) ? scriptOf(found.id) : found;
  },
};

/** Compiles each file for itself; a package's files stay where they are, except the sandbox's. */
export async function setup(): Promise<() => Promise<void>> {
  await build({
    entryPoints: ['src/**/*.ts', 'sandbox/src/**/*.ts', 'test/**/*.ts'],
    outbase: '.',
    outdir: folder,
    bundle: true,
    external: ['./*', '../*'],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'packages',
        setup({ onResolve, resolve: locate }) {
          onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData: located }) => {
            if (kind === 'entry-point' || located) return;
            if (!path.startsWith('@bellows/sandbox')) return { path, external: true };
            const found = await locate(path, { kind, resolveDir, pluginData: true });
            return { path: scriptOf(realpathSync(found.path)), external: true };
          });
        },
      },
    ],
  });
  return () => rm(folder, { recursive: true, force: true });
}
