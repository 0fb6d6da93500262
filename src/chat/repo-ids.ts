import { z } from 'zod';
import { UserError } from '../errors.js';
import type { Api } from '../forge/index.js';
import { possible, unlessAbsent } from '../forge/possible.js';
import { property } from '../property.js';
import { fullName, type RepositoryRef } from './references.js';

/** A name, and the id of the repository it stood for when it was shown. */
export interface KnownRepository extends RepositoryRef {
  readonly repoId: number;
}

type Loose = Readonly<Record<string, unknown>>;

const Ref = z.looseObject({ owner: z.string(), repo: z.string(), repoId: z.int().optional() });

/** The repositories that a button, form or thread names, with their ids where it holds them. */
export const namedIn = (values: Loose): Named[] =>
  Object.values(values)
    .flat()
    .flatMap((value) => {
      const { owner, repo, repoId } = Ref.safeParse(value).data ?? {};
      return owner === undefined || repo === undefined ? [] : [{ owner, repo, repoId }];
    });

export const knownIn = (values: Loose): KnownRepository[] =>
  namedIn(values).flatMap(({ repoId, ...named }) => (repoId === undefined ? [] : [{ ...named, repoId }]));

/** Adds the id to each name that has none, where it is known. */
export function withRepoIds(
  values: Loose,
  idOf: (named: RepositoryRef) => number | undefined,
): Record<string, unknown> {
  const bindKnown = (value: unknown): unknown => {
    const named = Ref.safeParse(value).data;
    const repoId = named && named.repoId === undefined ? idOf(named) : undefined;
    return repoId === undefined ? value : { ...named, repoId };
  };
  const each = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(bindKnown) : bindKnown(value),
  ]);
  return Object.fromEntries(each);
}

type Named = RepositoryRef & { readonly repoId?: number | undefined };

/** Those whose ids are known or can be found out. */
export async function lookUpIds(
  named: readonly Named[],
  idOf: (named: RepositoryRef) => Promise<number | undefined>,
): Promise<KnownRepository[]> {
  const found = named.map(async (each) => ({ ...each, repoId: each.repoId ?? (await idOf(each)) }));
  return knownIn({ found: await Promise.all(found) });
}

/** Finds a name's id in a list of known ones, whatever its case. */
export const among = (known: readonly KnownRepository[]) => (named: RepositoryRef) =>
  known.find((each) => isSameName(each, named))?.repoId;

const isSameName = (a: RepositoryRef, b: RepositoryRef) => fullName(a).toLowerCase() === fullName(b).toLowerCase();

/** Someone may have renamed a repository and given its name to another one: nothing is sent to that one. */
export async function refuseTakenOver(known: readonly KnownRepository[], api: Api): Promise<void> {
  for (const { owner, repo, repoId } of known) {
    const present = await possible(unlessAbsent(api.repos.get({ owner, repo })));
    if (present && present.id !== repoId)
      throw new UserError(
        `${fullName({ owner, repo })} is now another repository, so nothing was sent. If you mean that one, run the command again.`,
      );
  }
}

const Shown = z.object({ id: z.int(), full_name: z.string().includes('/') });
type Shown = z.infer<typeof Shown>;

/** The repositories in an answer of the forge: itself, those of its items, and the one that a pull request goes into. */
export function repositoriesShown(answer: unknown): Shown[] {
  const items = property(answer, 'items');
  if (Array.isArray(items)) return items.flatMap(repositoriesShown);
  const places = [answer, property(answer, 'repository'), property(property(answer, 'base'), 'repo')];
  return places.flatMap((place) => Shown.safeParse(place).data ?? []);
}
