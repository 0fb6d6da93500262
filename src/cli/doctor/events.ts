import { WebClient } from '@slack/web-api';
import type { Config } from '../../config.js';
import { clientOptions } from '../../slack/client.js';
import { events, eventUses, syncEvents, workObjectEvents } from '../../slack/manifest.js';
import { platformError } from '../../slack/platform-error.js';
import type { Notebook } from './finding.js';

const word = 'Update the app from `bellows manifest` and reinstall it.';

/** Slack shows an app's subscriptions only to its owner: the bot token cannot read them. */
export async function lookAtEvents(bot: WebClient, { slack, policy }: Config, found: Notebook): Promise<void> {
  if (slack.configToken === undefined)
    return found.note(
      `events: the bot token cannot show which of these the app subscribes to: ${events.join(', ')}`,
      'Compare the app’s Event Subscriptions with `bellows manifest`, or set SLACK_CONFIG_TOKEN for this check.',
    );
  const subscribed = await subscribedIn(bot, new WebClient(slack.configToken, clientOptions(slack)), found);
  if (!subscribed) return;
  const wanted = policy.workObjects ? [...events, ...workObjectEvents] : events;
  const missing = wanted.filter((event) => !subscribed.includes(event));
  for (const event of missing) found.failure(`events: ${event} is missing; it is needed for ${eventUses[event]}`, word);
  if (missing.length === 0) found.ok('events: all subscribed');
  for (const event of syncEvents)
    if (!subscribed.includes(event))
      found.note(
        `events: ${event} is missing; it is optional and needed for ${eventUses[event]}`,
        'To use it, update the app from `bellows manifest --thread-sync`.',
      );
}

async function subscribedIn(bot: WebClient, owner: WebClient, found: Notebook): Promise<readonly string[] | undefined> {
  try {
    const { bot_id } = await bot.auth.test();
    const about = await bot.bots.info({ ...(bot_id !== undefined && { bot: bot_id }) });
    const { manifest } = await owner.apps.manifest.export({ app_id: about.bot?.app_id ?? '' });
    return manifest?.settings?.event_subscriptions?.bot_events ?? [];
  } catch (error) {
    const says = platformError(error);
    if (says === undefined) throw error;
    found.warning(
      `events: Slack answered ${says}`,
      'Create a new app configuration token on api.slack.com/apps and set SLACK_CONFIG_TOKEN. It expires after 12 hours.',
    );
    return undefined;
  }
}
