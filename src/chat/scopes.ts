import {
  type Api,
  ApiError,
  type Forge,
  lackedScopes,
  type OperationName,
  scopesAskedBy,
  scopesOf,
  type TokenReach,
  tokenReach,
} from '../forge/index.js';
import type { Account } from '../store/index.js';
import { failureCard } from '../view/cards/outcome.js';
import { linkButton } from '../view/elements.js';
import { type Message, message } from '../view/message.js';
import { code, join, type Mrkdwn, md } from '../view/text.js';
import { formButton } from './actions.js';
import { atLeast, isSupported } from './admit.js';
import type { AnyCommand } from './command.js';
import type { Context, Role } from './context.js';
import { MessageError } from './message-error.js';
import { describeOperation } from './operation-words.js';

const everyonesScopes = [
  'write:repository',
  'write:issue',
  'write:notification',
  'write:user',
  'write:organization',
  'read:package',
] as const;

/** The scopes a person's token should have; only people who administer the forge from here need admin scopes. */
export const wantedScopes = (role: Role): readonly string[] =>
  role === 'admin' ? [...everyonesScopes, 'write:admin'] : everyonesScopes;

export const inCode = (words: readonly string[]): Mrkdwn => join(words.map(code), ', ');

export const tokenButton = ({ tokenPage }: Pick<Forge, 'tokenPage'>) => linkButton('Open token settings', tokenPage);

/** What a token lacks, and where to create one that has it. */
function lacks(says: Mrkdwn, missing: readonly string[], forge: Forge): Message {
  const add = missing.length === 1 ? 'that scope' : 'those scopes';
  const next = md`Create a new token with ${add} as well, then link it here.`;
  const link = formButton({ text: 'Link account', command: 'signin', style: 'primary' });
  return message({ blocks: failureCard({ says, next, buttons: [link, tokenButton(forge)] }) });
}

/** The forge refused because of the person's token; undefined for other reasons. */
export function scopeFailure(error: unknown, forge: Forge): Message | undefined {
  const missing = error instanceof ApiError ? scopesAskedBy(error) : undefined;
  if (!(error instanceof ApiError) || !missing) return undefined;
  return lacks(
    md`Your token can’t ${describeOperation(error.operation)}: it lacks ${inCode(missing)}.`,
    missing,
    forge,
  );
}

/** Known since linking, or read from the forge now. */
export const reachOf = async ({ scopes, login }: Pick<Account, 'scopes' | 'login'>, api: Api): Promise<TokenReach> =>
  scopes ? { scopes, closed: [] } : tokenReach(api, login);

/** Checked before anyone else is asked: the person's token must allow all of it. */
export async function refuseScopes(
  command: AnyCommand,
  operations: readonly OperationName[],
  { store, person, api, forge }: Context,
): Promise<void> {
  const account = await store.accounts.get(person);
  if (!account) return;
  const missing = lackedScopes(operations.flatMap(scopesOf), await reachOf(account, api));
  if (missing.length === 0) return;
  throw new MessageError(
    lacks(md`Your token can’t run ${code(command.name)}: it lacks ${inCode(missing)}.`, missing, forge),
  );
}

/** What the person could run if not for their token: each missing scope with its commands. */
export async function scopesClosing(
  reach: TokenReach,
  { commands, role, forge }: Context,
): Promise<readonly (readonly [scope: string, names: readonly string[]])[]> {
  const closed = new Map<string, string[]>();
  for (const command of commands) {
    const [main] = command.operations;
    if (main === undefined || command.hidden || !atLeast(role, command.role)) continue;
    if (!(await isSupported(command, forge))) continue;
    for (const scope of lackedScopes(scopesOf(main), reach)) {
      closed.set(scope, [...(closed.get(scope) ?? []), command.name]);
    }
  }
  return [...closed].flatMap(([scope, names]) => {
    const write = closed.get(scope.replace('read:', 'write:'));
    // for a new token, only the stronger scope matters
    if (scope.startsWith('read:') && write) write.unshift(...names);
    return scope.startsWith('read:') && write ? [] : [[scope, names] as const];
  });
}
