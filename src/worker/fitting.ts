import type { Catalog } from '../chat/command.js';
import { bindButtons, fitted } from '../chat/fitted.js';
import type { Poster } from '../feed/ports.js';
import type { Api, Forge } from '../forge/index.js';
import { soon } from '../forge/possible.js';
import { type Message, withBlocks } from '../view/message.js';

/** Posts are adapted to the server like answers: no buttons for what it lacks, its own name on its links, ids behind names. */
export function fittingPoster(poster: Poster, catalog: Catalog, forge: Forge, service: Api): Poster {
  const suited = async (message: Message) => {
    const fit = await fitted(message.blocks, catalog, forge);
    return withBlocks(
      message,
      await bindButtons(fit, catalog, async (named) => (await soon(service.repos.get(named)))?.id),
    );
  };
  return {
    ...poster,
    post: async (spot, posting) => poster.post(spot, { ...posting, message: await suited(posting.message) }),
    update: async (spot, ts, message) => poster.update(spot, ts, await suited(message)),
  };
}
