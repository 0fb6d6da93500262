import type { Team } from '../wire.js';

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** The whole text after choosing it. */
  readonly text: string;
}

/** What Slack itself offers while someone types: the slash command, which ends there, and people after an @. */
export function suggest(typed: string, team: Team | undefined): Suggestion[] {
  if (team === undefined) return [];
  const { slash } = team;
  const at = /(?:^|\s)@([\w.-]*)$/.exec(typed)?.[1];
  if (at !== undefined) {
    const start = typed.slice(0, typed.length - at.length);
    return team.people
      .filter(({ name, realName }) => `${name} ${realName}`.toLowerCase().includes(at.toLowerCase()))
      .map(({ name, realName }) => ({ label: `@${name}`, detail: realName, text: `${start}${name} ` }));
  }
  if (!typed.startsWith('/') || !slash.startsWith(typed)) return [];
  return [{ label: slash, detail: 'Act on the forge', text: `${slash} ` }];
}
