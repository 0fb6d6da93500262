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

/** The bot's connection to Redis can be held. */
async function startOnWire() {
  let wire: Wire | undefined;
  const botRedis = async (url: string) => {
    wire = await wireTo(url);
    return wire.url;
  };
  const bellows = await startBellows({ mode: 'http', botRedis });
  if (!wire) throw new Error('the bot does not use the wire');
  await bellows.link('ada');
  return { bellows, wire };
}

const commentsOf = ({ forge }: Bellows) =>
  forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/comments').map(({ body }) => JSON.stringify(body));

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

describe.concurrent('while the forge does not answer', () => {
  const stall = { times: 10, trouble: { delay: 60_000 } };
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ policy: 'workObjects: true\n' });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  it('a menu is answered in time, with nothing', async () => {
    const { slack, forge } = bellows;
    forge.faults.add({ on: /repos\/search/, ...stall });
    await slack.as('ada').command('engine', '/forge', 'issue create');
    const view = await talkTo(() => bellows).form('ada');
    expect((await slack.as('ada').suggest(view, 'repositories:repository', 'slowly')).options).toEqual([]);
    expect(slack.failures.of('missed_ack')).toEqual([]);
  });

  it('the details pane says so', async () => {
    const { slack, forge } = bellows;
    forge.faults.add({ on: /repos\/acme\/website$/, ...stall });
    await slack.as('ada').openDetails(`${forge.url}/acme/website/issues/1`);
    const shown = await slack.until(() => slack.as('ada').details());
    expect(JSON.stringify(shown)).toContain('took too long to respond');
  });
});

describe.concurrent('while Redis took the work but its answer is late', () => {
  let bellows: Bellows;
  let wire: Wire;
  beforeAll(async () => {
    ({ bellows, wire } = await startOnWire());
  });
  afterAll(async () => {
    await bellows.close();
    await wire.close();
  });

  it('nobody gets the message that nothing ran', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    await talkTo(() => bellows).type('ada', 'issue show acme/engine#2');
    // the first answer gives the command its turn, the second would confirm that it is stored
    wire.holdAnswers(1);
    await ada.command('engine', '/forge', 'issue comment acme/engine#2 Heard twice');
    wire.release();
    const refusal = ada.sees('engine').find(({ text }) => text.includes('Could not queue'));
    await slack.until(() => commentsOf(bellows).some((body) => body.includes('Heard twice')));
    expect(refusal?.text).toContain('If no answer comes');
  });
});

describe('while Redis', () => {
  let bellows: Bellows;
  let wire: Wire;
  const { form, result, type } = talkTo(() => bellows);
  beforeAll(async () => {
    ({ bellows, wire } = await startOnWire());
    await bellows.slack.happens.hire({ id: 'U0TIM00001', name: 'tim' });
    await Promise.all([bellows.link('grace'), bellows.link('alan', 'linus'), bellows.link('tim', 'margaret')]);
  });
  afterAll(async () => {
    await bellows.close();
    await wire.close();
  });

  async function fillComment(user: string, body: string) {
    const actor = bellows.slack.as(user);
    await actor.command('engine', '/forge', 'issue comment acme/engine#2');
    await form(user);
    await actor.fill({ body });
  }

  it('is slow, everyone learns in time that nothing was accepted, and only what is sent again runs', async () => {
    const { slack, forge, config } = bellows;
    const [ada, grace, alan, tim] = [slack.as('ada'), slack.as('grace'), slack.as('alan'), slack.as('tim')];
    const card = await type('ada', 'issue show acme/engine#2');
    await fillComment('grace', 'Said at last');
    await fillComment('alan', 'Said to the other one');
    await tim.command('engine', '/forge', 'issue edit acme/engine#2');
    const menu = await form('tim');
    const inTime = await patience(bellows, 6);
    wire.hold();
    const began = performance.now();
    const [{ options }, byGrace, byAlan] = await Promise.all([
      tim.suggest(menu, 'labels:labels', 'bug'),
      grace.submit(),
      alan.submit(),
      ada.command('general', '/forge', 'issue close acme/engine#2'),
      ada.click(card, 'Close'),
      ada.shortcut('open_inbox'),
    ]);
    expect(performance.now() - began).toBeLessThan(inTime);
    await result('ada', 'Could not queue');
    wire.release();
    expect(options).toEqual([]);
    for (const submitted of [byGrace, byAlan]) expect(JSON.stringify(submitted)).toContain('Could not queue');
    expect(ada.sees('general').at(-1)?.text).toContain('Could not queue');
    await slack.until(() => ada.sees('engine').at(-1)?.text.includes('Could not queue'));
    expect(slack.failures.of('missed_ack')).toEqual([]);

    expect(await grace.submit()).toMatchObject({ ok: true, errors: {} });
    const log = createLog({ level: 'silent' });
    const other = await startBot(config, log);
    const http = await serve({ ...config.http, slack: other.listener, log });
    await slack.deliverTo(`${http.address}/slack/events`);
    expect(await alan.submit()).toMatchObject({ ok: true, errors: {} });
    await slack.deliverTo(`${bellows.address}/slack/events`);
    await http.stop();
    await other.stop();
    // A later command succeeds, and by then the held ones would have run.
    await ada.command('engine', '/forge', 'issue close acme/engine#7');
    await slack.until(() => ada.sees('engine').some(({ text }) => text.includes('#7')));
    await slack.until(() => commentsOf(bellows).length >= 2);
    const sent = [...forge.requests].filter(({ method }) => method === 'PATCH').map(({ path }) => path);
    expect(sent).toEqual(['/repos/acme/engine/issues/7']);
    expect(commentsOf(bellows).sort()).toEqual([
      expect.stringContaining('Said at last'),
      expect.stringContaining('Said to the other one'),
    ]);
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

  it('is down, the person gets an answer at once', async () => {
    const inTime = await patience(bellows);
    wire.cut();
    const ada = bellows.slack.as('ada');
    const reply = await ada.command('engine', '/forge', 'issue close acme/engine#2');
    expect(reply.tookMs).toBeLessThan(inTime);
    expect(ada.sees('engine').at(-1)?.text).toContain('Could not queue');
  });
});
