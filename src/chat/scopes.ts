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
import { isSupported } from './admit.js';
import type { AnyCommand } from './command.js';
import type { Context, Role } from './context.js';
import { deedOf } from './deeds.js';
import { MessageError } from './message-error.js';
import { atLeast } from './roles.js';

const everyonesScopes = [
  'write:repository',
  'write:issue',
  'write:notification',
  'write:user',
  'write:organization',
  'read:package',
] as const;

/** What a person's token should be able to do; only who runs the forge from here needs its administration. */
export const wantedScopes = (role: Role): readonly string[] =>
  role === 'admin' ? [...everyonesScopes, 'write:admin'] : everyonesScopes;

export const inCode = (scopes: readonly string[]): Mrkdwn => join(scopes.map(code), ', ');

export const tokenButton = ({ tokenPage }: Pick<Forge, 'tokenPage'>) => linkButton('Open token settings', tokenPage);

/** What a token lacks, and where to make one that has it. */
function lacks(says: Mrkdwn, missing: readonly string[], forge: Forge): Message {
  const add = missing.length === 1 ? 'that scope' : 'those scopes';
  const next = md`Create a new token with ${add} as well, then link it here.`;
  const link = formButton({ text: 'Link account', command: 'signin', style: 'primary' });
  return message({ blocks: failureCard({ says, next, buttons: [link, tokenButton(forge)] }) });
}

/** The forge refused because of the person's token; undefined where it had another reason. */
export function scopeFailure(error: unknown, forge: Forge): Message | undefined {
  const missing = error instanceof ApiError ? scopesAskedBy(error) : undefined;
  if (!(error instanceof ApiError) || !missing) return undefined;
  return lacks(md`Your token can’t ${deedOf(error.operation)}: it lacks ${inCode(missing)}.`, missing, forge);
}

/** Known since the account was linked, or read from the forge now. */
export const reachOf = async ({ scopes, login }: Pick<Account, 'scopes' | 'login'>, api: Api): Promise<TokenReach> =>
  scopes ? { scopes, closed: [] } : tokenReach(api, login);

/** Before anyone else is asked: this person's token must be able to do all of it. */
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

/** What a person could ask for but for their token: each missing scope with its commands. */
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
    // who makes a new token needs to hear of the stronger one only
    if (scope.startsWith('read:') && write) write.unshift(...names);
    return scope.startsWith('read:') && write ? [] : [[scope, names] as const];
  });
}
