import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A bellows.yaml in a folder of its own, deleted after the test. */
export function policyFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bellows-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'bellows.yaml');
  writeFileSync(path, text);
  return path;
}
