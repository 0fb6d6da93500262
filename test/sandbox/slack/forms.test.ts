import { describe, expect, it } from 'vitest';
import { grace, modal, section, slackFor, socketApp, textField } from './support.js';

describe('forms', () => {
  it('submit the values of each kind of field', async () => {
    const slack = await slackFor();
    let values: unknown;
    const options = ['bug', 'docs'].map((value) => ({ text: { type: 'plain_text', text: value }, value }));
    await socketApp(slack, (app) => {
      app.shortcut('new', async ({ ack, client, shortcut }) => {
        const view = modal('new', [
          textField('title', 'Title', {}, { initial_value: 'draft' }),
          textField('labels', 'Labels', {}, { type: 'multi_static_select', options }),
          textField('who', 'Who', {}, { type: 'users_select' }),
          textField('due', 'Due', {}, { type: 'datepicker' }),
          textField('sure', 'Sure', { optional: true }, { type: 'checkboxes', options }),
        ]);
        await client.views.open({ trigger_id: shortcut.trigger_id, view });
        await ack();
      });
      app.view('new', async ({ ack, view }) => {
        values = view.state.values;
        await ack({ response_action: 'update', view: modal('done', [section('Thanks.')]) });
      });
    });
    const person = slack.as('ada');
    await person.shortcut('new');
    await person.fill({ Labels: ['docs', 'bug'], Who: 'grace', Due: '2026-12-01' });
    expect(await person.submit()).toMatchObject({ ok: true });
    expect(values).toMatchObject({
      title: { value: { value: 'draft' } },
      labels: { value: { selected_options: [{ value: 'docs' }, { value: 'bug' }] } },
      who: { value: { selected_user: grace } },
      due: { value: { selected_date: '2026-12-01' } },
      sure: { value: { selected_options: [] } },
    });
    expect(person.openView()?.callbackId).toBe('done');
  });

  it('record errors at fields that do not exist', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => {
      app.shortcut('new', async ({ ack, client, shortcut }) => {
        await client.views.open({ trigger_id: shortcut.trigger_id, view: modal('new', [textField('a', 'A')]) });
        await ack();
      });
      app.view('new', async ({ ack }) => ack({ response_action: 'errors', errors: { b: 'Wrong.' } }));
    });
    await slack.as('ada').shortcut('new');
    await slack.as('ada').fill({ A: 'x' });
    await slack.as('ada').submit();
    expect(slack.failures.of('protocol')).toMatchObject([{ detail: 'errors beside fields that do not exist: b' }]);
  });

  it('notify the app when they are closed, if it asked', async () => {
    const slack = await slackFor();
    const closed: string[] = [];
    await socketApp(slack, (app) => {
      app.shortcut('new', async ({ ack, client, shortcut }) => {
        const view = { ...modal('new', [section('a')]), notify_on_close: true };
        await client.views.open({ trigger_id: shortcut.trigger_id, view });
        await ack();
      });
      app.view({ callback_id: 'new', type: 'view_closed' }, async ({ ack, view }) => {
        closed.push(view.callback_id);
        await ack();
      });
    });
    await slack.as('ada').shortcut('new');
    await slack.as('ada').close();
    expect(closed).toEqual(['new']);
  });
});
