import { WebClient } from '@slack/web-api';
import { WebSocket } from 'undici';
import type { Config } from '../../config.js';
import { reasonOf } from '../../errors.js';
import { property } from '../../property.js';
import { clientOptions } from '../../slack/client.js';
import { pagesOf } from '../../slack/lookup.js';
import { emailScopes, optionalScopes, scopes } from '../../slack/manifest.js';
import { platformError } from '../../slack/platform-error.js';
import { lookAtEvents } from './events.js';
import type { Notebook } from './finding.js';
import { namedIn, policiesIn } from './policies.js';

/** Of 200 channels each. */
const mostPages = 50;

export async function lookAtSlack(config: Config, found: Notebook): Promise<void> {
  const client = new WebClient(config.slack.botToken, clientOptions(config.slack));
  const held = await lookAtToken(client, found);
  if (held === undefined) return;
  lookAtScopes(held, config, found);
  await lookAtEvents(client, config, found);
  await lookAtConnection(config, found);
  await lookAtChannels(client, config, found);
  await lookAtGroups(client, config, found);
}

/** The token's scopes, or undefined if it does not work at all. */
async function lookAtToken(client: WebClient, found: Notebook): Promise<readonly string[] | undefined> {
  try {
    const answer = await client.auth.test();
    found.ok(`token: ${answer.user} in ${answer.team}`);
    return answer.response_metadata?.scopes ?? [];
  } catch (error) {
    const word = platformError(error);
    if (word === undefined) {
      const original = property(error, 'original');
      const code = property(original, 'code') ?? property(property(original, 'cause'), 'code');
      found.failure(
        `Could not reach Slack (${typeof code === 'string' ? code : 'no answer'})`,
        'Check that this machine can reach https://slack.com, directly or through its proxy.',
      );
      return undefined;
    }
    found.failure(`token: Slack answered ${word}`, 'Set SLACK_BOT_TOKEN to the app’s Bot User OAuth Token.');
    return undefined;
  }
}

function lookAtScopes(held: readonly string[], config: Config, found: Notebook): void {
  const without = (wanted: object) => Object.entries(wanted).filter(([scope]) => !held.includes(scope));
  const word = 'Update the app from `bellows manifest` and reinstall it.';
  const missing = without(scopes);
  for (const [scope, what] of missing) found.failure(`scopes: ${scope} is missing; it is needed for ${what}`, word);
  if (missing.length === 0) found.ok('scopes: all granted');
  for (const [scope, what] of without(optionalScopes))
    found.note(`scopes: ${scope} is missing; it is optional and needed for ${what}`, word);
  if (!config.policy.matchEmail) return;
  for (const [scope, what] of without(emailScopes))
    found.warning(
      `scopes: ${scope} is missing; it is needed for ${what}`,
      'Update the app from `bellows manifest --match-email` and reinstall it, or turn matchEmail off.',
    );
}

async function lookAtConnection({ slack }: Config, found: Notebook): Promise<void> {
  if (slack.mode.kind === 'http') {
    return found.note(
      'mode: HTTP; Slack must be able to reach this server from outside',
      "Check the app's Event Subscriptions page: the request URL must be verified.",
    );
  }
  const client = new WebClient(slack.mode.appToken, clientOptions(slack));
  try {
    const { url } = await client.apps.connections.open({});
    await hello(url ?? '');
    found.ok('Socket Mode: connected');
  } catch (error) {
    const word = platformError(error) ?? reasonOf(error);
    found.failure(
      `Socket Mode: ${word}`,
      'Turn on Socket Mode, create an app-level token with connections:write, and allow outgoing wss:// connections.',
    );
  }
}

/** Waits for Slack's hello and disconnects at once, so that events go to the running bot. */
async function hello(address: string): Promise<void> {
  const socket = new WebSocket(address);
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('Slack did not say hello within 5 s')), 5_000);
      const end = (once: () => void) => () => {
        clearTimeout(late);
        once();
      };
      socket.addEventListener('message', end(resolve), { once: true });
      socket.addEventListener(
        'error',
        end(() => reject(new Error('the connection could not be opened'))),
      );
    });
  } finally {
    socket.close();
  }
}

async function lookAtChannels(client: WebClient, { policy }: Config, found: Notebook): Promise<void> {
  const ask = (from: { cursor?: string }) =>
    client.users.conversations({
      types: 'public_channel,private_channel',
      exclude_archived: true,
      limit: 200,
      ...from,
    });
  const inside = new Map<string | undefined, string>();
  for await (const { channels } of pagesOf(ask, mostPages))
    for (const { id, name = '' } of channels ?? []) inside.set(id, `#${name}`);
  const names = [...inside.values()];
  if (names.length === 0) found.warning('channels: the bot is not in any', 'In a channel, type: /invite @Bellows');
  else found.ok(`channels: in ${names.length}: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`);
  const wanted = policiesIn(policy).flatMap(({ channel }) => channel ?? []);
  for (const channel of new Set(wanted.filter((id) => !inside.has(id)))) {
    found.failure(
      `channels: approvals go to ${channel}, but the bot is not in that channel`,
      'Invite it there, or fix bellows.yaml.',
    );
  }
}

async function lookAtGroups(client: WebClient, { policy }: Config, found: Notebook): Promise<void> {
  const { admin, maintainer } = policy.roles;
  const glass = Object.values(policy.deployments).map(({ breakGlass }) => breakGlass);
  const named = [admin, maintainer, ...namedIn(policy), ...glass].flatMap((each) => each?.groups ?? []);
  for (const group of new Set([...named, ...Object.values(policy.teams)])) {
    try {
      await client.usergroups.users.list({ usergroup: group });
    } catch (error) {
      const word = platformError(error) ?? 'no answer';
      found.failure(`user groups: ${group} cannot be read (${word})`, 'Fix the id in bellows.yaml.');
    }
  }
  if (!admin) found.note('roles: nobody is an admin', 'For admin commands, name admins under roles in bellows.yaml.');
}
