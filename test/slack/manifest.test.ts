import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { eventShapes } from '../../src/slack/doors/event.js';
import { shortcuts } from '../../src/slack/doors/shortcut.js';
import { createManifest, optionalScopes, scopes } from '../../src/slack/manifest.js';
import { type Bellows, startBellows } from '../support/bellows.js';

/** What each method of the Web API needs, as Slack documents it. */
const methodScopes: Readonly<Record<string, readonly string[]>> = {
  'apps.connections.open': [],
  'auth.test': [],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history'],
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
  app_home_opened: [],
  link_shared: ['links:read'],
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
  .filter((path) => path.endsWith('.ts') && !path.startsWith('sandbox'))
  .map((path) => readFileSync(join('src', path), 'utf8'));
const called = new Set(
  sources.flatMap((text) => [...text.matchAll(/\bclient\.((?:[a-z]+\.)+[A-Za-z]+)\(/g)].map(([, name = '']) => name)),
);

describe('the Slack app manifest', () => {
  it('asks for exactly the scopes that the calls, events and commands of the code need', () => {
    const needed = [...called].flatMap((method) => methodScopes[method] ?? [`unknown method ${method}`]);
    const wanted = new Set(['commands', ...needed, ...Object.values(eventScopes).flat()]);
    expect([...wanted].sort()).toEqual([...Object.keys(scopes), ...Object.keys(optionalScopes)].sort());
  });

  it('knows no method that nobody calls', () => {
    expect(Object.keys(methodScopes).filter((method) => !called.has(method))).toEqual([]);
  });

  it('listens to exactly the events the code handles', () => {
    const { settings } = createManifest({ mode: 'socket', command: '/forge', forgeHost: 'git.example.org' });
    expect([...(settings?.event_subscriptions?.bot_events ?? [])].sort()).toEqual(Object.keys(eventShapes).sort());
  });

  it('leaves link_shared out where no forge is named, as Slack wants a domain with it', () => {
    const { settings, features } = createManifest({ mode: 'socket', command: '/forge' });
    expect(settings?.event_subscriptions?.bot_events).not.toContain('link_shared');
    expect(features?.unfurl_domains).toBeUndefined();
  });

  it('names one slash command, and shortcuts to commands that exist', () => {
    const { features } = createManifest({ mode: 'socket', command: '/git' });
    expect(features?.slash_commands?.map(({ command }) => command)).toEqual(['/git']);
    const names = commands.map(({ name }) => name);
    for (const { command } of Object.values(shortcuts)) expect(names).toContain(command);
    expect(features?.shortcuts?.map(({ callback_id }) => callback_id)).toEqual(Object.keys(shortcuts));
  });

  it('sends everything to the one address in HTTP mode', () => {
    const manifest = createManifest({ mode: 'http', url: 'https://bellows.test/', command: '/forge' });
    const addresses = [...JSON.stringify(manifest).matchAll(/"(https:[^"]*)"/g)].map(([, url]) => url);
    expect(new Set(addresses)).toEqual(new Set(['https://bellows.test/slack/events']));
    expect(addresses).toHaveLength(4);
    expect(manifest.settings?.socket_mode_enabled).toBe(false);
  });

  it('keeps Slack’s sizes', () => {
    for (const mode of ['socket', 'http'] as const) {
      const { display_information: about, features } = createManifest({ mode, command: '/forge' });
      expect(about.name.length).toBeLessThanOrEqual(35);
      expect(about.description?.length).toBeLessThanOrEqual(140);
      for (const { name, description } of features?.shortcuts ?? []) {
        expect(name.length).toBeLessThanOrEqual(24);
        expect(description.length).toBeLessThanOrEqual(150);
      }
    }
  });

  it.each(['socket', 'http'])('in manifests/ is exactly what `bellows manifest --mode %s` writes', async (mode) => {
    const command = ['--import', 'tsx', 'src/cli.ts', 'manifest', '--mode', mode];
    const { stdout } = await promisify(execFile)('node', command);
    expect(readFileSync(`manifests/slack-${mode}.json`, 'utf8')).toBe(stdout);
  });
});

describe('an app with exactly these scopes', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({
      slack: { scopes: Object.keys(scopes), events: Object.keys(eventShapes), unfurlDomains: ['127.0.0.1'] },
    });
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
    await slack.until(() => ada.sees(ada.dm).some(({ text }) => text.includes('You will be reminded')));
    const refused = slack.calls.all.filter(({ result }) => result['error'] === 'missing_scope');
    expect(refused).toEqual([]);
    expect(slack.failures.all).toEqual([]);
  });
});
