import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
type Args = Readonly<Record<string, unknown>>;

const about = (title: string) => (args: Args) => JSON.stringify(args).includes(title);

describe('a message that Slack refuses', () => {
  const services = useFeed({ tempo: { confirmMs: 3_000 } });
  const place = () => ({ team: services.slack.teamId, channel: engine });
  const open = (title: string) => {
    services.pass(1_000);
    return services.forge.world.openIssue({ as: 'grace', repo, title }).index;
  };
  const follow = async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
  };
  const tries = (title: string) =>
    services.slack.calls.of('chat.postMessage').filter(({ args }) => about(title)(args)).length;

  it('is tried a few times, in other forms, and set aside; the rest continues', async () => {
    await follow();
    const faults = [
      { kind: 'status', status: 500 },
      { kind: 'error', error: 'internal_error' },
      // an error that is not known
      { kind: 'error', error: 'external_channel_migrating' },
    ] as const;
    for (const [nth, fault] of faults.entries()) {
      const index = open(`Sick ${nth}`);
      const isSick = (args: Args) => about(`issues/${index}`)(args) || about(`Sick ${nth}`)(args);
      services.slack.faults.next('chat.postMessage', fault, 1_000, isSick);
    }
    open('Well');
    const before = services.now();
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining('Well')]);
    expect(services.now() - before).toBeLessThan(faults.length * 5 * 60_000);
    // once more in each form after the channel accepted a message
    for (const nth of faults.keys()) expect(tries(`Sick ${nth}`)).toBeLessThanOrEqual(15);
    expect((await services.store.outbox.view(place())).aside).toBe(faults.length);
    expect(services.counts.get('aside')).toBeGreaterThanOrEqual(faults.length);
  });

  it('is posted as a link if its text is the problem too', async () => {
    await follow();
    const index = open('Sick');
    services.slack.faults.next('chat.postMessage', { kind: 'error', error: 'invalid_blocks' }, 1_000, about('Sick'));
    await services.round();
    expect(services.shown(engine)).toEqual([expect.stringContaining(`issues/${index}`)]);
    expect(tries('Sick')).toBe(2);
  });

  it('returns by itself in a quiet channel, an approval card too', async () => {
    await follow();
    const lanes = [place(), { ...place(), lane: 'notices' as const }];
    const message = { type: 'message', message: { text: 'Alone', blocks: [] } };
    services.slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 1_000);
    for (const quiet of lanes) {
      await services.store.outbox.append(quiet, [{ id: 'alone', body: message }]);
      for (let turn = 0; turn < 20 && (await services.store.outbox.view(quiet)).size > 0; turn += 1)
        services.pass((await services.jobs.steps.deliver(quiet)) ?? 1_000);
    }
    const aside = async () => Promise.all(lanes.map(async (quiet) => (await services.store.outbox.view(quiet)).aside));
    expect(await aside()).toEqual([1, 1]);
    services.slack.faults.clear();
    await services.jobs.start();
    await services.jobs.steps.sweep();
    expect(await aside()).toEqual([1, 1]);
    services.pass(2 * 60_000);
    await services.jobs.steps.sweep();
    await services.slack.until(() => services.shown(engine).length > 1);
    expect(services.shown(engine)).toEqual(['Alone', 'Alone']);
  });

  it('waits in order while Slack is down', async () => {
    await follow();
    for (const title of ['One', 'Two']) open(title);
    services.slack.faults.next('*', { kind: 'status', status: 503 }, 60);
    await services.poll();
    await services.deliver();
    await services.deliver();
    services.slack.faults.clear();
    services.pass(60_000);
    await services.deliver();
    expect(services.shown(engine)).toEqual([expect.stringContaining('One'), expect.stringContaining('Two')]);
  });
});

describe('a digest that Slack refuses', () => {
  const services = useFeed({ policy: 'feed: { digestAbove: 5 }' });

  it('is split until only the culprit is left', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const titles = ['One', 'Two', 'Three', 'Sick', 'Five', 'Six', 'Seven', 'Eight'];
    const indexes = titles.map((title) => {
      services.pass(1_000);
      return services.forge.world.openIssue({ as: 'grace', repo, title }).index;
    });
    const sick = (args: Args) => about('Sick')(args) || about(`issues/${indexes[3]}`)(args);
    services.slack.faults.next('chat.postMessage', { kind: 'status', status: 500 }, 1_000, sick);
    await services.round();
    const posted = JSON.stringify(services.slack.state.messages(engine).map(({ text, blocks }) => [text, blocks]));
    for (const title of titles.filter((each) => each !== 'Sick')) expect(posted).toContain(title);
    expect((await services.store.outbox.view({ team: services.slack.teamId, channel: engine })).aside).toBe(1);
  });
});
