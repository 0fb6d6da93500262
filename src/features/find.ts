import type { Sent } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { UserError } from '../errors.js';
import type { OperationName } from '../forge/index.js';
import { isAbsent } from '../forge/possible.js';

/** For an operation that fails with 404 if the person does not exist: says so. */
export async function orNoPerson<T>(
  login: string | undefined,
  operation: OperationName,
  field: string,
  reading: Promise<T>,
): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (login === undefined || !isAbsent(error) || error.operation !== operation) throw error;
    throw new UserError(`I can’t find ${login} on the forge. Check the login.`, { field, cause: error });
  }
}

/** The forge may change line ends and surrounding whitespace. */
const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
export const sameText = (a: string, b: string): boolean => plain(a) === plain(b);

export const isOf = (user: { readonly login: string } | undefined, login: string): boolean =>
  user?.login.toLowerCase() === login.toLowerCase();

export const isMine = (user: { readonly login: string } | undefined, { login }: Context): boolean => isOf(user, login);

/** Created when it was sent or later; anything older existed before. */
export const isNew = (made: Date | undefined, { since }: Sent): boolean => made !== undefined && made >= since;

export async function firstOf<T>(items: AsyncIterable<T>, fits: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (fits(item)) return item;
  return undefined;
}
