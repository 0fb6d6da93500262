import { ApiError } from '../../forge/index.js';
import type { Approval } from '../../store/index.js';
import { askToRelink } from '../linking.js';
import type { ApprovalDeps } from '../runtime.js';
import type { Readied } from './readied.js';

export const deadToken = 'The requester’s forge token no longer works.';

/** Whether the forge refused the requester's own token; then they are asked to link again. */
export async function isDeadToken(
  deps: ApprovalDeps,
  { requester }: Approval,
  { calls }: Pick<Readied, 'calls'>,
  error: unknown,
): Promise<boolean> {
  const refused = error instanceof ApiError && error.kind === 'unauthorized';
  if (!refused || !calls.some(({ status }) => status === 401)) return false;
  const account = await deps.services.store.accounts.get(requester);
  if (account) await askToRelink(deps, account);
  return true;
}
