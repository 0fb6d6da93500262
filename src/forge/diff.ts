/** One line of a diff. */
export interface DiffRow {
  readonly sign: '+' | '-' | ' ';
  /** In the new file, or in the old one if it was removed. */
  readonly line: number;
  readonly text: string;
}

export interface FileDiff {
  readonly path: string;
  readonly from: string | undefined;
  readonly status: 'new' | 'deleted' | undefined;
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly (readonly DiffRow[])[];
}

/** Git quotes a name with quotes, backslashes or control characters, and ends one with spaces in a tab. */
function nameIn(text: string): string {
  const name = text.replace(/\t$/, '');
  if (!name.startsWith('"')) return name;
  const bytes = name.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_all, escaped: string) => {
    const known: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
    return /^\d/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : (known[escaped] ?? escaped);
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const withoutSide = (name: string) => name.replace(/^[ab]\//, '');

/** Its header and hunks; a hunk's own sizes say where it ends, whatever its lines look like. */
function readFile(lines: readonly string[]): FileDiff {
  const firstHunk = lines.findIndex((line) => line.startsWith('@@ '));
  const header = firstHunk < 0 ? lines : lines.slice(0, firstHunk);
  const after = (words: string) => header.find((line) => line.startsWith(words))?.slice(words.length);
  const [first = ''] = lines;
  // without rename both names are the same
  const both = nameIn(first.slice('diff --git '.length));
  const same = withoutSide(both.startsWith('a/') ? both.slice(0, (both.length - 1) / 2) : both);
  const [minus, plus] = [after('--- '), after('+++ ')].map((name) => name && nameIn(name));
  const named = [plus, minus].find((name) => name && name !== '/dev/null');
  const renamed = after('rename to ');
  const hunks: DiffRow[][] = [];
  let [old, next, olds, news] = [0, 0, 0, 0];
  let [added, removed] = [0, 0];
  for (const line of firstHunk < 0 ? [] : lines.slice(firstHunk)) {
    const sign = line.slice(0, 1) || ' ';
    if (olds <= 0 && news <= 0) {
      const [, a = '', asize = '1', b = '', bsize = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      if (a === '') continue;
      [old, olds, next, news] = [Number(a), Number(asize), Number(b), Number(bsize)];
      hunks.push([]);
    } else if (sign === '+' || sign === '-' || sign === ' ') {
      hunks.at(-1)?.push({ sign, line: sign === '-' ? old : next, text: line.slice(1) });
      if (sign === '+') added += 1;
      else if (sign === '-') removed += 1;
      if (sign !== '+') {
        old += 1;
        olds -= 1;
      }
      if (sign !== '-') {
        next += 1;
        news -= 1;
      }
    }
  }
  return {
    path: renamed === undefined ? (named === undefined ? same : withoutSide(named)) : nameIn(renamed),
    from: renamed === undefined ? undefined : nameIn(after('rename from ') ?? ''),
    status: after('new file') !== undefined ? 'new' : after('deleted file') !== undefined ? 'deleted' : undefined,
    binary: after('Binary files ') !== undefined || after('GIT binary patch') !== undefined,
    added,
    removed,
    hunks,
  };
}

/** A diff as git writes it, file by file. */
export function readDiff(text: string): FileDiff[] {
  const files: string[][] = [];
  for (const line of text.split('\n')) {
    // no line of a hunk begins with a letter
    if (line.startsWith('diff --git ')) files.push([]);
    files.at(-1)?.push(line);
  }
  return files.map(readFile);
}
