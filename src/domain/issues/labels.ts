import type { RepositoryRef } from '../../chat/references.js';
import { type Api, gathered } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { Label } from '../../forge/schemas/label.js';

/** The labels available in a repository: its own, and those of its organization. */
export async function labelsFor(
  api: Api,
  { owner, repo }: RepositoryRef,
  bounds: { readonly max: number; readonly maxPages?: number },
): Promise<Label[]> {
  const [own, shared] = await Promise.all([
    gathered(api.repos.listLabels.each({ owner, repo }, bounds)),
    // A person has none, and some servers do not list them.
    ifAnswered(gathered(api.orgs.listLabels.each({ org: owner }, bounds))),
  ]);
  return [...own, ...(shared ?? [])];
}
