import type { EntityMetadata } from '@slack/types';
import { readPage } from '../chat/references.js';
import { readOnlySession } from '../chat/session.js';
import { within } from '../deadline.js';
import { reasonOf, UserError } from '../errors.js';
import { forgetPerson } from '../features/accounts/sign-out.js';
import { ApiError, isHidden } from '../forge/index.js';
import { isUnseen } from '../forge/possible.js';
import type { Person } from '../store/index.js';
import { type DoorDeps, personOf } from './door-deps.js';
import type { EventHandlers } from './doors/event.js';
import { createReplyDoor } from './doors/replies.js';
import { createWritten, type WrittenOptions } from './doors/written.js';
import type { Home } from './home.js';
import { createUnfurl } from './unfurl.js';
import { isDrawable, workObject } from './work-object.js';

interface DetailsRequest {
  readonly user: string;
  readonly trigger_id: string;
  readonly entity_url: string;
}

/** A trigger is valid for three seconds. */
const patienceMs = 2_300;

/** The details pane of a Work Object: what this person may see, and nothing for anyone else. */
function createEntityDetails(deps: DoorDeps) {
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
      services.log.warn({ reason: reasonOf(error) }, 'details could not be shown');
      return late;
    });
    const error = { status: 'custom', custom_title: 'Not available', custom_message: String(found) };
    await client.entity.presentDetails({
      trigger_id,
      ...(typeof found === 'string' ? { error } : { metadata: found }),
    });
  };
}

interface EventOptions {
  readonly deps: DoorDeps;
  readonly home: Home;
  readonly bot: string;
  readonly say: WrittenOptions['say'];
}

/** Events of the workspace besides commands and clicks. */
export function createEventHandlers({ deps, home, bot, say }: EventOptions): EventHandlers {
  const { team, client } = deps;
  const { store } = deps.services;
  /** Cached facts about a channel may be wrong from now on: the next reader asks Slack. */
  const forget = (channel: string) => store.channels.forgetFacts({ team, channel });
  const changed = ({ channel }: { channel: string }) => forget(channel);
  const member = async ({ channel, user }: { channel: string; user: string }) => {
    if (user === bot) await forget(channel);
  };
  /** Recorded first: the worker handles whatever is missed here, and who takes over their subscriptions. */
  const left = async (person: Person) => {
    await store.departures.note(person);
    await forgetPerson(store, person, 'The requester has left.');
  };
  const written = createWritten({ deps, bot, say });
  const reply = createReplyDoor({ deps, bot, say });
  return {
    app_mention: written.mention,
    message: async (event) => {
      await written.message(event);
      await reply(event);
    },
    app_home_opened: async ({ user, tab, view }) => {
      if (tab === undefined || tab === 'home') await home.opened({ team, user }, view?.hash);
    },
    link_shared: createUnfurl({ services: deps.services, catalog: deps.catalog, client, team }).shared,
    entity_details_requested: createEntityDetails(deps),
    user_change: async ({ user }) => {
      if (user.deleted) await left({ team, user: user.id });
    },
    channel_archive: changed,
    channel_unarchive: changed,
    channel_shared: changed,
    channel_unshared: changed,
    channel_rename: ({ channel }) => forget(channel.id),
    group_archive: changed,
    group_unarchive: changed,
    member_joined_channel: member,
    member_left_channel: member,
  };
}
