import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counted, tallyFile } from './tally.js';

/** Prints the figures of the whole run after its last file. */
export default function figures(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'bellows-tally-'));
  const file = join(folder, 'tally');
  writeFileSync(file, '');
  process.env[tallyFile] = file;
  return () => {
    const rows = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(' '));
    for (const name of counted) {
      const amounts = rows.filter(([what]) => what === name).map(([, amount]) => Number(amount));
      const sum = amounts.reduce((all, each) => all + each, 0);
      if (amounts.length > 0) process.stdout.write(`figure chaos.${name} ${sum}\n`);
    }
    rmSync(folder, { recursive: true, force: true });
  };
}
