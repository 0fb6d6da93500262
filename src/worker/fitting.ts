import type { Catalog } from '../chat/command.js';
import { fitted } from '../chat/fitted.js';
import type { Poster } from '../feed/ports.js';
import type { Forge } from '../forge/index.js';
import { type Message, withBlocks } from '../view/message.js';

/** Posts are adapted to the server like answers: no buttons for what it lacks, its own name on its links. */
export function fittingPoster(poster: Poster, catalog: Catalog, forge: Forge): Poster {
  const suited = async (message: Message) => withBlocks(message, await fitted(message.blocks, catalog, forge));
  return {
    ...poster,
    post: async (spot, posting) => poster.post(spot, { ...posting, message: await suited(posting.message) }),
    update: async (spot, ts, message) => poster.update(spot, ts, await suited(message)),
  };
}
