import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

describe('a form', () => {
  let bellows: Bellows;
  const talk = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows({ mode: 'http', slack: { ackTimeoutMs: 3_000 } });
    await Promise.all([bellows.link('ada'), bellows.link('grace'), bellows.link('alan', 'linus')]);
  });
  afterAll(() => bellows.close());
  const writes = () => [...bellows.forge.requests].filter(({ method }) => method !== 'GET');

  it('opened by a dry run changes nothing', async () => {
    const ada = bellows.slack.as('ada');
    const before = writes().length;
    await ada.command('engine', '/forge', 'issue comment acme/engine#2 --dry-run');
    const view = await talk.form('ada');
    expect(words(view)).toContain('nothing will change');
    expect(view.submit).toBe('Show dry run');
    await ada.fill({ body: 'Only thinking' });
    const shown = await talk.after('ada', () => ada.submit());
    expect(words(shown)).toContain('Only thinking');
    expect(writes()).toHaveLength(before);
  });

  type Fault = Parameters<Bellows['slack']['faults']['next']>[1];

  async function asksAgain(fault: Fault, isMeant?: (view: object) => boolean): Promise<void> {
    const { slack } = bellows;
    slack.faults.next('views.open', fault, 2, isMeant);
    const said = await slack.as('grace').post('engine', 'The loom stalls');
    const answers = await Promise.all([
      talk.after('ada', () => slack.as('ada').command('engine', '/forge', 'issue close')),
      talk.after('grace', () => slack.as('grace').messageShortcut('comment_on_item', said)),
    ]);
    for (const { text } of answers) expect(text).toContain('Slack did not open the form. Try again.');
    expect(slack.failures.of('missed_ack')).toEqual([]);
  }

  it.each([
    ['has no such trigger any more', { kind: 'error', error: 'expired_trigger_id' }],
    ['is busy', { kind: 'ratelimited', retryAfter: 30 }],
  ] as const)('that Slack does not open because it %s asks to try again', (_, fault) => asksAgain(fault));

  describe.concurrent('while Slack is slow', () => {
    const isLate = (view: object) => JSON.stringify(view).includes('issue reopen');

    it('that Slack does not open asks to try again', () =>
      asksAgain({ kind: 'slow', ms: 5_000 }, (view) => !isLate(view)));

    it('that Slack opens too late says so', async () => {
      const { slack } = bellows;
      const alan = slack.as('alan');
      slack.faults.next('views.open', { kind: 'slow', ms: 2_300 }, 1, isLate);
      const answer = await talk.after('alan', () => alan.command('engine', '/forge', 'issue reopen'));
      expect(answer.text).toContain('Slack did not open the form. Try again.');
      const late = await slack.until(() => {
        const view = alan.openView();
        return view && words(view).includes('too late') ? view : undefined;
      });
      expect(words(late)).toContain('Slack opened this too late. Try again.');
    });
  });

  it('quotes a message as people read it, and without its address if Slack does not provide it', async () => {
    const { slack } = bellows;
    const ada = slack.as('ada');
    slack.faults.next('chat.getPermalink', { kind: 'slow', ms: 4_000 });
    const said = await ada.post('engine', 'ask @grace & see https://acme.test/?b=1&c=2');
    await ada.messageShortcut('comment_on_item', said);
    expect(words(await talk.form('ada'))).toContain('> ask @grace & see https://acme.test/?b=1&c=2');
    expect(slack.failures.of('missed_ack')).toEqual([]);
  });
});

describe('a form for what this server lacks', () => {
  it('does not open: its person gets an explanation at once', async () => {
    const bellows = await startBellows({ forge: { flavor: 'gitea-1.26' } });
    await bellows.link('ada');
    const ada = bellows.slack.as('ada');
    // Capabilities are read in the background.
    const help = async () => {
      await ada.command('engine', '/forge', 'help project');
      return words(ada.sees('engine').at(-1));
    };
    await expect.poll(help).not.toContain('project create');
    await ada.command('engine', '/forge', 'project create');
    expect(ada.sees('engine').at(-1)?.text).toContain('Gitea 1.26.0 does not support project create');
    expect(ada.openView()).toBeUndefined();
    await bellows.close();
  });
});

describe('a line', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ mode: 'http' });
  });
  afterAll(() => bellows.close());

  it('that is too long is refused with an explanation', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', `issue comment acme/engine#2 ${'&amp; '.repeat(9_000)}`);
    expect(ada.sees('engine').at(-1)?.text).toContain('too long');
  });
});
