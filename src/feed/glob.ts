import picomatch from 'picomatch';

const compiled = new Map<string, (text: string) => boolean>();

/** Names of branches, labels and people: `*` stops at a slash, `**` does not; letters' case does not matter. */
export function matches(glob: string, name: string): boolean {
  let test = compiled.get(glob);
  if (!test) {
    test = compile(glob);
    // globs come from people; the memory for them is bounded
    if (compiled.size >= 5_000) compiled.clear();
    compiled.set(glob, test);
  }
  return test(name);
}

function compile(glob: string): (text: string) => boolean {
  const plain = glob.toLowerCase();
  if (glob === '*') return () => true;
  if (!/[*?[\]{}!()\\]/.test(glob)) return (name) => name.toLowerCase() === plain;
  const test = picomatch(glob, { nocase: true, dot: true });
  // a label such as `kind/(ui)` is meant as it stands, too
  return (name) => name.toLowerCase() === plain || test(name);
}

/** Any of them, and none of those written with a leading `!`. */
export function matchesAny(globs: readonly string[], name: string): boolean {
  const no = globs.filter((glob) => glob.startsWith('!'));
  const yes = globs.filter((glob) => !glob.startsWith('!'));
  if (no.some((glob) => matches(glob.slice(1), name))) return false;
  return yes.length === 0 || yes.some((glob) => matches(glob, name));
}
