import { distance } from 'fastest-levenshtein';
import type { AnyCommand, Catalog } from './command.js';
import { nouns } from './nouns.js';

export interface Group {
  /** The first word of its commands' names. */
  readonly noun: string;
  readonly commands: readonly AnyCommand[];
}

/** All commands, found by name or alias, grouped by their first word. */
export interface CommandList extends Catalog {
  readonly groups: readonly Group[];
  /** The command whose name is the longest run of leading words. */
  find(words: readonly string[]): { readonly command: AnyCommand; readonly used: number } | undefined;
  /** Likely intended names, best first. */
  nearest(text: string): readonly string[];
}

const longestName = 4;
const suggestions = 3;
/** Suggestions prefer harmless commands. */
const harm = { read: 0, write: 1, risky: 3 } as const;

function indexByName(commands: readonly AnyCommand[]): Map<string, AnyCommand> {
  const byName = new Map<string, AnyCommand>();
  for (const command of commands) {
    for (const name of [command.name, ...(command.aliases ?? [])]) {
      const taken = byName.get(name);
      if (taken) throw new Error(`Two commands are called “${name}”: ${taken.name} and ${command.name}.`);
      if (!/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*)*$/.test(name)) throw new Error(`“${name}” cannot be a command's name.`);
      byName.set(name, command);
    }
  }
  return byName;
}

function groupCommands(commands: readonly AnyCommand[]): Group[] {
  const byNoun = new Map<string, AnyCommand[]>();
  for (const command of commands) {
    const noun = command.name.split(' ')[0] ?? command.name;
    byNoun.set(noun, [...(byNoun.get(noun) ?? []), command]);
  }
  return [...byNoun].map(([noun, members]) => ({ noun, commands: members }));
}

/** How far two names are apart: what they are about counts most, then what is done with it, then the letters. */
function apart(typed: string, name: string): number {
  const words = typed.split(' ');
  const parts = name.split(' ');
  const isAbout = words.some((word) => nouns[word] === parts[0]) ? 4 : 0;
  const shared = parts.filter((part) => words.includes(part)).length;
  const asLong = words.slice(0, parts.length).join(' ');
  return Math.min(distance(asLong, name), distance(words[0] ?? '', name)) - shared - isAbout;
}

export function createCatalog(commands: readonly AnyCommand[]): CommandList {
  const byName = indexByName(commands);
  const shown = [...byName].filter(([, command]) => command.hidden !== true);
  return {
    all: commands,
    groups: groupCommands(commands),
    get: (name) => byName.get(name),
    find(words) {
      const lower = words.slice(0, longestName).map((word) => word.toLowerCase());
      for (let used = lower.length; used > 0; used -= 1) {
        const command = byName.get(lower.slice(0, used).join(' '));
        if (command) return { command, used };
      }
      return undefined;
    },
    nearest(text) {
      const typed = text.slice(0, 60).toLowerCase().trim().replace(/\s+/g, ' ');
      const noun = typed.split(' ')[0] ?? '';
      const ranked = shown
        .map(([name, command]) => ({ name, command, far: apart(typed, name) }))
        .filter(({ name, far }) => far <= Math.max(1, Math.floor(name.length / 3)))
        .filter(({ name, command }) => command.risk !== 'risky' || name.split(' ')[0] === noun)
        .sort((a, b) => a.far + harm[a.command.risk] - b.far - harm[b.command.risk]);
      const seen = new Set<AnyCommand>();
      const best = ranked.filter(({ command }) => !seen.has(command) && seen.add(command));
      return best.slice(0, suggestions).map(({ name }) => name);
    },
  };
}
