import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');

function roadOf(what: string): readonly string[] {
  const [, section = ''] = page.split(`## The road of one ${what}, file by file`);
  return [...(section.split('\n## ')[0] ?? '').matchAll(/^\d+\. `(src\/[^`]+)`/gm)].map(([, file = '']) => file);
}

const read = (file: string) => readFileSync(file, 'utf8');
const importsOf = (file: string) =>
  [...read(file).matchAll(/from '(\.[^']+)\.js'/g)].map(([, path = '']) => `${join(dirname(file), path)}.ts`);

/** Passed on by something other than an import of an earlier file: the file that connects both. */
const joinedBy: Readonly<Record<string, string>> = {
  'src/bot.ts': 'src/cli/serving.ts',
  'src/features/issues/close.ts': 'src/features/index.ts',
  'src/forge/engine.ts': 'src/forge/forge.ts',
  'src/store/marks.ts': 'src/store/index.ts',
  'src/store/outbox.ts': 'src/store/index.ts',
};

describe.each([
  { what: 'command', most: 20 },
  { what: 'event', most: 26 },
])('the path of one $what', ({ what, most }) => {
  const road = roadOf(what);

  it(`is at most ${most} files long, each there once and none too long to read`, () => {
    expect(road.length).toBeGreaterThan(10);
    expect(road.length).toBeLessThanOrEqual(most);
    expect(new Set(road).size).toBe(road.length);
    expect(road.filter((file) => !existsSync(file))).toEqual([]);
    expect(road.filter((file) => read(file).split('\n').length > 201)).toEqual([]);
  });

  it('leads from each file to the next', () => {
    const lost = road.slice(1).filter((file, at) => {
      // from the bot to the worker it goes through Redis, and from a webhook through the part that runs here
      if (file === 'src/worker.ts') return false;
      const joining = joinedBy[file];
      const before = joining === undefined ? road.slice(0, at + 1) : [joining];
      return !before.some((each) => importsOf(each).includes(file));
    });
    expect(lost).toEqual([]);
  });
});

it('a command’s queue is the same at both ends of Redis', () => {
  expect(read('src/bot.ts')).toContain("createQueue('act'");
  expect(read('src/jobs/act.ts')).toMatch(/createWorker\(\s*'act'/);
});
