import type { Context } from '../../chat/context.js';
import { type KeyLike, keyCard } from '../../view/cards/key.js';
import { secretCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { md } from '../../view/text.js';

/** A key over HTTPS has a token that is shown now and never again. */
export function addedMessage(key: KeyLike, token: string | undefined, { now }: Context): Message {
  const card = keyCard(key, { now, says: md`Added` });
  const shown = token ? secretCard(md`The key’s token:`, token) : [];
  return message({ blocks: [...card, ...shown] });
}
