import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

const repo = 'acme/engine';
const isLine = (text: string) => text.startsWith('Working on');

let bellows: Bellows;
const { type, click } = talkTo(() => bellows);
beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());

const ada = () => bellows.slack.as('ada');
const texts = (channel = 'engine') =>
  ada()
    .sees(channel)
    .map(({ text }) => text);
const slowly = (path: string, delay = 3_800) =>
  bellows.forge.faults.add({ on: new RegExp(`GET .*/${path}$`), trouble: { delay } });

it('a quick command is acknowledged silently and answered with one message', async () => {
  const before = texts().length;
  const reply = await ada().command('engine', '/forge', `issue show ${repo}#2`);
  expect(reply).toMatchObject({ ok: true, ack: undefined });
  await bellows.slack.until(() => texts().length > before);
  expect(texts().slice(before)).toEqual([expect.stringContaining('#2')]);
});

describe.concurrent('while the forge is slow', () => {
  it('a command says so in one line, and the answer comes below', async () => {
    const before = texts().length;
    slowly('issues/2');
    await ada().command('engine', '/forge', `issue show ${repo}#2`);
    await bellows.slack.until(() => texts().slice(before).some(isLine));
    await bellows.slack.until(() => texts().length > before + 1);
    expect(texts().slice(before)).toEqual([expect.stringMatching(/^Working on/), expect.stringContaining('#2')]);
  });

  it('in a direct message the line comes after a second, and the answer replaces it', async () => {
    const { id } = bellows.slack.state.dm('ada');
    slowly('issues/4', 2_000);
    const { ts } = await ada().post(id, `issue show ${repo}#4`);
    const replies = () =>
      ada()
        .sees(id)
        .filter(({ ts: at }) => at > ts);
    const line = await bellows.slack.until(() => replies().find(({ text }) => isLine(text)));
    await bellows.slack.until(() => replies().some(({ text }) => text.includes('#4')));
    expect(replies()).toMatchObject([{ ts: line.ts, text: expect.stringContaining('#4') }]);
  });

  it('a command is answered even if the line could not be shown', async () => {
    const before = texts('general').length;
    slowly('pulls/3');
    const fault = { kind: 'status', status: 500 } as const;
    bellows.slack.faults.next('response_url', fault, 1, ({ text }) => text === 'Working on pr show…');
    await ada().command('general', '/forge', `pr show ${repo}#3`);
    await bellows.slack.until(() => texts('general').length > before);
    expect(texts('general').slice(before)).toEqual([expect.stringContaining('#3')]);
  });
});

it('an undo replaces what it undoes, and a failed one does not', async () => {
  const closed = await type('ada', `issue close ${repo}#2`);
  const shown = texts().length;
  const undone = await click('ada', closed, 'Undo');
  expect(undone).toMatchObject({ ts: closed.ts, text: expect.stringContaining('Reopened') });
  expect(texts()).toHaveLength(shown);
  await ada().clickOnOldScreen(closed, 'Undo');
  await bellows.slack.until(() => texts().length > shown);
  expect(texts().at(-1)).toContain('no longer be undone');
  expect(ada().sees('engine')).toContainEqual(expect.objectContaining({ ts: closed.ts, text: undone.text }));
});
