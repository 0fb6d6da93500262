import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { clientOf, engine, refusal, slackFor, socketApp } from './support.js';

describe('Socket Mode', () => {
  it('carries a command to a Bolt app and its answer back', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, command }) => ack(`You said ${command.text}`));
    });
    const reply = await slack.as('ada').command(engine, '/forge', 'hello');
    expect(reply).toMatchObject({ ok: true, ack: { text: 'You said hello' } });
    expect(slack.as('ada').sees(engine)).toMatchObject([{ text: 'You said hello', onlyFor: slack.as('ada').id }]);
    expect(slack.as('grace').sees(engine)).toEqual([]);
  });

  it('opens only with the app token', async () => {
    const slack = await slackFor();
    expect(await refusal(clientOf(slack).apps.connections.open({}))).toMatchObject({ error: 'not_allowed_token_type' });
  });

  it('takes a ticket once', async () => {
    const slack = await slackFor();
    const { url = '' } = await clientOf(slack, slack.appToken).apps.connections.open({});
    const first = new WebSocket(url);
    const hello = await new Promise<string>((resolve) => first.once('message', (data) => resolve(String(data))));
    expect(JSON.parse(hello)).toMatchObject({ type: 'hello', num_connections: 1 });
    const second = new WebSocket(url);
    const error = await new Promise<Error>((resolve) => second.once('error', resolve));
    expect(error.message).toContain('401');
    first.close();
  });

  it('records a missed acknowledgement and tells the person', async () => {
    const slack = await slackFor({ ackTimeoutMs: 50 });
    await socketApp(slack, (app) => app.command('/forge', async () => {}));
    expect(await slack.as('ada').command(engine, '/forge', 'stall')).toMatchObject({
      ok: false,
      error: 'operation_timeout',
    });
    expect(slack.failures.of('missed_ack')).toMatchObject([{ detail: 'slash_commands /forge stall' }]);
  });

  it('records a late acknowledgement', async () => {
    const slack = await slackFor({ ackTimeoutMs: 50 });
    const { url = '' } = await clientOf(slack, slack.appToken).apps.connections.open({});
    const socket = new WebSocket(url);
    const envelopes: string[] = [];
    socket.on('message', (data) => {
      const { envelope_id: id } = JSON.parse(String(data));
      if (typeof id === 'string') envelopes.push(id);
    });
    await slack.until(() => slack.socket.connections === 1);
    await slack.as('ada').command(engine, '/forge');
    socket.send(JSON.stringify({ envelope_id: envelopes[0] }));
    const late = await slack.until(() => slack.failures.of('protocol')[0]);
    expect(late.detail).toContain('acknowledged too late');
    socket.close();
  });

  it('records an envelope acknowledged twice, and an unexpected payload', async () => {
    const slack = await slackFor();
    const { url = '' } = await clientOf(slack, slack.appToken).apps.connections.open({});
    const socket = new WebSocket(url);
    socket.on('message', (data) => {
      const { envelope_id: id } = JSON.parse(String(data));
      if (typeof id !== 'string') return;
      socket.send(JSON.stringify({ envelope_id: id, payload: { text: 'thanks' } }));
      socket.send(JSON.stringify({ envelope_id: id }));
    });
    await slack.until(() => slack.socket.connections === 1);
    await slack.emit({ type: 'app_uninstalled' });
    const [payload, twice] = await slack.until(() => slack.failures.all.length === 2 && slack.failures.all);
    expect(payload?.detail).toContain('a payload it does not accept');
    expect(twice?.detail).toContain('acknowledged twice');
    socket.close();
  });

  it('says at once that nobody listens', async () => {
    const slack = await slackFor();
    expect(await slack.as('ada').command(engine, '/forge')).toMatchObject({ error: 'dispatch_failed' });
  });

  it('lets the app reconnect after a disconnect frame', async () => {
    const slack = await slackFor();
    await socketApp(slack, (app) => app.command('/forge', async ({ ack }) => ack()));
    slack.socket.disconnect('refresh_requested');
    expect(slack.socket.connections).toBe(0);
    await slack.until(() => slack.socket.connections === 1);
    expect(await slack.as('ada').command(engine, '/forge')).toMatchObject({ ok: true });
  });

  it('delivers again what a lost connection left unacknowledged', async () => {
    const slack = await slackFor();
    const seen: string[] = [];
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, command }) => {
        seen.push(command.trigger_id);
        if (seen.length === 1) slack.socket.drop();
        else await ack('at last');
      });
    });
    expect(await slack.as('ada').command(engine, '/forge')).toMatchObject({ ok: true, ack: { text: 'at last' } });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });

  it('delivers the same thing again on demand', async () => {
    const slack = await slackFor();
    const triggers: string[] = [];
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack, command }) => {
        triggers.push(command.trigger_id);
        await ack();
      });
    });
    await slack.as('ada').command(engine, '/forge', 'once');
    const [delivery] = slack.deliveries.all;
    if (delivery === undefined) throw new Error('nothing was delivered');
    await slack.redeliver(delivery);
    expect(triggers).toHaveLength(2);
    expect(new Set(triggers).size).toBe(1);
  });

  it('spreads over several connections', async () => {
    const slack = await slackFor();
    const served = { one: 0, two: 0 };
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack }) => {
        served.one += 1;
        await ack();
      });
    });
    await socketApp(slack, (app) => {
      app.command('/forge', async ({ ack }) => {
        served.two += 1;
        await ack();
      });
    });
    for (let i = 0; i < 4; i += 1) await slack.as('ada').command(engine, '/forge');
    expect(served).toEqual({ one: 2, two: 2 });
  });

  it('retries an event, and says so', async () => {
    const slack = await slackFor({ ackTimeoutMs: 50, eventRetryMs: [0] });
    const { url = '' } = await clientOf(slack, slack.appToken).apps.connections.open({});
    const socket = new WebSocket(url);
    const attempts: unknown[] = [];
    socket.on('message', (data) => {
      const { type, envelope_id: id, retry_attempt: attempt, retry_reason: reason } = JSON.parse(String(data));
      if (type !== 'events_api') return;
      attempts.push({ attempt, reason });
      if (attempt === 1) socket.send(JSON.stringify({ envelope_id: id }));
    });
    await slack.until(() => slack.socket.connections === 1);
    await slack.emit({ type: 'app_uninstalled' });
    await slack.until(() => slack.deliveries.last?.ack?.outcome === 'acked');
    expect(attempts).toEqual([
      { attempt: 0, reason: '' },
      { attempt: 1, reason: 'http_timeout' },
    ]);
    socket.close();
  });
});
