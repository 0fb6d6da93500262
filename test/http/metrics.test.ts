import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/http/metrics.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const metrics = createMetrics();
let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ metrics });
  await bellows.signIn('ada');
  const ada = bellows.slack.as('ada');
  await ada.command('engine', '/forge', 'issue close acme/engine#2');
  await bellows.slack.until(() => ada.sees('engine').some((message) => message.text.includes('Closed')));
  await ada.command('engine', '/forge', 'issue reopen acme/engine#999');
});
afterAll(() => bellows.close());

const value = async (line: RegExp): Promise<number> => {
  const { text } = await metrics.text();
  const [, number] = new RegExp(`^${line.source} (\\S+)$`, 'm').exec(text) ?? [];
  return Number(number);
};

describe('/metrics', () => {
  it('times acknowledgements by door', async () => {
    expect(await value(/bellows_ack_seconds_count\{door="command"\}/)).toBe(3);
    expect(await value(/bellows_ack_seconds_count\{door="submission"\}/)).toBe(1);
  });

  it('times finished work by command and outcome', async () => {
    // The time ends when the work is finished, a moment after its answer was visible.
    for (const [command, outcome] of [
      ['signin', 'done'],
      ['issue close', 'done'],
      ['issue reopen', 'failed'],
    ]) {
      const line = new RegExp(`bellows_act_seconds_count\\{command="${command}",outcome="${outcome}"\\}`);
      await expect.poll(() => value(line)).toBe(1);
    }
  });

  it('counts calls to Slack and the forge by result', async () => {
    expect(await value(/bellows_slack_calls_total\{method="views.open",result="ok"\}/)).toBe(1);
    expect(await value(/bellows_forge_calls_total\{operation="issues.edit",result="ok"\}/)).toBe(1);
    expect(await value(/bellows_slack_calls_total\{method="auth.test",result="ok"\}/)).toBe(2);
  });

  it('reports the backlog, for all processes together', async () => {
    for (const name of ['outbox_entries', 'outbox_age_seconds', 'outbox_paused']) {
      expect(await value(new RegExp(`bellows_${name}`))).toBe(0);
    }
    for (const name of ['sources', 'woken_lag_seconds', 'poll_lag_seconds', 'inbox_lag_seconds']) {
      expect(await value(new RegExp(`bellows_${name}`))).toBeGreaterThanOrEqual(0);
    }
  });

  it('contains nothing people wrote', async () => {
    const { text } = await metrics.text();
    expect(text).not.toContain('acme');
    expect(text).not.toContain('U0ADA');
  });
});
