import { forgetPerson } from '../domain/accounts/forget-person.js';
import type { Person } from '../store/index.js';
import type { DoorDeps } from './door-deps.js';
import type { EventHandlers } from './doors/event.js';
import { createReplyDoor } from './doors/replies.js';
import { createWritten, type WrittenOptions } from './doors/written.js';
import { createEntityDetails } from './entity-details.js';
import type { Home } from './home.js';
import { createUnfurl } from './unfurl.js';

export interface EventOptions {
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
