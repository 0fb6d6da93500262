import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Lowest first. Folders on one line never import each other. */
const floors: readonly (readonly string[])[] = [
  [
    'config',
    'log',
    'errors',
    'duration',
    'deadline',
    'memory',
    'full-name',
    'pattern',
    'property',
    'short-ref',
    'nearest',
    'wall-clock',
    'working-hours',
    'workflow-file',
  ],
  ['view', 'store', 'forge'],
  ['chat', 'feed'],
  ['features'],
  ['slack', 'jobs', 'http', 'mcp'],
  ['cli', 'bot', 'worker', 'services'],
];
const mayUseTypesOf: Readonly<Record<string, readonly string[]>> = { view: ['forge'], store: ['forge'] };
/** The lowest is one layer: config uses durations and errors. So is the top: cli starts bot and worker. */
const openFloors = [0, floors.length - 1];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const importLine = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm;
const lazyImport = /import\(\s*['"](\.[^'"]+)['"]\s*\)/g;

const filesUnder = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const target = (path: string) => join(dirname(file), path).replace(/\.js$/, '.ts');
  const fixed = [...text.matchAll(importLine)].map((match) => ({
    from: file,
    to: target(match[2] ?? ''),
    typeOnly: match[1] !== undefined,
  }));
  const lazy = [...text.matchAll(lazyImport)].map((match) => ({
    from: file,
    to: target(match[1] ?? ''),
    typeOnly: false,
  }));
  return [...fixed, ...lazy];
}

/** What a file imports from features, by path and name. */
function takenFromFeatures(file: string): string[] {
  const text = readFileSync(join('src', file), 'utf8');
  return [...text.matchAll(/^import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/gm)]
    .map(([, names = '', path = '']) => ({ names: names.split(','), from: join(dirname(file), path) }))
    .filter(({ from }) => from.startsWith('features/'))
    .flatMap(({ names, from }) => names.map((name) => `${from} ${name.trim().replace(/\s.*$/s, '')}`));
}

const room = (file: string) => (file.split('/')[0] ?? '').replace(/\.ts$/, '');
const floorOf = (name: string) => floors.findIndex((rooms) => rooms.includes(name));
const importsUnder = (root: string) => filesUnder(root).flatMap((file) => importsOf(root, file));
const files = filesUnder('src');
const imports = importsUnder('src');

function complaint({ from, to, typeOnly }: Import): string | undefined {
  const [here, there] = [room(from), room(to)];
  if (here === there) return undefined;
  const [up, down] = [floorOf(here), floorOf(there)];
  if (up === -1 || down === -1) return `${from} → ${to}: a room the plan does not know`;
  if (down < up) return undefined;
  if (down === up && openFloors.includes(up)) return undefined;
  if (typeOnly && mayUseTypesOf[here]?.includes(there)) return undefined;
  return `${from} → ${to}: ${down === up ? 'sideways' : 'upward'}`;
}

function firstCycle(): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const walk = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const cycle = walk(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of files) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

describe('layers', () => {
  it('reads every file of src', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(20);
  });

  it('imports only go down, and folders of one layer never import each other', () => {
    expect(imports.map(complaint).filter((line) => line !== undefined)).toEqual([]);
  });

  it('has no circular import, types included', () => {
    expect(firstCycle()).toBeUndefined();
  });

  it('exposes commands only as the list of them', () => {
    const isList = (file: string) => file === 'features/index.ts';
    const listed = new Set(takenFromFeatures('features/index.ts'));
    expect(listed.size).toBeGreaterThan(100);
    const outside = files.filter((file) => room(file) !== 'features');
    const readers = outside.filter((file) => importsOf('src', file).some(({ to }) => isList(to)));
    expect(readers.length).toBeGreaterThan(2);
    const taken = outside.flatMap((file) => takenFromFeatures(file).filter((name) => listed.has(name)));
    expect(taken).toEqual([]);
  });

  it('uses the sandbox only in the command that starts it', () => {
    const naming = files.filter((file) => readFileSync(join('src', file), 'utf8').includes("'@bellows/sandbox"));
    expect(naming).toEqual(['cli/sandbox.ts']);
  });

  it('is mutated with tests that use only what their runner has', () => {
    const { inProcess } = JSON.parse(readFileSync('stryker.config.json', 'utf8'));
    const parts = Object.values<{ tests: string[] }>(inProcess.parts).flatMap(({ tests }) => tests);
    const tests = parts.flatMap((path) =>
      path.endsWith('.ts') ? [path] : filesUnder(path).map((at) => join(path, at)),
    );
    expect(tests.length).toBeGreaterThan(40);
    const runner = readFileSync('scripts/mutation/vitest.mjs', 'utf8');
    const offered = new Set([...runner.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name));
    const asked = tests.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^import \{ ([^}]*) \} from 'vitest'/gm)]
        .flatMap(([, names = '']) => names.split(', '))
        .filter((name) => !offered.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(asked).toEqual([]);
  });

  it('keeps the stand-ins separate', () => {
    const within = importsUnder('sandbox/src');
    expect(within.length).toBeGreaterThan(20);
    const standIns = ['forge', 'slack'];
    const crossing = within.filter(({ from, to }) => standIns.includes(room(from)) && standIns.includes(room(to)));
    expect(crossing.filter(({ from, to }) => room(from) !== room(to))).toEqual([]);
  });

  it('asks for the product or compares versions only inside the forge folder', () => {
    const asks =
      /[=!]==?\s*['"`](?:Forgejo|Gitea)['"`]|['"`](?:Forgejo|Gitea)['"`]\s*[=!]==?|isForgejo|\.version\s*[<>]=?|semver/;
    const outside = files.filter((file) => room(file) !== 'forge');
    const found = outside.filter((file) => asks.test(readFileSync(join('src', file), 'utf8')));
    expect(found).toEqual([]);
    const compares = /version[^;\n]*\s[<>]=?\s|Number\([^)]*version/i;
    const inside = files.filter((file) => room(file) === 'forge');
    expect(inside.filter((file) => compares.test(readFileSync(join('src', file), 'utf8')))).toEqual([]);
  });
});
