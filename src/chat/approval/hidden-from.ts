import type { RepositoryRef } from '../references.js';
import type { ApprovalDeps } from '../runtime.js';

/** Why a card that names these repositories must not be shown there; undefined if it may. */
export async function hiddenFrom(
  { exposed }: ApprovalDeps,
  about: readonly RepositoryRef[],
  channel: string,
): Promise<string | undefined> {
  for (const each of about.length === 0 ? [undefined] : about) {
    const refusal = await exposed(each, channel);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
