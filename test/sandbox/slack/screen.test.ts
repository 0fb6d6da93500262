import type { Seed } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { ada, button, clientOf, engine, general, modal, section, slackFor, socketApp } from './support.js';

const actions = (...names: string[]) => ({ type: 'actions' as const, elements: names.map((name) => button(name)) });

async function withCard() {
  const slack = await slackFor();
  await socketApp(slack, (app) => app.action(/.*/, async ({ ack }) => ack()));
  const client = clientOf(slack);
  const { ts = '' } = await client.chat.postMessage({ channel: engine, text: 'a card', blocks: [actions('merge')] });
  const [card] = slack.as('ada').sees(engine);
  if (card === undefined) throw new Error('no card');
  return { slack, client, person: slack.as('ada'), card, at: { channel: engine, ts } };
}

describe('a person presses what is on the screen', () => {
  it('and not a button that an update removed', async () => {
    const { client, person, card, at } = await withCard();
    await client.chat.update({ ...at, text: 'merged', blocks: [actions('revert')] });
    await expect(person.click(card, 'merge')).rejects.toThrow('There is no control merge here');
    expect(await person.click(card, 'revert')).toMatchObject({ ok: true });
  });

  it('and nothing on a deleted message', async () => {
    const { client, person, card, at } = await withCard();
    await client.chat.delete(at);
    await expect(person.click(card, 'merge')).rejects.toThrow('That message is gone');
    await expect(person.messageShortcut('comment', card)).rejects.toThrow('That message is gone');
  });

  it('except on an old screen, which still shows it', async () => {
    const { slack, client, person, card, at } = await withCard();
    await client.chat.update({ ...at, text: 'merged', blocks: [section('merged')] });
    expect(await person.clickOnOldScreen(card, 'merge')).toMatchObject({ ok: true });
    expect(slack.deliveries.last?.payload).toMatchObject({ actions: [{ action_id: 'merge' }] });
  });

  it('also below a message, on the card of a link', async () => {
    const slack = await slackFor({ unfurlDomains: ['forge.test'] });
    const url = 'https://forge.test/ada/engine/issues/12';
    await socketApp(slack, (app) => {
      app.action(/.*/, async ({ ack }) => ack());
      app.event('link_shared', async ({ event, client }) => {
        const unfurls = { [url]: { fallback: 'Issue 12', blocks: [actions('close')] } };
        await client.chat.unfurl({ channel: event.channel, ts: event.message_ts, unfurls });
      });
    });
    const message = await slack.as('ada').post(engine, url);
    await slack.until(() => slack.state.messages(engine).find(({ unfurls }) => url in unfurls));
    expect(await slack.as('ada').click(message, 'close')).toMatchObject({ ok: true });
  });

  it('and nothing in a form that was closed', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, client, command }) => {
        await client.views.open({ trigger_id: command.trigger_id, view: modal('f', [actions('more')]) });
        await ack();
      });
    });
    const person = slack.as('ada');
    await person.command(general, '/forge');
    const form = person.openView();
    if (form === undefined) throw new Error('no form');
    await person.close();
    await expect(person.click(form, 'more')).rejects.toThrow('That view is closed');
  });
});

const stranger = { id: 'U0STRANGE1', name: 'stranger', teamId: 'T0OTHER001' };

describe('a person reaches only what they may', () => {
  it('nothing once deactivated', async () => {
    const slack = await slackFor();
    await slack.happens.deactivate('ada');
    const person = slack.as('ada');
    await expect(person.post(general, 'hello')).rejects.toThrow('ada is deactivated');
    await expect(person.command(general, '/forge')).rejects.toThrow('ada is deactivated');
    await expect(person.openHome()).rejects.toThrow('ada is deactivated');
    const { members } = await clientOf(slack).conversations.members({ channel: general });
    expect(members).not.toContain(ada);
  });

  it('an archived channel to read, not to write', async () => {
    const slack = await slackFor();
    const person = slack.as('ada');
    await person.post(general, 'hello');
    await slack.happens.archive(general, 'grace');
    await expect(person.post(general, 'again')).rejects.toThrow('general is archived');
    await expect(person.command(general, '/forge')).rejects.toThrow('general is archived');
    expect(person.sees(general)).toMatchObject([{ text: 'hello' }]);
  });

  it('of another team only the channels shared with it', async () => {
    const seed: Seed = {
      users: [stranger],
      channels: [
        { id: 'C0OURS0001', name: 'ours' },
        { id: 'C0SHARED01', name: 'shared', sharedWith: ['T0OTHER001'] },
      ],
    };
    const slack = await slackFor({ seed });
    const person = slack.as('stranger');
    expect(() => person.sees('ours')).toThrow('stranger is not in ours');
    expect((await person.post('shared', 'hello')).text).toBe('hello');
    await slack.happens.unshare('shared', 'T0OTHER001');
    await expect(person.post('shared', 'again')).rejects.toThrow('stranger is not in shared');
  });
});
