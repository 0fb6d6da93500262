import type { CatalogEntry, Team } from '../wire.js';

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** The whole text after choosing it. */
  readonly text: string;
  /** Enter takes it; otherwise Enter sends, and only Tab takes it. */
  readonly eager: boolean;
}

const most = 40;

const namesOf = ({ name, aliases }: CatalogEntry) => [name, ...aliases];

/** The command with the longest name or alias at the start of these words. */
function typedIn(words: string, catalog: readonly CatalogEntry[]): CatalogEntry | undefined {
  const typed = catalog
    .flatMap((entry) => namesOf(entry).map((name) => ({ name, entry })))
    .filter(({ name }) => words === name || words.startsWith(`${name} `));
  return typed.sort((a, b) => b.name.length - a.name.length)[0]?.entry;
}

function commandsFor(typed: string, slash: string, catalog: readonly CatalogEntry[]): Suggestion[] {
  const words = typed.slice(slash.length).trimStart().toLowerCase();
  const exact = typedIn(words, catalog);
  if (exact !== undefined) {
    const longer = catalog.filter(({ name }) => name.startsWith(`${words.trim()} `));
    const hint = { label: `${slash} ${exact.usage}`, detail: exact.summary, text: typed, eager: false };
    return [hint, ...longer.map((entry) => commandLine(entry, slash, false))];
  }
  const begins = catalog.filter(({ name }) => name.startsWith(words));
  const short = catalog.filter(
    (entry) => !begins.includes(entry) && entry.aliases.some((each) => each.startsWith(words)),
  );
  const named = [...begins, ...short];
  const inside = catalog.filter(
    (entry) => !named.includes(entry) && `${entry.name} ${entry.summary}`.toLowerCase().includes(words),
  );
  // A summary that mentions the words is a guess, and Enter must not act on a guess.
  const eager = (entry: CatalogEntry) => words !== '' && named.includes(entry);
  return [...named, ...inside].slice(0, most).map((entry) => commandLine(entry, slash, eager(entry)));
}

const commandLine = ({ name, usage, summary }: CatalogEntry, slash: string, eager: boolean): Suggestion => ({
  label: `${slash} ${usage}`,
  detail: summary,
  text: `${slash} ${name}${usage === name ? '' : ' '}`,
  eager,
});

/** What to offer while someone types: commands after a slash, people after an @. */
export function suggest(typed: string, team: Team | undefined, catalog: readonly CatalogEntry[]): Suggestion[] {
  if (team === undefined) return [];
  const { slash } = team;
  const at = /(?:^|\s)@([\w.-]*)$/.exec(typed)?.[1];
  if (at !== undefined) {
    const start = typed.slice(0, typed.length - at.length);
    return team.people
      .filter(({ name, realName }) => `${name} ${realName}`.toLowerCase().includes(at.toLowerCase()))
      .map(({ name, realName }) => ({ label: `@${name}`, detail: realName, text: `${start}${name} `, eager: true }));
  }
  if (!typed.startsWith('/')) return [];
  if (typed.startsWith(`${slash} `) || typed === slash) return commandsFor(typed, slash, catalog);
  if (slash.startsWith(typed)) return [{ label: slash, detail: 'Act on the forge', text: `${slash} `, eager: true }];
  return [];
}
