import type { Context } from '../../chat/context.js';
import { fullName } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { matches } from '../../feed/glob.js';
import { ApiError } from '../../forge/index.js';
import type { Place } from '../../store/index.js';
import { some } from '../../view/look.js';
import { readable } from '../../view/text.js';
import { lookUp } from '../repositories/lookup.js';
import { readTarget, type Written } from './target.js';
import { allIn, type Named, named, shownTitle } from './titles.js';

const fold = (text: string) => text.toLowerCase();
const mostNamed = 10;
const shown = (...titles: readonly string[]) => readable(some(titles.map(shownTitle), mostNamed).source);

export function nothingLike(text: string, all: readonly Named[]): UserError {
  if (all.length === 0)
    return new UserError('No subscriptions in this channel yet. Add one with /forge subscribe owner/repo.');
  const names = all.map(({ title }) => title);
  return new UserError(`This channel is not subscribed to ${shown(text)}. Its subscriptions: ${shown(...names)}.`);
}

/** The channel's subscriptions these words refer to: one by name, several by pattern. */
export async function meantBy(text: string, all: readonly Named[], context: Context): Promise<readonly Named[]> {
  const exact = all.filter(({ title }) => fold(title) === fold(text));
  if (exact.length > 0) return exact;
  const written = readTarget(text);
  const before = await formerly(written, all, context);
  if (before.length > 0) return before;
  if (written?.kind === 'owner') {
    const glob = fold(`${written.owner}/${written.pattern}`);
    return all.filter(({ sub, title }) => sub.target.kind === 'repo' && matches(glob, fold(title)));
  }
  if (written?.kind === 'slack') {
    const login = await context.people.loginOf({ team: context.person.team, user: written.user });
    return login === undefined ? [] : all.filter(({ title }) => fold(title) === fold(`@${login}`));
  }
  return written?.kind === 'repo' ? renamed(written, all, context) : [];
}

/** Words that were right before a repository or owner was renamed. */
async function formerly(written: Written | undefined, all: readonly Named[], { store }: Context): Promise<Named[]> {
  if (written?.kind !== 'repo' && written?.kind !== 'owner') return [];
  const name = written.kind === 'repo' ? fullName(written) : written.owner;
  const was = await store.subscriptions.formerly(name);
  const same = ({ sub: { target } }: Named) =>
    target.kind === was?.kind &&
    target.id === was.id &&
    (target.kind !== 'owner' || target.pattern === patternOf(written));
  return all.filter(same);
}

const patternOf = (written: Written) => (written.kind === 'owner' ? written.pattern : undefined);

/** The forge may have renamed it; its id stays, and the new name is shown from now on. */
async function renamed(
  { owner, repo }: { readonly owner: string; readonly repo: string },
  all: readonly Named[],
  { api, store }: Context,
): Promise<readonly Named[]> {
  try {
    const found = await lookUp({ owner, name: repo }, api);
    const one = all.find(({ sub: { target } }) => target.kind === 'repo' && target.id === found?.id);
    if (!found || !one) return [];
    await store.subscriptions.rename(one.sub.target, found.full_name);
    return [await named(one.sub, store)];
  } catch (error) {
    // if the forge cannot be asked, that name is simply unknown
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Exactly one, or an error that lists what exists. */
export async function oneOf(text: string, place: Place, context: Context): Promise<Named> {
  const all = await allIn(place, context.store);
  const [one, another] = await meantBy(text, all, context);
  if (!one) throw nothingLike(text, all);
  if (another)
    throw new UserError(
      `${shown(text)} matches several subscriptions: ${shown(one.title)}, ${shown(another.title)}, … Choose one.`,
    );
  return one;
}
