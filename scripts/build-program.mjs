// The program as a few files instead of hundreds: it starts faster and uses less memory.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

/** Packages that are ES modules themselves; the others stay where npm put them. */
const within = /^(zod|hono|@hono\/node-server|lru-cache)(\/|$)/;

/** Its own entry, so that what is not shipped is in one file and shares the program's modules. */
const sandbox = '@bellows/sandbox';

const plugin = {
  name: 'program',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || within.test(path) || path === sandbox ? undefined : { path, external: true },
    );
  },
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { cli: 'src/cli.ts', sandbox },
  outdir: 'dist',
  chunkNames: 'program/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [plugin],
});
