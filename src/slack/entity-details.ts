import type { EntityMetadata } from '@slack/types';
import { readPage } from '../chat/references.js';
import { readOnlySession } from '../chat/session.js';
import { within } from '../deadline.js';
import { UserError } from '../errors.js';
import { ApiError, isHidden } from '../forge/index.js';
import { isUnseen } from '../forge/possible.js';
import { type DoorDeps, personOf } from './door-deps.js';
import { isDrawable, workObject } from './work-object.js';

export interface DetailsRequest {
  readonly user: string;
  readonly trigger_id: string;
  readonly entity_url: string;
}

/** A trigger is valid for three seconds. */
const patienceMs = 2_300;

/** The details pane of a Work Object: what this person may see, and nothing for anyone else. */
export function createEntityDetails(deps: DoorDeps) {
  const { services, client, catalog } = deps;

  async function seenBy(user: string, url: string): Promise<EntityMetadata | string> {
    const person = personOf(deps, user);
    const page = readPage(url, services.forge.web);
    const account = await services.store.accounts.get(person);
    const linked = account?.state === 'active' ? account : undefined;
    const unseen = linked
      ? 'It doesn’t exist, or you don’t have access to it.'
      : `Run ${services.slash} signin to link your forge account, then open this again.`;
    if (!page || !isDrawable(page)) return unseen;
    const session = await readOnlySession(services, { person, channel: undefined, account: linked });
    // without a linked account, only public content is shown, read by the bot
    const context = linked ? session : { ...session, api: services.service };
    try {
      const repository = await context.api.repos.get(page.of);
      if (isHidden(repository) && !linked) return unseen;
      return await workObject(page, repository, context, { catalog });
    } catch (error) {
      if (error instanceof UserError) return unseen;
      if (!(error instanceof ApiError)) throw error;
      return isUnseen(error) ? unseen : 'The forge is not responding. Try again.';
    }
  }

  return async ({ user, trigger_id, entity_url }: DetailsRequest): Promise<void> => {
    const late = 'The forge took too long to respond. Try again.';
    const found = await within(patienceMs, seenBy(user, entity_url), 'too slow').catch((error: unknown) => {
      services.log.warn({ reason: String(error) }, 'details could not be shown');
      return late;
    });
    const error = { status: 'custom', custom_title: 'Not available', custom_message: String(found) };
    await client.entity.presentDetails({
      trigger_id,
      ...(typeof found === 'string' ? { error } : { metadata: found }),
    });
  };
}
