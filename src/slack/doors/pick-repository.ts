import { fullName, readRepository } from '../../chat/references.js';
import { type Api, ApiError } from '../../forge/index.js';
import type { Asking, Choice } from './asking.js';

const latest = { limit: 50, sort: 'updated', order: 'desc' } as const;

const namesOf = async (answer: Promise<{ readonly items: readonly { readonly full_name: string }[] }>) =>
  (await answer).items.map(({ full_name }) => full_name);

/** The repositories of the owner with exactly this name, if there is one. */
async function ofOwner(api: Api, login: string, q: string): Promise<string[]> {
  try {
    const { id } = await api.users.get({ username: login });
    return await namesOf(api.repos.search({ query: { ...latest, uid: id, exclusive: true, ...(q && { q }) } }));
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return [];
    throw error;
  }
}

/** By `acme`, `acme/`, `acme/eng`, `eng`, or a pasted address. */
export async function repositoryChoices({ api, typed, webUrl }: Asking): Promise<Choice[]> {
  const pasted = /^https?:/i.test(typed) ? readRepository(typed, webUrl) : undefined;
  const words = (pasted ? fullName(pasted) : typed).toLowerCase();
  const [owner = '', name] = words.split('/', 2);
  const found = await Promise.all([
    namesOf(api.repos.search({ query: { ...latest, q: name ?? owner } })),
    owner === '' ? [] : ofOwner(api, owner, name ?? ''),
  ]);
  return [...new Set(found.flat())]
    .filter((full) => full.toLowerCase().includes(words))
    .map((full) => ({ text: full, value: full }));
}
