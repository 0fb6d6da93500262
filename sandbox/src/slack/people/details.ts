import type { Core } from '../core.js';
import { emit } from '../events.js';
import type { User } from '../model.js';
import { type Reply, replyOf } from './reply.js';

/** A person clicks a Work Object: the app is asked for what that person may see. */
export async function openDetails(core: Core, user: User, url: string): Promise<Reply> {
  core.details.delete(user.id);
  return replyOf(
    await emit(core, {
      type: 'entity_details_requested',
      user: user.id,
      trigger_id: core.triggers.issue(user.id),
      link: { url, domain: new URL(url).hostname },
      entity_url: url,
      app_unfurl_url: url,
      user_locale: 'en-US',
    }),
  );
}
