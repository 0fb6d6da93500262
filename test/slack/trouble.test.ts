import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.js';
import { serve } from '../../src/http/server.js';
import { createLog } from '../../src/log.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Wire, wireTo } from '../support/wire.js';

const slowest = (replies: readonly { tookMs: number | undefined }[]) =>
  Math.max(...replies.map(({ tookMs }) => tookMs ?? Number.POSITIVE_INFINITY));

/** Slack’s three seconds for so many commands at once, longer by what this machine needs just now for the same without trouble. */
async function patience({ slack }: Bellows, many = 1): Promise<number> {
  const typed = Array.from({ length: many }, () => slack.as('ada').command('engine', '/forge', 'help issue'));
  return 2_500 + 3 * slowest(await Promise.all(typed));
}

describe('while the forge stalls', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ mode: 'http' });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('every command is acknowledged before the forge answers', async () => {
    const { slack, forge } = bellows;
    forge.faults.add({ on: /issues/, times: 1_000, trouble: { delay: 3_600_000 } });
    const typed = Array.from({ length: 50 }, (_, at) =>
      slack.as('ada').command('engine', '/forge', `issue close acme/engine#${at + 1}`),
    );
    const replies = await Promise.all(typed);
    expect(replies.every(({ ok }) => ok)).toBe(true);
  });
});

describe('while Redis', () => {
  let bellows: Bellows;
  let wire: Wire;
  const { form, type } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows({
      mode: 'http',
      botRedis: async (url) => {
        wire = await wireTo(url);
        return wire.url;
      },
    });
    await bellows.link('ada');
  });
  afterAll(async () => {
    await bellows.close();
    await wire.close();
  });

  it('is slow, the person learns in time that nothing was accepted, and nothing runs later', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    const inTime = await patience(bellows);
    wire.hold();
    const reply = await ada.command('engine', '/forge', 'issue close acme/engine#2');
    expect(reply.tookMs).toBeLessThan(inTime);
    expect(ada.sees('engine').at(-1)?.text).toContain('Could not queue');
    wire.release();
    // A later command succeeds, and by then the held one would have run.
    await ada.command('engine', '/forge', 'issue close acme/engine#7');
    await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('#7')));
    const sent = [...forge.requests].filter(({ method }) => method === 'PATCH').map(({ path }) => path);
    expect(sent).toEqual(['/repos/acme/engine/issues/7']);
  });

  it('is slow, many people learn in time as well, whether their commands were stored or queued', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    const before = [...forge.requests].length;
    const inTime = await patience(bellows, 45);
    wire.hold();
    const crowd = Array.from({ length: 45 }, () => ada.command('engine', '/forge', 'issue close acme/engine#2'));
    const replies = await Promise.all(crowd);
    wire.release();
    expect(slowest(replies)).toBeLessThan(inTime);
    const refused = ada.sees('engine').slice(-replies.length);
    expect(refused.filter(({ text }) => !text.includes('Could not queue'))).toEqual([]);
    await ada.command('engine', '/forge', 'issue reopen acme/engine#7');
    await slack.until(() => ada.sees('engine').some(({ text }) => /reopened/i.test(text)));
    const sent = [...forge.requests].slice(before).filter(({ method }) => method === 'PATCH');
    expect(sent.map(({ path }) => path)).toEqual(['/repos/acme/engine/issues/7']);
  });

  it('is slow, a menu is answered in time, with nothing', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    await ada.command('engine', '/forge', 'issue create');
    const view = await form('ada');
    const inTime = await patience(bellows);
    wire.hold();
    const began = performance.now();
    expect((await ada.suggest(view, 'labels:labels', 'bug')).options).toEqual([]);
    expect(performance.now() - began).toBeLessThan(inTime);
    wire.release();
    expect(slack.failures.of('missed_ack')).toEqual([]);
  });

  it('is slow, a button and a form are answered in time as well', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    const card = await type('ada', 'issue show acme/engine#2');
    await ada.command('engine', '/forge', 'issue comment acme/engine#2');
    await form('ada');
    await ada.fill({ body: 'Meanwhile' });
    const inTime = await patience(bellows, 2);
    wire.hold();
    const began = performance.now();
    const [, submitted] = await Promise.all([ada.click(card, 'Close'), ada.submit()]);
    expect(performance.now() - began).toBeLessThan(inTime);
    wire.release();
    await slack.until(() => ada.sees('engine').at(-1)?.text.includes('Could not queue'));
    expect(JSON.stringify(submitted)).toContain('Could not queue');
    expect(slack.failures.of('missed_ack')).toEqual([]);
  });

  async function refusedForm(body: string): Promise<void> {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'issue comment acme/engine#2');
    await form('ada');
    await ada.fill({ body });
    wire.hold();
    expect(JSON.stringify(await ada.submit())).toContain('Could not queue');
    wire.release();
  }

  it('is slow, a form sent again after the refusal runs', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    await refusedForm('Said at last');
    expect(await ada.submit()).toMatchObject({ ok: true, errors: {} });
    await slack.until(() =>
      [...forge.requests].some(({ body }) => JSON.stringify(body ?? '').includes('Said at last')),
    );
  });

  it('is slow, a form sent again runs even if another bot gets it', async () => {
    const { slack, forge, config } = bellows;
    const ada = slack.as('ada');
    await refusedForm('Said to the other one');
    const log = createLog({ level: 'silent' });
    const other = await startBot(config, log);
    const http = await serve({ ...config.http, slack: other.listener, log });
    await slack.deliverTo(`${http.address}/slack/events`);
    expect(await ada.submit()).toMatchObject({ ok: true, errors: {} });
    await slack.until(() =>
      [...forge.requests].some(({ body }) => JSON.stringify(body ?? '').includes('Said to the other one')),
    );
    await slack.deliverTo(`${bellows.address}/slack/events`);
    await http.stop();
    await other.stop();
  });

  it('took the work but its answer is late, nobody gets the message that nothing ran', async () => {
    const { slack, forge } = bellows;
    const ada = slack.as('ada');
    // the first answer gives the command its turn, the second would confirm that it is stored
    wire.holdAnswers(1);
    await ada.command('engine', '/forge', 'issue comment acme/engine#2 Heard twice');
    wire.release();
    const refusal = ada.sees('engine').find(({ text }) => text.includes('Could not queue'));
    await slack.until(() => [...forge.requests].some(({ body }) => JSON.stringify(body ?? '').includes('Heard twice')));
    expect(refusal?.text).toContain('If no answer comes');
  });

  it('is down, the person gets an answer at once', async () => {
    const inTime = await patience(bellows);
    wire.cut();
    const ada = bellows.slack.as('ada');
    const reply = await ada.command('engine', '/forge', 'issue close acme/engine#2');
    expect(reply.tookMs).toBeLessThan(inTime);
    expect(ada.sees('engine').at(-1)?.text).toContain('Could not queue');
  });
});
