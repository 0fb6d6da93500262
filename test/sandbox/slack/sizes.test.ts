import { describe, expect, it } from 'vitest';
import { long, many, row } from './samples.js';
import { ada, clientOf, engine, general, modal, refusal, section, slackFor, socketApp, textField } from './support.js';

const rich = {
  type: 'rich_text' as const,
  elements: [{ type: 'rich_text_section' as const, elements: [{ type: 'text' as const, text: 'a' }] }],
};

describe('what one message may hold', () => {
  it('counts the text of all blocks and attachments together, and records what is too much', async () => {
    const slack = await slackFor();
    const attachments = many(5, () => ({ fallback: 'a', blocks: [section(long(2700))] }));
    const call = clientOf(slack).chat.postMessage({ channel: general, text: 'a', attachments });
    expect(await refusal(call)).toMatchObject({ error: 'msg_blocks_too_long' });
    expect(slack.failures.all).toMatchObject([{ kind: 'too_large', detail: 'chat.postMessage: msg_blocks_too_long' }]);
  });

  it('counts the text of unfurls', async () => {
    const slack = await slackFor({ unfurlDomains: ['forge.test'] });
    await socketApp(slack, (app) => app.event('link_shared', async () => {}));
    const url = 'https://forge.test/ada/engine/issues/12';
    const { ts } = await slack.as('ada').post(engine, url);
    const unfurl = { fallback: 'a', blocks: many(5, () => section(long(2700))) };
    const call = clientOf(slack).chat.unfurl({ channel: engine, ts, unfurls: { [url]: unfurl } });
    expect(await refusal(call)).toMatchObject({ error: 'msg_blocks_too_long' });
  });

  it('lets a data table be as long as its own limit', async () => {
    const slack = await slackFor();
    const post = (rows: object[]) => {
      const block = { type: 'data_table', caption: 'c', rows };
      return clientOf(slack).chat.postMessage({ channel: general, text: 'a', blocks: [block as never] });
    };
    expect((await post(many(201, () => row(5)))).ok).toBe(true);
    const full = [{ type: 'raw_text', text: long(3000) }];
    expect((await post(many(6, () => full))).ok).toBe(true);
    expect(await refusal(post(many(7, () => full)))).toMatchObject({ error: 'invalid_blocks' });
  });

  it('takes 12 000 characters of markdown on update, and 4000 of text', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'hello' });
    const at = { channel: general, ts };
    expect((await client.chat.update({ ...at, markdown_text: long(12_000) })).ok).toBe(true);
    expect(await refusal(client.chat.update({ ...at, text: long(4001) }))).toMatchObject({ error: 'msg_too_long' });
    expect(slack.failures.of('too_large')).toHaveLength(1);
  });

  it('records metadata that is too large', async () => {
    const slack = await slackFor();
    const metadata = { event_type: 'e', event_payload: { a: long(16_000) } };
    const call = clientOf(slack).chat.postMessage({ channel: general, text: 'a', metadata });
    expect(await refusal(call)).toMatchObject({ error: 'metadata_too_large' });
    expect(slack.failures.of('too_large')).toHaveLength(1);
  });

  it('forgets the name of a markdown block', async () => {
    const slack = await slackFor();
    const block = { type: 'markdown' as const, text: 'a', block_id: 'mine' };
    await clientOf(slack).chat.postMessage({ channel: general, text: 'a', blocks: [block] });
    expect(slack.state.messages(general)[0]?.blocks[0]?.['block_id']).not.toBe('mine');
  });

  it('does not let rich text become anything else through a response_url', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => {
      app.action('a', async ({ ack, respond }) => {
        await ack();
        await respond({ text: 'b', replace_original: true, blocks: [{ type: 'divider' }] }).catch(() => {});
      });
    });
    const press = { type: 'button' as const, action_id: 'a', text: { type: 'plain_text' as const, text: 'A' } };
    const blocks = [rich, { type: 'actions' as const, elements: [press] }];
    await clientOf(slack).chat.postMessage({ channel: engine, text: 'a', blocks });
    const [card] = slack.as('ada').sees(engine);
    if (card === undefined) throw new Error('no card');
    await slack.as('ada').click(card, 'a');
    const [call] = await slack.until(() => slack.calls.of('response_url').length > 0 && slack.calls.of('response_url'));
    expect(call?.result).toMatchObject({ ok: false, error: 'block_mismatch' });
  });
});

describe('what one view may hold', () => {
  it('is measured in bytes, and recorded if it is too much', async () => {
    const slack = await slackFor();
    const publish = (count: number) => {
      const blocks = many(count, () => section('ü'.repeat(2900)));
      return clientOf(slack).views.publish({ user_id: ada, view: { type: 'home', blocks } });
    };
    expect((await publish(40)).ok).toBe(true);
    const call = publish(50);
    expect(await refusal(call)).toMatchObject({ error: 'view_too_large' });
    expect(slack.failures.of('too_large')).toHaveLength(1);
  });

  it('is unique in the team, however it arrives', async () => {
    const slack = await slackFor();
    const named = { ...modal('f', [textField('a', 'A', { optional: true })]), external_id: 'x' };
    const home = { type: 'home' as const, blocks: [], external_id: 'x' };
    await clientOf(slack).views.publish({ user_id: ada, view: home });
    await clientOf(slack).views.publish({ user_id: ada, view: home });
    const other = clientOf(slack).views.publish({ user_id: 'U0GRACE001', view: home });
    expect(await refusal(other)).toMatchObject({ error: 'duplicate_external_id' });
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, client, command }) => {
        await client.views.open({ trigger_id: command.trigger_id, view: { ...named, external_id: command.text } });
        await ack();
      });
      app.view('f', async ({ ack, view }) => {
        const how = view.external_id === 'pushes' ? ('push' as const) : ('update' as const);
        await ack({ response_action: how, view: named });
      });
    });
    for (const how of ['pushes', 'updates']) {
      await slack.as('ada').command(general, '/forge', how);
      expect(await slack.as('ada').submit()).toMatchObject({ ok: false, error: 'duplicate_external_id' });
    }
  });
});
