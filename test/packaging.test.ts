import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const manifest: { dependencies: object; devDependencies: object; files: string[] } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const lock: { packages: Record<string, { integrity?: string; os?: string[]; dev?: boolean }> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const importing = /(?:from|import\()\s*'((?:@[\w-]+\/)?[a-z][\w.-]*)['/]/g;

/** Packages that the sources import: those of the sandbox, or all others. */
function imported(ofSandbox: boolean): Set<string> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const texts = files
    .filter((path) => path.startsWith('sandbox') === ofSandbox)
    .map((path) => readFileSync(join('src', path), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(importing)].map(([, name = '']) => name));
  return new Set(names.filter((name) => !name.startsWith('node:')));
}

describe('a production install', () => {
  it('has what the program imports, and nothing that only the sandbox does', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...imported(false)].sort());
    const onlySandbox = [...imported(true)].filter((name) => !imported(false).has(name));
    expect(onlySandbox.length).toBeGreaterThan(0);
    for (const name of onlySandbox) {
      expect(Object.keys(manifest.devDependencies)).toContain(name);
      expect(lock.packages[`node_modules/${name}`]?.dev).toBe(true);
    }
  });

  it('holds neither the sandbox nor its page, as a package and in the image', () => {
    expect(manifest.files).toEqual(['dist/cli.js', 'dist/program', 'manifests']);
    const copied = readFileSync('Dockerfile', 'utf8').match(/^COPY --from=build \S+dist\S*/gm);
    expect(copied).toEqual(['COPY --from=build /bellows/dist/cli.js', 'COPY --from=build /bellows/dist/program']);
  });

  it('is checked against a hash for every package but those for other systems', () => {
    const without = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== '' && !integrity);
    expect(without.filter(([, { os }]) => os === undefined).map(([path]) => path)).toEqual([]);
  });
});
