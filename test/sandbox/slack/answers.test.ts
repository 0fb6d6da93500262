import type { SandboxSlack } from '@bellows/sandbox/slack';
import { describe, expect, it } from 'vitest';
import { clientOf, engine, modal, refusal, section, slackFor, socketApp, textField } from './support.js';

interface Asked {
  responseUrl: string;
  trigger: string;
}

/** Types a command whose response_url and trigger the test then uses itself. */
async function ask(slack: SandboxSlack): Promise<Asked> {
  let asked: Asked | undefined;
  await socketApp(slack, (app) => {
    app.command('/forge', async ({ ack, command }) => {
      asked = { responseUrl: command.response_url, trigger: command.trigger_id };
      await ack();
    });
  });
  await slack.as('ada').command(engine, '/forge');
  if (asked === undefined) throw new Error('the command did not arrive');
  return asked;
}

const send = async (url: string, body: object) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

describe('response_url', () => {
  it('takes five answers and no sixth', async () => {
    const slack = await slackFor();
    const { responseUrl } = await ask(slack);
    for (let i = 0; i < 5; i += 1) expect((await send(responseUrl, { text: `${i}` })).status).toBe(200);
    expect(await send(responseUrl, { text: '5' })).toMatchObject({ status: 404, body: { error: 'used_url' } });
    expect(slack.as('ada').sees(engine)).toHaveLength(5);
  });

  it('expires after thirty minutes', async () => {
    let passed = 0;
    const slack = await slackFor({ clock: () => Date.now() + passed });
    const { responseUrl } = await ask(slack);
    passed = 30 * 60_000 + 1000;
    expect(await send(responseUrl, { text: 'late' })).toMatchObject({ status: 404, body: { error: 'expired_url' } });
  });

  it('is for one person by default', async () => {
    const slack = await slackFor();
    const { responseUrl } = await ask(slack);
    await send(responseUrl, { text: 'for you' });
    await send(responseUrl, { text: 'for all', response_type: 'in_channel' });
    expect(slack.as('grace').sees(engine)).toMatchObject([{ text: 'for all' }]);
  });

  it('checks blocks like everything else', async () => {
    const slack = await slackFor();
    const { responseUrl } = await ask(slack);
    const answer = await send(responseUrl, { text: 'a', blocks: [section('')] });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_blocks' } });
  });

  it('refuses an empty answer', async () => {
    const slack = await slackFor();
    const { responseUrl } = await ask(slack);
    expect(await send(responseUrl, {})).toMatchObject({ status: 400, body: { error: 'no_text' } });
  });

  it('can be made to fail', async () => {
    const slack = await slackFor();
    const { responseUrl } = await ask(slack);
    slack.faults.next('response_url', { kind: 'status', status: 500 });
    expect((await send(responseUrl, { text: 'a' })).status).toBe(500);
    expect((await send(responseUrl, { text: 'a' })).status).toBe(200);
    expect(slack.calls.of('response_url')).toMatchObject([{ result: { ok: false } }, { result: { ok: true } }]);
  });
});

describe('triggers and forms', () => {
  const form = modal('f', [textField('b', 'L')]);

  it('opens one form per trigger', async () => {
    const slack = await slackFor();
    const { trigger } = await ask(slack);
    const client = clientOf(slack);
    await client.views.open({ trigger_id: trigger, view: form });
    expect(slack.as('ada').openView()?.callbackId).toBe('f');
    const again = client.views.open({ trigger_id: trigger, view: form });
    expect(await refusal(again)).toMatchObject({ error: 'exchanged_trigger_id' });
  });

  it('lets a trigger expire after three seconds', async () => {
    let passed = 0;
    const slack = await slackFor({ clock: () => Date.now() + passed });
    const { trigger } = await ask(slack);
    passed = 3100;
    const call = clientOf(slack).views.open({ trigger_id: trigger, view: form });
    expect(await refusal(call)).toMatchObject({ error: 'expired_trigger_id' });
  });

  it('refuses made-up triggers', async () => {
    const slack = await slackFor();
    const call = clientOf(slack).views.open({ trigger_id: '1.2.3', view: form });
    expect(await refusal(call)).toMatchObject({ error: 'invalid_trigger_id' });
  });

  it('refuses a form beyond a limit, with pointers', async () => {
    const slack = await slackFor();
    const { trigger } = await ask(slack);
    const view = { ...form, title: { type: 'plain_text' as const, text: 'x'.repeat(25) } };
    expect(await refusal(clientOf(slack).views.open({ trigger_id: trigger, view }))).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] must be less than 25 characters [json-pointer:/view/title/text]'] },
    });
  });

  it('refuses a form of more than 250 kB', async () => {
    const slack = await slackFor();
    const { trigger } = await ask(slack);
    const view = modal(
      'f',
      Array.from({ length: 100 }, () => section('x'.repeat(2900))),
    );
    const call = clientOf(slack).views.open({ trigger_id: trigger, view });
    expect(await refusal(call)).toMatchObject({ error: 'view_too_large' });
  });

  it('updates by id, keeps what was typed, and refuses a stale hash', async () => {
    const slack = await slackFor();
    const { trigger } = await ask(slack);
    const client = clientOf(slack);
    const opened = await client.views.open({ trigger_id: trigger, view: form });
    await slack.as('ada').fill({ L: 'typed' });
    const where = { view_id: opened.view?.id ?? '', hash: opened.view?.hash ?? '' };
    const view = modal('f', [textField('b', 'L'), section('more')]);
    await client.views.update({ ...where, view });
    expect(slack.as('ada').openView()?.values['b']?.['value']).toMatchObject({ value: 'typed' });
    expect(await refusal(client.views.update({ ...where, view }))).toMatchObject({ error: 'hash_conflict' });
  });

  it('does not find a closed form', async () => {
    const slack = await slackFor();
    const { trigger } = await ask(slack);
    const client = clientOf(slack);
    const opened = await client.views.open({ trigger_id: trigger, view: form });
    await slack.as('ada').close();
    const call = client.views.update({ view_id: opened.view?.id ?? '', view: form });
    expect(await refusal(call)).toMatchObject({ error: 'not_found' });
  });

  it('stacks three forms and no fourth', async () => {
    const slack = await slackFor();
    const errors: unknown[] = [];
    await socketApp(slack, (app) => {
      app.shortcut('start', async ({ ack, client, shortcut }) => {
        await client.views.open({ trigger_id: shortcut.trigger_id, view: deeper });
        await ack();
      });
      app.action('deeper', async ({ ack, client, body }) => {
        if ('trigger_id' in body) {
          const push = client.views.push({ trigger_id: body.trigger_id, view: deeper });
          await push.catch((error: unknown) => errors.push(error));
        }
        await ack();
      });
    });
    const person = slack.as('ada');
    await person.shortcut('start');
    for (let i = 0; i < 3; i += 1) {
      const top = person.openView();
      if (top !== undefined) await person.click(top, 'deeper');
    }
    expect(person.views).toHaveLength(3);
    expect(errors).toMatchObject([{ data: { error: 'push_limit_reached' } }]);
  });

  it('publishes a Home, against a hash when given', async () => {
    const slack = await slackFor();
    const client = clientOf(slack);
    const view = { type: 'home' as const, blocks: [section('welcome')] };
    const first = await client.views.publish({ user_id: slack.as('ada').id, view });
    await client.views.publish({ user_id: slack.as('ada').id, view });
    const stale = client.views.publish({ user_id: slack.as('ada').id, view, hash: first.view?.hash ?? '' });
    expect(await refusal(stale)).toMatchObject({ error: 'hash_conflict' });
    expect(slack.as('ada').home()).toMatchObject({ type: 'home', blocks: [{ type: 'section' }] });
  });
});

const deeper = modal('deep', [
  {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'deeper', text: { type: 'plain_text', text: 'Deeper' } }],
  },
]);
