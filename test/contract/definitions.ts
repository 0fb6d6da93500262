import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { commands } from '../../src/features/index.js';

const root = join(import.meta.dirname, '../../src/features');

const isCommand = (value: unknown): value is (typeof commands)[number] =>
  typeof value === 'object' && value !== null && 'name' in value && 'plan' in value && 'reply' in value;

/** The commands in each file of src/features, by its path there without its ending; Node itself loads them. */
export const definitions = await Promise.all(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]s$/.test(file))
    .map(async (file) => ({
      file: file.slice(0, -'.ts'.length),
      found: Object.values<unknown>(await import(join(root, file))).filter(isCommand),
    })),
);
