import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/features/index.js';
import { eventShapes } from '../../src/slack/doors/event.js';
import { shortcuts } from '../../src/slack/doors/shortcut.js';
import { createManifest, emailScopes, optionalScopes, scopes } from '../../src/slack/manifest.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { cliHere } from '../support/cli.js';

/** What each method of the Web API needs, as Slack documents it. */
const methodScopes: Readonly<Record<string, readonly string[]>> = {
  'apps.connections.open': [],
  'auth.test': [],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.members': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history'],
  'dnd.info': ['dnd:read'],
  'entity.presentDetails': [],
  'usergroups.users.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read'],
  'users.info': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'views.open': [],
  'views.push': [],
  'views.publish': [],
  'views.update': [],
};

const eventScopes: Readonly<Record<keyof typeof eventShapes, readonly string[]>> = {
  app_mention: ['app_mentions:read'],
  message: ['im:history'],
  app_home_opened: [],
  link_shared: ['links:read'],
  entity_details_requested: [],
  user_change: ['users:read'],
  channel_archive: ['channels:read'],
  channel_unarchive: ['channels:read'],
  channel_shared: ['channels:read'],
  channel_unshared: ['channels:read'],
  channel_rename: ['channels:read'],
  group_archive: ['groups:read'],
  group_unarchive: ['groups:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  member_left_channel: ['channels:read', 'groups:read'],
};

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join('src', path), 'utf8'));
const called = new Set(
  sources.flatMap((text) => [...text.matchAll(/\bclient\.((?:[a-z]+\.)+[A-Za-z]+)\(/g)].map(([, name = '']) => name)),
);

const needed = [...called].flatMap((method) => methodScopes[method] ?? [`unknown method ${method}`]);
const wanted = new Set(['commands', ...needed, ...Object.values(eventScopes).flat()]);

const options = { command: '/forge', forgeHost: 'git.example.org' };

describe('the Slack app manifest', () => {
  it('requests exactly the scopes that the code’s calls, events and commands need', () => {
    const all = { ...scopes, ...optionalScopes, ...emailScopes };
    expect([...wanted].sort()).toEqual(Object.keys(all).sort());
  });

  it('lists no method that nobody calls', () => {
    expect(Object.keys(methodScopes).filter((method) => !called.has(method))).toEqual([]);
  });

  it('requests the optional scopes as well, as Slack grants none listed only as optional', () => {
    const asked = createManifest(options).oauth_config?.scopes;
    expect(asked?.bot).toEqual([...Object.keys(scopes), ...Object.keys(optionalScopes)]);
    expect(asked?.bot_optional).toEqual(Object.keys(optionalScopes));
  });

  it('subscribes to all messages and to details panes only if they are wanted', () => {
    const eventsOf = (options: object) =>
      createManifest({ command: '/forge', forgeHost: 'git.example.org', ...options }).settings?.event_subscriptions
        ?.bot_events ?? [];
    const usual = eventsOf({});
    const more = (options: object) => eventsOf(options).filter((event) => !usual.includes(event));
    expect(more({ threadSync: true })).toEqual(['message.channels', 'message.groups']);
    expect(more({ workObjects: true })).toEqual(['entity_details_requested']);
  });

  it('requests email addresses only if people are matched by them', () => {
    expect(createManifest({ ...options, matchEmail: true }).oauth_config?.scopes?.bot).toContain('users:read.email');
    expect(JSON.stringify(createManifest(options))).not.toContain('users:read.email');
  });

  it('names one slash command, and shortcuts to commands that exist', () => {
    const { features } = createManifest({ ...options, command: '/git' });
    expect(features?.slash_commands?.map(({ command }) => command)).toEqual(['/git']);
    const names = commands.map(({ name }) => name);
    for (const { command } of Object.values(shortcuts)) expect(names).toContain(command);
    expect(features?.shortcuts?.map(({ callback_id }) => callback_id)).toEqual(Object.keys(shortcuts));
  });

  it('sends everything to the one address in HTTP mode', () => {
    const manifest = createManifest({ ...options, url: 'https://bellows.test' });
    const addresses = [...JSON.stringify(manifest).matchAll(/"(https:[^"]*)"/g)].map(([, url]) => url);
    expect(new Set(addresses)).toEqual(new Set(['https://bellows.test/slack/events']));
    expect(addresses).toHaveLength(4);
    expect(manifest.settings?.socket_mode_enabled).toBe(false);
  });

  it('keeps to Slack’s limits', () => {
    const { display_information: about, features } = createManifest(options);
    expect(about.name.length).toBeLessThanOrEqual(35);
    expect(about.description?.length).toBeLessThanOrEqual(140);
    for (const { name, description } of features?.shortcuts ?? []) {
      expect(name.length).toBeLessThanOrEqual(24);
      expect(description.length).toBeLessThanOrEqual(150);
    }
  });
});

describe.each(['socket', 'http'])('the manifest for %s mode that comes with Bellows', (mode) => {
  const text = readFileSync(`manifests/slack-${mode}.json`, 'utf8');
  const { oauth_config, settings, features }: ReturnType<typeof createManifest> = JSON.parse(text);

  it('names exactly the scopes, events, command, shortcuts and links the code uses', () => {
    const usual = [...wanted].filter((scope) => scope !== 'users:read.email');
    expect([...(oauth_config?.scopes?.bot ?? [])].sort()).toEqual(usual.sort());
    expect([...(settings?.event_subscriptions?.bot_events ?? [])].sort()).toEqual(
      Object.keys(eventShapes)
        .map((name) => (name === 'message' ? 'message.im' : name))
        // requested with --work-objects
        .filter((name) => name !== 'entity_details_requested')
        .sort(),
    );
    expect(features?.slash_commands?.map(({ command }) => command)).toEqual(['/forge']);
    expect(features?.shortcuts?.map(({ callback_id }) => callback_id)).toEqual(Object.keys(shortcuts));
    expect(features?.unfurl_domains).toEqual(['git.example.org']);
  });

  it('is exactly what `bellows manifest` writes', async () => {
    expect((await cliHere({}, 'manifest', '--mode', mode)).stdout).toBe(text);
  });
});

describe('an app without the optional scopes', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ slack: { scopes: Object.keys(scopes) } });
  });
  afterAll(() => bellows.close());

  it('can do what Bellows does, in channels and direct messages', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    await bellows.link('ada');
    await ada.openHome();
    await slack.until(() => ada.home());
    await ada.post('engine', `${forge.url}/acme/engine/issues/4`);
    await slack.until(() => slack.state.messages('engine').some(({ unfurls }) => Object.keys(unfurls).length > 0));
    await ada.command(ada.dm, '/forge', 'remind reviews daily 9:30');
    await slack.until(() => ada.sees(ada.dm).some(({ text }) => text.includes('You’ll get a reminder')));
    const refused = slack.calls.all.filter(({ result }) => result['error'] === 'missing_scope');
    expect(refused).toEqual([]);
    expect(slack.failures.all).toEqual([]);
  });
});
