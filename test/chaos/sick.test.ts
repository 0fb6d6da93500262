import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Scene, type SceneOptions, startScene } from './support/scene.js';
import { until } from './support/storm.js';
import { tally } from './support/tally.js';

const channel = 'C0ENGINE01';
const repo = 'acme/boiler';
const patience = 60_000;
const minutes = 60_000;

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

async function open(options: Partial<SceneOptions> = {}): Promise<Scene> {
  scene = await startScene({ channel, repo, words: 'issues thread:off', ...options });
  return scene;
}

const issue = ({ forge }: Scene, title: string, assignees: string[] = []): number =>
  forge.world.openIssue({ as: 'grace', repo, title, assignees }).index;

/** Numbers of the issues posted in this channel, including digests. */
const postedIn = ({ slack }: Scene): number[] =>
  slack.state.messages(channel).flatMap(({ blocks }) => {
    const links = [...JSON.stringify(blocks).matchAll(/\/issues\/(\d+)\|/g)].map(([, number]) => Number(number));
    return [...new Set(links)];
  });

/** Everything was posted, and nothing twice. */
async function allPostedOnce(at: Scene, wanted: readonly number[]): Promise<void> {
  const missing = () => wanted.filter((number) => !postedIn(at).includes(number));
  const left = () => missing().length;
  await until('everything was posted', async () => left() === 0, patience, left).catch(() => {});
  const posted = postedIn(at);
  tally('lost', missing().length);
  tally('doubled', posted.length - new Set(posted).size);
  expect({ lost: missing(), doubled: posted.length - new Set(posted).size }).toEqual({ lost: [], doubled: 0 });
}

describe('an item that cannot be read', () => {
  it('holds up no others, and its card is completed when it can be read', async () => {
    const at = await open({ words: 'issues' });
    const sick = issue(at, 'Sick', ['linus']);
    at.forge.faults.add({ on: new RegExp(`GET .*issues/${sick}$`), trouble: { html: 502 }, times: 100_000 });
    const wanted = [sick, issue(at, 'One'), issue(at, 'Two')];
    await allPostedOnce(at, wanted);
    at.forge.faults.clear();
    const card = () =>
      JSON.stringify(at.slack.state.messages(channel).find(({ text }) => text.includes('Sick'))?.blocks);
    await until('the card is complete', async () => card().includes('linus'), patience);
  });
});

describe('a message that Slack refuses', () => {
  it('is set aside after a while; the rest continues', { timeout: 300_000 }, async () => {
    const at = await open();
    const sick = issue(at, 'Sick');
    const of = (args: object) => /Sick|issues\/1\b/.test(JSON.stringify(args));
    at.slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 100_000, of);
    const rest = [issue(at, 'One'), issue(at, 'Two')];
    expect(sick).toBe(1);
    const place = { team: at.slack.teamId, channel };
    await until('it is set aside', async () => (await at.store.outbox.view(place)).aside === 1, 4 * minutes);
    await allPostedOnce(at, rest);
    expect(at.slack.calls.of('chat.postMessage').length).toBeLessThan(20);
  });
});

describe('a feed whose rows change order within a second', () => {
  it('is posted completely: 300 events in 15 seconds', { timeout: 300_000 }, async () => {
    const at = await open({ forge: { ties: 'shuffled' } });
    const wanted: number[] = [];
    for (let second = 0; second < 15; second++) {
      for (let each = 0; each < 20; each++) wanted.push(issue(at, `Burst ${second}.${each}`));
      await pause(1_000);
    }
    await allPostedOnce(at, wanted);
  });
});

describe('clocks', () => {
  it('a worker’s clock that is ahead and is set back delays nothing', { timeout: 300_000 }, async () => {
    const at = await open({ clockMs: 20 * minutes });
    const wanted = [issue(at, 'Ahead')];
    await allPostedOnce(at, wanted);
    await at.setClock(0);
    wanted.push(issue(at, 'Corrected'));
    await allPostedOnce(at, wanted);
    await at.setClock(-20 * minutes);
    wanted.push(issue(at, 'Behind'));
    await allPostedOnce(at, wanted);
    await at.setClock(0);
    await at.restart();
    wanted.push(issue(at, 'Again'));
    await allPostedOnce(at, wanted);
  });

  it("the forge's clock set back by an hour loses nothing", { timeout: 300_000 }, async () => {
    let shift = 0;
    const at = await open({ forge: { clock: () => Date.now() + shift } });
    const wanted = [issue(at, 'Before')];
    await allPostedOnce(at, wanted);
    shift = -60 * minutes;
    for (const title of ['Back', 'And on']) wanted.push(issue(at, title));
    await allPostedOnce(at, wanted);
    shift = 60 * minutes;
    wanted.push(issue(at, 'Ahead'));
    await allPostedOnce(at, wanted);
    shift = 0;
    wanted.push(issue(at, 'Right again'));
    await allPostedOnce(at, wanted);
  });
});
