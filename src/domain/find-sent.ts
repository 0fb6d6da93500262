import type { Sent } from '../chat/command.js';
import type { Context } from '../chat/context.js';

/** Line ends and blanks around a text are the forge's to change. */
const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
export const sameText = (a: string, b: string): boolean => plain(a) === plain(b);

export const isOf = (user: { readonly login: string } | undefined, login: string): boolean =>
  user?.login.toLowerCase() === login.toLowerCase();

export const isMine = (user: { readonly login: string } | undefined, { login }: Context): boolean => isOf(user, login);

/** Made when it was sent or after; what is older was there before. */
export const isNew = (made: Date | undefined, { since }: Sent): boolean => made !== undefined && made >= since;

export async function firstOf<T>(items: AsyncIterable<T>, fits: (item: T) => boolean): Promise<T | undefined> {
  for await (const item of items) if (fits(item)) return item;
  return undefined;
}
