import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { covers } from '../../feed/covers.js';
import { readSource, type Source, sourceKey } from '../../feed/sources/source.js';
import type { SourceState, Subscription } from '../../store/index.js';

export interface SourceLine {
  readonly source: Source;
  readonly key: string;
  readonly name: string;
  readonly dueAt: number;
  readonly state: SourceState;
}

const About = z.object({
  owner: z.string(),
  name: z.string().optional(),
  ownerId: z.number().optional(),
  hidden: z.boolean().optional(),
});
type About = z.infer<typeof About>;

const nouns: Readonly<Record<Source['kind'], string>> = {
  repo: 'activity',
  runs: 'workflow runs',
  user: 'activity',
  owner: 'new repositories',
  items: 'labels and drafts',
  inbox: 'your notifications',
};

/** Every polled source, or those behind this channel and this person. */
export async function sourceLines(
  all: boolean,
  subs: readonly Subscription[],
  context: Context,
): Promise<SourceLine[]> {
  const named = new Set(subs.flatMap(({ target }) => (target.kind === 'repo' ? [target.id] : [])));
  // the person may not see everything the bot's account sees under a pattern
  const secret = (source: Source, about: About | undefined) =>
    (source.kind === 'repo' || source.kind === 'runs') && about?.hidden !== false && !named.has(source.id);
  const wanted = wantedBy(subs, context);
  const lines = (await context.store.sources.list()).flatMap(({ source: key, dueAt, state }) => {
    const source = readSource(key);
    const about = About.safeParse(state.about).data;
    if (!source || !(all || (wanted(source, about) && !secret(source, about)))) return [];
    const name = secret(source, about)
      ? `a private repository (${nouns[source.kind]})`
      : nameOf(source, about, context);
    return [{ source, key, name, dueAt, state: secret(source, about) ? quiet(state) : state }];
  });
  // what needs attention comes first
  return lines.sort((a, b) => worry(b, context.now) - worry(a, context.now) || a.name.localeCompare(b.name));
}

/** The text of an error may name what was requested. */
const quiet = ({ error, ...state }: SourceState): SourceState =>
  error === undefined ? state : { ...state, error: 'see the log' };

function wantedBy(subs: readonly Subscription[], { person }: Context) {
  const own = sourceKey({ kind: 'inbox', ...person });
  return (source: Source, about: About | undefined): boolean => {
    if (source.kind === 'inbox') return sourceKey(source) === own;
    return subs.some((sub) => {
      const { target } = sub;
      if (target.kind === 'user') return source.kind === 'user' && source.id === target.id;
      if (target.kind === 'repo') return (source.kind === 'repo' || source.kind === 'runs') && source.id === target.id;
      if (source.kind === 'owner' || source.kind === 'items') return source.id === target.id;
      return about?.ownerId === target.id && about.name !== undefined && covers(sub, `${about.owner}/${about.name}`);
    });
  };
}

function nameOf(source: Source, about: About | undefined, { person }: Context): string {
  if (source.kind === 'inbox') return source.user === person.user ? nouns.inbox : 'a person’s notifications';
  const of = about?.name === undefined ? (about?.owner ?? sourceKey(source)) : `${about.owner}/${about.name}`;
  return `${of} (${nouns[source.kind]})`;
}

const patienceMs = 60_000;

/** How far it is behind schedule. */
export const lateBy = ({ dueAt }: Pick<SourceLine, 'dueAt'>, now: Date): number => Math.max(0, now.getTime() - dueAt);

export function worry(line: SourceLine, now: Date): 0 | 1 | 2 {
  if (line.state.error !== undefined) return 2;
  return lateBy(line, now) > patienceMs ? 1 : 0;
}
