import { describe, expect, it } from 'vitest';
import {
  ada,
  button,
  clientOf,
  engine,
  general,
  httpApp,
  modal,
  plainServer,
  section,
  slackFor,
  textField,
} from './support.js';

const http = { mode: 'http' } as const;

describe('HTTP mode', () => {
  it('verifies the request URL and signs what it sends', async () => {
    const slack = await slackFor(http);
    const { verified } = await httpApp(slack, (app) => {
      app.command('/forge', async ({ ack }) => ack({ text: 'here', response_type: 'in_channel' }));
    });
    expect(verified).toBe(true);
    expect(await slack.as('ada').command(general, '/forge')).toMatchObject({ ok: true });
    expect(slack.as('grace').sees(general)).toMatchObject([{ text: 'here', onlyFor: undefined }]);
  });

  it.each([
    ['a wrong secret', { signingSecret: 'other' }],
    ['an old timestamp', { timestamp: 1_600_000_000 }],
    ['no signature', { unsigned: true }],
  ])('can forge a request with %s, which the app refuses', async (_, forgery) => {
    const slack = await slackFor(http);
    await httpApp(slack, (app) => app.command('/forge', async ({ ack }) => ack()));
    const ack = await slack.forge('slash_commands', { command: '/forge', team_id: slack.teamId }, forgery);
    expect(ack).toMatchObject({ outcome: 'http_error' });
    expect(slack.failures.all).toEqual([]);
  });

  it('carries a button press with the message it was on', async () => {
    const slack = await slackFor(http);
    await httpApp(slack, (app) => {
      app.action('again', async ({ ack, body, respond, action }) => {
        await ack();
        const value = 'value' in action ? action.value : '';
        await respond({ text: `${value} by ${body.user.id}`, replace_original: true });
      });
    });
    await clientOf(slack).chat.postMessage({
      channel: engine,
      text: 'a card',
      blocks: [{ type: 'actions', elements: [{ ...button('again', 'Run again'), value: 'run-7' }] }],
    });
    const [card] = slack.as('ada').sees(engine);
    if (card === undefined) throw new Error('no card');
    expect(await slack.as('ada').click(card, 'Run again')).toMatchObject({ ok: true });
    await slack.until(() => slack.state.messages(engine)[0]?.text === `run-7 by ${ada}`);
    expect(slack.state.messages(engine)[0]?.blocks).toEqual([]);
  });

  it('opens a form, shows errors at fields, and accepts it when it is right', async () => {
    const slack = await slackFor(http);
    await httpApp(slack, (app) => {
      app.command('/forge', async ({ ack, client, command }) => {
        await client.views.open({
          trigger_id: command.trigger_id,
          view: modal('close', [textField('title', 'Title'), textField('note', 'Note', { optional: true })]),
        });
        await ack();
      });
      app.view('close', async ({ ack, view }) => {
        const title = view.state.values['title']?.['value']?.value;
        if (title === 'bad') await ack({ response_action: 'errors', errors: { title: 'Choose another.' } });
        else await ack();
      });
    });
    const person = slack.as('ada');
    await person.command(general, '/forge', 'issue close');
    expect(person.openView()).toMatchObject({ title: 'Form', callbackId: 'close' });
    expect((await person.submit()).errors).toEqual({ title: 'Please complete this required field.' });
    await person.fill({ Title: 'bad' });
    expect((await person.submit()).errors).toEqual({ title: 'Choose another.' });
    expect(person.openView()?.errors).toEqual({ title: 'Choose another.' });
    await person.fill({ title: 'good' });
    expect(await person.submit()).toMatchObject({ ok: true, errors: {} });
    expect(person.openView()).toBeUndefined();
    expect(slack.failures.all).toEqual([]);
  });

  it('retries an event with retry headers until it is accepted', async () => {
    const slack = await slackFor({ ...http, eventRetryMs: [0, 0, 0] });
    const retries: unknown[] = [];
    const url = await plainServer((request) => {
      retries.push([request.headers['x-slack-retry-num'], request.headers['x-slack-retry-reason']]);
      return { status: retries.length < 3 ? 500 : 200 };
    });
    await slack.deliverTo(url);
    retries.length = 0;
    await slack.emit({ type: 'app_uninstalled' });
    await slack.until(() => slack.deliveries.last?.ack?.outcome === 'acked');
    expect(retries).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
    ]);
  });

  it('stops retrying when the app says so', async () => {
    const slack = await slackFor({ ...http, eventRetryMs: [0, 0, 0] });
    const url = await plainServer(() => ({ status: 500, headers: { 'x-slack-no-retry': '1' } }));
    await slack.deliverTo(url);
    await slack.emit({ type: 'app_uninstalled' });
    expect(slack.deliveries.all).toMatchObject([{ ack: { outcome: 'http_error', noRetry: true } }]);
  });

  it('records a missed acknowledgement', async () => {
    const slack = await slackFor({ ...http, ackTimeoutMs: 50 });
    await httpApp(slack, (app) => app.command('/forge', async () => {}));
    expect(await slack.as('ada').command(engine, '/forge')).toMatchObject({ error: 'operation_timeout' });
    expect(slack.failures.of('missed_ack')).toHaveLength(1);
  });

  it('records a command answered with an HTTP error', async () => {
    const slack = await slackFor(http);
    await slack.deliverTo(await plainServer(() => ({ status: 500 })));
    expect(await slack.as('ada').command(engine, '/forge', 'help')).toMatchObject({ error: 'http_error' });
    expect(slack.failures.all).toMatchObject([{ kind: 'missed_ack', detail: 'slash_commands /forge help: HTTP 500' }]);
  });

  it('sends nothing to an address that does not exist', async () => {
    const slack = await slackFor({ ...http, requestUrl: 'http://127.0.0.1:1/slack/events' });
    expect(await slack.as('ada').command(engine, '/forge')).toMatchObject({ error: 'dispatch_failed' });
    expect(await slack.deliverTo('http://127.0.0.1:1/slack/events')).toBe(false);
  });

  it('asks the app for options and lets a person pick one', async () => {
    const slack = await slackFor(http);
    await httpApp(slack, (app) => {
      app.options('value', async ({ ack, payload }) => {
        await ack({ options: [{ text: { type: 'plain_text', text: `ada/${payload.value}` }, value: '7' }] });
      });
      app.command('/forge', async ({ ack, client, command }) => {
        const element = { type: 'external_select', min_query_length: 0 };
        const view = modal('pick', [textField('repo', 'Repository', {}, element), section('x')]);
        await client.views.open({ trigger_id: command.trigger_id, view });
        await ack();
      });
      app.view('pick', async ({ ack }) => ack());
    });
    const person = slack.as('ada');
    await person.command(engine, '/forge');
    const form = person.openView();
    if (form === undefined) throw new Error('no form');
    expect((await person.suggest(form, 'value', 'eng')).options).toMatchObject([{ value: '7' }]);
    await person.fill({ Repository: '7' });
    expect(person.openView()?.values['repo']?.['value']).toMatchObject({ selected_option: { value: '7' } });
    expect(await person.submit()).toMatchObject({ ok: true });
  });
});
