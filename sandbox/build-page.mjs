// The sandbox's page: one script, its styles and what stands beside them. Run by `npm run build`.
import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = fileURLToPath(new URL('src/page/app/', import.meta.url));
const output = process.argv[2] ?? fileURLToPath(new URL('../dist/page/', import.meta.url));

await mkdir(output, { recursive: true });
await build({
  entryPoints: [
    { in: `${source}main.tsx`, out: 'app' },
    { in: `${source}app.css`, out: 'app' },
  ],
  outdir: output,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
});
for (const name of ['index.html', 'forge.css', 'icon.svg']) await copyFile(`${source}${name}`, `${output}/${name}`);
