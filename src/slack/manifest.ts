import type { AppsManifestValidateArguments } from '@slack/web-api';
import { type EventName, eventShapes } from './doors/event.js';
import { shortcuts } from './doors/shortcut.js';

type Manifest = AppsManifestValidateArguments['manifest'];
type Scope = NonNullable<NonNullable<NonNullable<Manifest['oauth_config']>['scopes']>['bot']>[number];
type ManifestEvent = NonNullable<
  NonNullable<NonNullable<Manifest['settings']>['event_subscriptions']>['bot_events']
>[number];

// A record's keys are its names; the compiler only knows that they are strings.
const namesOf = <Name extends string>(record: Readonly<Partial<Record<Name, unknown>>>) =>
  Object.keys(record) as Name[];

export interface ManifestOptions {
  /** The origin at which Slack reaches the bot; Socket Mode needs none. */
  readonly url?: string | undefined;
  readonly command: string;
  /** Host of the forge whose links are unfurled. */
  readonly forgeHost: string;
  /** People may be matched by email. */
  readonly matchEmail?: boolean;
  /** Replies in threads may become comments. */
  readonly threadSync?: boolean;
  /** Links are shown as Work Objects. */
  readonly workObjects?: boolean;
}

/** Each with what would not work without it. */
export const scopes: Readonly<Partial<Record<Scope, string>>> = {
  commands: 'the slash command and shortcuts',
  'chat:write': 'answers, updates and approval cards',
  'app_mentions:read': 'commands that mention the bot',
  'im:history': 'commands written to the bot in a direct message',
  'im:write': 'direct messages',
  'users:read': 'names, time zones and deactivated people',
  'usergroups:read': 'roles given to user groups',
  'channels:read': 'checking whether a channel is public, shared or archived',
  'groups:read': 'the same in private channels the bot is in',
  'links:read': 'links to the forge in messages',
  'links:write': 'cards under those links',
};

/** Requested, not required: without history, an unknown outcome is posted again, marked as possibly repeated. */
export const optionalScopes: Readonly<Partial<Record<Scope, string>>> = {
  'channels:history': 'checking whether an unconfirmed message was posted, and replies as comments (thread:sync)',
  'groups:history': 'the same in private channels',
  'dnd:read': 'proposing no reviewers who do not want to be disturbed today',
};

/** Requested only if bellows.yaml has matchEmail. */
export const emailScopes: Readonly<Partial<Record<Scope, string>>> = {
  'users:read.email': 'matching people by email',
};

/** Requested only if threads are synced: the app then gets every message of its channels. */
export const syncEvents = ['message.channels', 'message.groups'] as const satisfies readonly ManifestEvent[];

/** Of all messages, only those to the bot itself. */
const nameOf = (event: EventName) => (event === 'message' ? 'message.im' : event);
/** Requested only if links are shown as Work Objects. */
export const workObjectEvents = ['entity_details_requested'] as const satisfies readonly ManifestEvent[];
type Subscribed = ReturnType<typeof nameOf>;
export const events: readonly Subscribed[] = namesOf(eventShapes)
  .map(nameOf)
  .filter((event) => !workObjectEvents.some((each) => each === event));

const channelChange = 'noticing at once that a channel was archived, shared or renamed';
const membership = 'noticing at once that the bot was added to a channel or removed from it';

/** What would not work without each. */
export const eventUses: Readonly<Record<Subscribed | (typeof syncEvents)[number], string>> = {
  app_mention: 'commands that mention the bot',
  'message.im': 'commands written to the bot in a direct message',
  app_home_opened: 'the Home tab',
  link_shared: 'cards under links to the forge',
  entity_details_requested: 'the details pane of Work Objects',
  user_change: 'noticing at once that a person was deactivated',
  channel_archive: channelChange,
  channel_unarchive: channelChange,
  channel_shared: channelChange,
  channel_unshared: channelChange,
  channel_rename: channelChange,
  group_archive: channelChange,
  group_unarchive: channelChange,
  member_joined_channel: membership,
  member_left_channel: membership,
  'message.channels': 'replies as comments (thread:sync)',
  'message.groups': 'the same in private channels',
};

export function createManifest({ url, command, forgeHost, ...wanted }: ManifestOptions): Manifest {
  const { matchEmail = false, threadSync = false, workObjects = false } = wanted;
  const subscribed = [...events, ...(threadSync ? syncEvents : []), ...(workObjects ? workObjectEvents : [])];
  const wished = { ...optionalScopes, ...(matchEmail ? emailScopes : {}) };
  const address = url === undefined ? undefined : `${url}/slack/events`;
  const endpoint = address === undefined ? {} : { request_url: address };
  return {
    display_information: {
      name: 'Bellows',
      description: 'Run Gitea and Forgejo from Slack and follow what matters.',
      background_color: '#3b2f2f',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Bellows', always_online: true },
      slash_commands: [
        {
          command,
          description: 'Run Gitea and Forgejo from Slack',
          usage_hint: 'issue close owner/repo#12 · help',
          should_escape: true,
          ...(address === undefined ? {} : { url: address }),
        },
      ],
      shortcuts: Object.entries(shortcuts).map(([callback_id, { name, type, command: word }]) => ({
        name,
        type,
        callback_id,
        description: `Opens ${command} ${word}`,
      })),
      unfurl_domains: [forgeHost],
    },
    oauth_config: {
      // Slack does not request scopes listed only as optional.
      scopes: { bot: namesOf({ ...scopes, ...wished }), bot_optional: namesOf(wished) },
    },
    settings: {
      event_subscriptions: { bot_events: subscribed, ...endpoint },
      interactivity: {
        is_enabled: true,
        ...endpoint,
        ...(address === undefined ? {} : { message_menu_options_url: address }),
      },
      org_deploy_enabled: false,
      socket_mode_enabled: address === undefined,
      token_rotation_enabled: false,
    },
  };
}
