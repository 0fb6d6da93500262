import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Catalog } from '../chat/command.js';
import { bindButtons, fitted } from '../chat/fitted.js';
import { readOnlySession, type Services } from '../chat/session.js';
import type { Person } from '../store/index.js';
import { type Blocks, divider, context as quiet } from '../view/blocks.js';
import { home } from '../view/home.js';
import type { Message } from '../view/message.js';
import { md } from '../view/text.js';
import { date } from '../view/when.js';
import { homeBlocks, readHome, strangerBlocks } from './home-content.js';
import { platformError } from './platform-error.js';

export interface HomeOptions {
  readonly services: Services;
  readonly client: WebClient;
  readonly catalog: Catalog;
}

export type Home = ReturnType<typeof createHome>;

/** Each person's App Home, drawn as that person and published when they open it or act. */
export function createHome({ services, client, catalog }: HomeOptions) {
  async function draw(person: Person, notice: Message | undefined): Promise<HomeView> {
    const account = await services.store.accounts.get(person);
    const active = account?.state === 'active' ? account : undefined;
    const context = await readOnlySession(services, { person, channel: undefined, account: active });
    const said: Blocks = notice ? [...notice.blocks, divider()] : [];
    const body = active ? homeBlocks(await readHome(context), active, context, catalog) : strangerBlocks(account);
    const fit = await bindButtons(await fitted(body, catalog, services.forge), catalog, context.repoId);
    return home([...said, ...fit, quiet([md`Last updated: ${date(context.now, context.now, '')}`])]);
  }

  /** `hash` is of the Home that was seen: a newer one is not overwritten. */
  const publish = async (person: Person, hash?: string, notice?: Message): Promise<boolean> => {
    const view = await draw(person, notice);
    try {
      await client.views.publish({ user_id: person.user, view, ...(hash ? { hash } : {}) });
      return true;
    } catch (error) {
      if (platformError(error) === 'hash_conflict') return false;
      throw error;
    }
  };

  return {
    /** The person opened it. If it was redrawn in between, that is just as good. */
    async opened(person: Person, hash: string | undefined): Promise<void> {
      await publish(person, hash);
    },

    /** Shows the answer to a click on top of the fresh Home. */
    async answer(person: Person, hash: string, notice: Message): Promise<void> {
      if (!(await publish(person, hash, notice))) await publish(person, undefined, notice);
    },
  };
}
