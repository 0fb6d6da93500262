import { describe, expect, it } from 'vitest';
import { ada, button, clientOf, engine, slackFor, socketApp } from './support.js';

describe('a pressed control', () => {
  it('is sent with the choice and, in messages, with other choices there', async () => {
    const slack = await slackFor();
    const states: unknown[] = [];
    await socketApp(slack, (app) => {
      app.action(/.*/, async ({ ack, body }) => {
        states.push(JSON.parse(JSON.stringify(body)).state?.values);
        await ack();
      });
    });
    const options = ['low', 'high'].map((value) => ({ text: { type: 'plain_text' as const, text: value }, value }));
    await clientOf(slack).chat.postMessage({
      channel: engine,
      text: 'choose',
      blocks: [
        {
          type: 'actions',
          block_id: 'row',
          elements: [{ type: 'static_select', action_id: 'level', options }, button('go', 'Go')],
        },
      ],
    });
    const [card] = slack.as('ada').sees(engine);
    if (card === undefined) throw new Error('no card');
    await slack.as('ada').select(card, 'level', 'high');
    await slack.as('ada').click(card, 'Go');
    expect(states[1]).toMatchObject({ row: { level: { selected_option: { value: 'high' } } } });
  });

  it('must exist', async () => {
    const slack = await slackFor();
    const message = await slack.as('ada').post(engine, 'plain');
    await expect(slack.as('ada').click(message, 'Merge')).rejects.toThrow('There is no control Merge here');
  });

  it('cannot be on something only someone else sees', async () => {
    const slack = await slackFor();
    await clientOf(slack).chat.postEphemeral({
      channel: engine,
      user: ada,
      text: 'psst',
      blocks: [{ type: 'actions', elements: [button('a')] }],
    });
    const [message] = slack.state.ephemerals('ada');
    if (message === undefined) throw new Error('no message');
    await expect(slack.as('grace').click(message, 'a')).rejects.toThrow('grace does not see that');
  });

  it('lets an ephemeral card be replaced and removed through its response_url', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => {
      app.action('next', async ({ ack, respond }) => {
        await ack();
        await respond({
          text: 'page 2',
          replace_original: true,
          blocks: [{ type: 'actions', elements: [button('done')] }],
        });
      });
      app.action('done', async ({ ack, respond }) => {
        await ack();
        await respond({ delete_original: true });
      });
    });
    await clientOf(slack).chat.postEphemeral({
      channel: engine,
      user: ada,
      text: 'page 1',
      blocks: [{ type: 'actions', elements: [button('next')] }],
    });
    const person = slack.as('ada');
    const [first] = person.sees(engine);
    if (first === undefined) throw new Error('no card');
    await person.click(first, 'next');
    const second = await slack.until(() => person.sees(engine).find(({ text }) => text === 'page 2'));
    await person.click(second, 'done');
    await slack.until(() => person.sees(engine).length === 0);
  });
});
