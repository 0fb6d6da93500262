import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly files: readonly string[];
  readonly private?: boolean;
}
const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const manifest = manifestIn('.');
const sandbox = manifestIn('sandbox');
const lock: { packages: Record<string, { integrity?: string; dev?: boolean; link?: boolean }> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const importing = /(?:from|import\()\s*'((?:@[\w-]+\/)?[a-z][\w.-]*)['/]/g;

/** Packages imported by sources in a folder, except the sandbox itself. */
function imported(root: string): Set<string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const texts = files.map((path) => readFileSync(join(root, path), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(importing)].map(([, name = '']) => name));
  return new Set(names.filter((name) => !name.startsWith('node:') && name !== '@bellows/sandbox'));
}

describe('a production install', () => {
  it('has what the program imports, and nothing that only the sandbox does', () => {
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual([...imported('src')].sort());
    const onlySandbox = [...imported('sandbox/src')].filter((name) => !imported('src').has(name));
    expect(onlySandbox.length).toBeGreaterThan(0);
    for (const name of onlySandbox) expect(lock.packages[`node_modules/${name}`]?.dev).toBe(true);
  });

  it('gets nothing from the sandbox, which is private and names what it imports', () => {
    expect(sandbox.private).toBe(true);
    expect(sandbox.dependencies).toBeUndefined();
    expect(Object.keys(sandbox.devDependencies)).toEqual(expect.arrayContaining([...imported('sandbox/src')]));
  });

  it('contains neither the sandbox nor its page, as a package and in the image', () => {
    expect(manifest.files).toEqual(['dist/cli.js', 'dist/program', 'manifests']);
    const copied = readFileSync('Dockerfile', 'utf8').match(/^COPY --from=build \S+dist\S*/gm);
    expect(copied).toEqual(['COPY --from=build /bellows/dist/cli.js', 'COPY --from=build /bellows/dist/program']);
  });

  it('builds on one base image that is pinned by its digest', () => {
    const lines = readFileSync('Dockerfile', 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual(['FROM $NODE AS build', 'FROM $NODE']);
    expect(lines.filter((line) => line.startsWith('ARG '))).toEqual([
      expect.stringMatching(/^ARG NODE=node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/),
    ]);
  });

  it('has a hash for every package', () => {
    const fetched = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    expect(fetched.length).toBeGreaterThan(100);
    expect(fetched.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
  });

  it('has a temporary folder in Kubernetes, where its worker may write nowhere else', () => {
    const [deployment = ''] = readFileSync('manifests/kubernetes/worker.yaml', 'utf8').split('\n---\n');
    const { containers, volumes } = parse(deployment).spec.template.spec;
    expect(containers).toMatchObject([{ securityContext: { readOnlyRootFilesystem: true } }]);
    expect(containers[0].volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' });
    expect(volumes).toContainEqual({ name: 'tmp', emptyDir: expect.anything() });
  });

  it('has a temporary folder with Compose, where it may write nowhere else', () => {
    const { services } = parse(readFileSync('compose.yaml', 'utf8'));
    expect(services.bellows).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
  });
});
