import type { Obj } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { ada, button, clientOf, engine, section, slackFor, socketApp } from './support.js';

describe('changes around people', () => {
  it('notifies the app about links it unfurls, and shows the unfurl to everyone', async () => {
    const slack = await slackFor({ unfurlDomains: ['forge.test'] });
    const url = 'https://forge.test/ada/engine/issues/12';
    await socketApp(slack, (app) => {
      app.event('link_shared', async ({ event, client }) => {
        const unfurl = { fallback: 'Issue 12', blocks: [section('*Issue 12*')] };
        await client.chat.unfurl({ channel: event.channel, ts: event.message_ts, unfurls: { [url]: unfurl } });
      });
    });
    await slack.as('ada').post(engine, `look: ${url} and https://other.test/`);
    const message = await slack.until(() => slack.state.messages(engine).find(({ unfurls }) => url in unfurls));
    expect(Object.keys(message.unfurls)).toEqual([url]);
  });

  it('passes a message to a message shortcut', async () => {
    const slack = await slackFor();
    let quoted = '';
    await socketApp(slack, (app) => {
      app.shortcut({ callback_id: 'comment', type: 'message_action' }, async ({ ack, shortcut }) => {
        quoted = shortcut.message.text ?? '';
        await ack();
      });
    });
    const message = await slack.as('grace').post(engine, 'it broke');
    await slack.as('ada').messageShortcut('comment', message);
    expect(quoted).toBe('it broke');
  });

  it('emits an event for each change of a channel or a person', async () => {
    const slack = await slackFor();
    const events: Obj[] = [];
    await socketApp(slack, (app) => {
      app.event(/.*/, async ({ event }) => {
        events.push(JSON.parse(JSON.stringify(event)));
      });
    });
    await slack.happens.share('general', 'T0PARTNER1');
    await slack.happens.unshare('general', 'T0PARTNER1');
    await slack.happens.archive('general', 'ada');
    await slack.happens.archive('private', 'ada');
    await slack.happens.leave('engine', 'grace');
    await slack.happens.deactivate('grace');
    await slack.happens.uninstall();
    await slack.until(() => slack.deliveries.all.length === 8);
    await expect.poll(() => events.length).toBeGreaterThan(5);
    expect(slack.deliveries.all.map(({ payload }) => JSON.parse(JSON.stringify(payload['event'])).type)).toEqual([
      'channel_shared',
      'channel_unshared',
      'channel_archive',
      'group_archive',
      'member_left_channel',
      'user_change',
      'tokens_revoked',
      'app_uninstalled',
    ]);
  });

  it('emits only what the app subscribed to', async () => {
    const slack = await slackFor({ events: ['user_change'] });
    await slack.happens.share('general', 'T0PARTNER1');
    await slack.happens.deactivate('grace');
    expect(slack.deliveries.all).toHaveLength(1);
  });

  it('shows a stranger in a shared channel under their own team', async () => {
    const slack = await slackFor({
      seed: {
        users: [
          { id: ada, name: 'ada' },
          { id: 'U0STRANGE1', name: 'stranger', teamId: 'T0PARTNER1' },
        ],
        channels: [{ id: engine, name: 'engine', members: ['ada', 'stranger'], sharedWith: ['T0PARTNER1'] }],
      },
    });
    let team = '';
    await socketApp(slack, (app) => {
      app.action('a', async ({ ack, body }) => {
        team = body.team?.id ?? '';
        await ack();
      });
    });
    const blocks = [{ type: 'actions' as const, elements: [button('a')] }];
    await clientOf(slack).chat.postMessage({ channel: engine, text: 'a', blocks });
    const [card] = slack.as('stranger').sees(engine);
    if (card === undefined) throw new Error('no card');
    await slack.as('stranger').click(card, 'a');
    expect(team).toBe('T0PARTNER1');
  });
});
