import type { Forged, Ground } from './ground.js';
import type { About, Seal } from './seal.js';

/** Text only Bellows can have written, for this purpose, id and owner: its keyed hash, a space, the text. */
export const signText = (seal: Seal, text: string, about: About): string => `${seal.mac(text, about)} ${text}`;

/** The text; undefined if it was changed, copied from elsewhere, never signed, or its key is gone. */
export function checkSignature(seal: Seal, stored: string, about: About): string | undefined {
  const at = stored.indexOf(' ');
  const text = stored.slice(at + 1);
  return at > 0 && seal.checkMac(stored.slice(0, at), text, about) ? text : undefined;
}

export interface Signatures {
  sign(text: string, ...id: readonly string[]): string;
  /** The text; anything Bellows did not write there is refused and reported. */
  read(stored: string, ...id: readonly string[]): string | undefined;
  /** The same, without a report. */
  peek(stored: string, ...id: readonly string[]): string | undefined;
  /** Whether it was signed with the current key. */
  isCurrent(stored: string): boolean;
}

const reason = 'changed, copied or written by someone else, or its key is missing';

/** Signs the records of one kind, each for exactly where it is stored. */
export function createSignatures(
  { seal, forge, alarm }: Pick<Ground, 'seal' | 'forge' | 'alarm'>,
  kind: Forged['kind'],
): Signatures {
  const about = (id: readonly string[]): About => [`signed ${kind}`, forge, ...id];
  const peek: Signatures['peek'] = (stored, ...id) => checkSignature(seal, stored, about(id));
  return {
    sign: (text, ...id) => signText(seal, text, about(id)),
    peek,
    read(stored, ...id) {
      const text = peek(stored, ...id);
      if (text === undefined) alarm({ kind, id: id.join(' '), reason });
      return text;
    },
    isCurrent: (stored) => stored.startsWith(`${seal.keyId}.`),
  };
}
