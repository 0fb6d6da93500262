import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { makeKey } from '../config.js';
import { ConfigError } from '../errors.js';

/** What a sealed text belongs to (its purpose, then its owner); opening it as anything else fails. */
export type About = readonly [purpose: string, ...owner: string[]];

/** @internal Tests expect it by name. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly kind: 'unknown-key' | 'damaged';

  constructor(kind: 'unknown-key' | 'damaged', message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface Seal {
  /** The key that seals: the first one. */
  readonly keyId: string;
  /** How many keys open. */
  readonly keyCount: number;
  seal(text: string, about: About): string;
  open(sealed: string, about: About): string;
  /** Undefined if it cannot be opened: another purpose or owner, changed, or its key removed. */
  tryOpen(sealed: string, about: About): string | undefined;
  /** Whether the key that sealed it is here and is the same one: an id may have been reused. */
  opens(sealed: string, about: About): boolean;
  /** The same text under the first key; unchanged if it already is. */
  reseal(sealed: string, about: About): string;
  /** A keyed hash that names its key: `keyId.hex`. */
  mac(text: string, about: About): string;
  /** Whether the key that it names is here. */
  hasKeyOf(mac: string): boolean;
  checkMac(mac: string, text: string, about: About): boolean;
}

const sealFormat = 's1';
const ivBytes = 12;
const tagBytes = 16;

interface Keys {
  readonly seal: Buffer;
  readonly mac: Buffer;
}

/** `keys` is BELLOWS_KEYS: `id:base64,id2:base64`; the first one seals, all open. */
export function createSeal(keys: string): Seal {
  const ring = readKeys(keys);
  const [keyId] = ring.keys();
  if (keyId === undefined) throw new ConfigError([howTo('It is empty.')]);

  const keyOf = (id: string): Keys => {
    const found = ring.get(id);
    if (found) return found;
    throw new SealError(
      'unknown-key',
      `A stored value was sealed with the key "${id}", which is not in BELLOWS_KEYS. Add that key again after the first one, or ask the person to sign in again.`,
    );
  };

  const seal: Seal['seal'] = (text, about) => {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', keyOf(keyId).seal, iv).setAAD(bind(keyId, about));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [sealFormat, keyId, Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')].join('.');
  };

  const open: Seal['open'] = (sealed, about) => {
    const [id, box] = splitSealed(sealed);
    const key = keyOf(id).seal;
    try {
      const cipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, ivBytes), { authTagLength: tagBytes });
      cipher.setAAD(bind(id, about)).setAuthTag(box.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([cipher.update(box.subarray(ivBytes + tagBytes)), cipher.final()]).toString('utf8');
    } catch {
      throw damageError();
    }
  };

  const tryOpen: Seal['tryOpen'] = (sealed, about) => {
    try {
      return open(sealed, about);
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  };

  const macBy = (id: string, text: string, about: About) =>
    createHmac('sha256', keyOf(id).mac).update(bind(id, about)).update('\n').update(text).digest('hex');

  return {
    keyId,
    keyCount: ring.size,
    seal,
    open,
    tryOpen,
    opens: (sealed, about) => tryOpen(sealed, about) !== undefined,
    reseal: (sealed, about) => (splitSealed(sealed)[0] === keyId ? sealed : seal(open(sealed, about), about)),
    mac: (text, about) => `${keyId}.${macBy(keyId, text, about)}`,
    hasKeyOf: (mac) => ring.has(keyIdOf(mac)),
    checkMac: (mac, text, about) => {
      const id = keyIdOf(mac);
      return ring.has(id) && same(mac, `${id}.${macBy(id, text, about)}`);
    },
  };
}

/** Why something sealed is refused, for readers of the log. */
export const unopenable = 'changed, copied or sealed by someone else, or its key is missing';

/** What was sealed as JSON; undefined if it can no longer be opened, because its key was removed. */
export function unseal(seal: Seal, sealed: string, about: About): unknown {
  const text = seal.tryOpen(sealed, about);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Constant-time comparison. */
export function same(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

const keyIdOf = (mac: string): string => mac.slice(0, mac.lastIndexOf('.'));

const bind = (id: string, about: About) => Buffer.from(JSON.stringify([sealFormat, id, ...about]));

const damageError = () => new SealError('damaged', 'A stored value was sealed for another purpose, or was changed.');

function splitSealed(sealed: string): [id: string, box: Buffer] {
  const [format, id, body, ...rest] = sealed.split('.');
  const box = Buffer.from(body ?? '', 'base64url');
  if (format !== sealFormat || !id || rest.length > 0 || box.length < ivBytes + tagBytes) throw damageError();
  return [id, box];
}

const howTo = (why: string) =>
  `BELLOWS_KEYS must be id:base64[,id:base64…], each key 32 bytes. ${why} Create one with: ${makeKey}`;

function readKeys(text: string): Map<string, Keys> {
  const ring = new Map<string, Keys>();
  const problems: string[] = [];
  for (const part of text.split(',').filter((entry) => entry.trim() !== '')) {
    const [, id = '', encoded = ''] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+=*)\s*$/.exec(part) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (id === '') problems.push(howTo('One entry does not match this (an id is letters, digits, - and _).'));
    else if (key.length !== 32) problems.push(howTo(`The key "${id}" has ${key.length} bytes.`));
    else if (ring.has(id)) problems.push(howTo(`The id "${id}" appears twice.`));
    else ring.set(id, { seal: derive(key, 'seal'), mac: derive(key, 'mac') });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return ring;
}

const derive = (key: Buffer, use: string) => Buffer.from(hkdfSync('sha256', key, '', `bellows/${use}`, 32));
