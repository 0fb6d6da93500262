import type { About, Seal } from './seal.js';

/** Text that only Bellows can have written, for this purpose, id and owner: its keyed hash, a space, the text. */
export const vouched = (seal: Seal, text: string, about: About): string => `${seal.mac(text, about)} ${text}`;

/** The text; undefined where it was changed, copied from elsewhere, never vouched for, or its key is gone. */
export function checked(seal: Seal, stored: string, about: About): string | undefined {
  const at = stored.indexOf(' ');
  const text = stored.slice(at + 1);
  return at > 0 && seal.checkMac(stored.slice(0, at), text, about) ? text : undefined;
}
