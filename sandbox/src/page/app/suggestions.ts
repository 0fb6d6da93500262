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

function commandsFor(typed: string, slash: string, catalog: readonly CatalogEntry[]): Suggestion[] {
  const words = typed.slice(slash.length).trimStart().toLowerCase();
  const exact = catalog.find(({ name }) => words === name || words.startsWith(`${name} `));
  if (exact !== undefined) {
    const longer = catalog.filter(({ name }) => name.startsWith(`${words.trim()} `));
    const hint = { label: `${slash} ${exact.usage}`, detail: exact.summary, text: typed, eager: false };
    return [hint, ...longer.map((entry) => commandLine(entry, slash, false))];
  }
  const begins = catalog.filter(({ name }) => name.startsWith(words));
  const inside = catalog.filter(
    ({ name, summary }) => !name.startsWith(words) && `${name} ${summary}`.toLowerCase().includes(words),
  );
  return [...begins, ...inside].slice(0, most).map((entry) => commandLine(entry, slash, words !== ''));
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
