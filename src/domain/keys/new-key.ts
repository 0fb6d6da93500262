import { createHash } from 'node:crypto';
import type { Context } from '../../chat/context.js';
import { type KeyLike, keyCard } from '../../view/cards/key.js';
import { secretCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { md } from '../../view/text.js';

/** `SHA256:…`, as the forge and ssh-keygen write it. */
export function fingerprintOf(publicKey: string): string {
  const [, base64 = ''] = publicKey.trim().split(/\s+/);
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}

/** An HTTPS key has a token that is shown only once. */
export function addedMessage(key: KeyLike, token: string | undefined, { now }: Context): Message {
  const card = keyCard(key, { now, says: md`Added` });
  const shown = token ? secretCard(md`The key’s token:`, token) : [];
  return message({ blocks: [...card, ...shown] });
}
