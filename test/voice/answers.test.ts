import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/features/index.js';
import { unwalked } from '../contract/field-lines.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { messageIssues, sentIssues, textsOf } from './hold.js';
import { mistakes } from './mistakes.js';
import { parsed } from './parsed.js';

const policy = 'roles:\n  admin:\n    users: [U0ADA00001]\napprovals:\n  risky:\n    count: 0\n';

/** All other answers are heard where each command is typed, and all forms where each is opened: test/contract/. */
const unheard = commands.filter(({ name }) => Object.hasOwn(unwalked, name));

/** Neither the waiting line nor a form that is still loading. */
const isAnswer = (sent: unknown) => {
  const texts = textsOf(sent);
  return texts.length > 0 && !texts.some((text) => /^Working on|^⏳[^·]*…$/u.test(text));
};

describe('a person’s answer', () => {
  let bellows: Bellows;
  beforeAll(async () => {
    bellows = await startBellows({ policy, command: '/git', forge: { flavor: 'gitea-1.28' } });
    await bellows.link('ada');
  });
  afterAll(() => bellows.close());

  /** What was sent to Slack because of it; some answers come with the acknowledgement. */
  async function asked(line: string): Promise<readonly unknown[]> {
    const { slack } = bellows;
    const ada = slack.as('ada');
    const [calls, old] = [slack.calls.all.length, new Set(ada.sees('engine').map(({ ts }) => ts))];
    const sent = () => [
      ...slack.calls.all.slice(calls).map(({ args }) => parsed(args)),
      ...ada.sees('engine').filter(({ ts }) => !old.has(ts)),
    ];
    await ada.command('engine', '/git', line);
    await slack.until(() => sent().some(isAnswer));
    return sent();
  }

  async function issuesOf(name: string, line: string): Promise<string[]> {
    return (await asked(line)).flatMap((sent) => sentIssues(sent, name));
  }

  it('on Home', async () => {
    const ada = bellows.slack.as('ada');
    await ada.openHome();
    const view = await bellows.slack.until(() => ada.home());
    const blocks = view.blocks.filter((block) => textsOf(block).length > 0);
    expect(blocks.flatMap((block) => messageIssues([block]))).toEqual([]);
  });

  it.each(unheard.map((command) => [command.name, command.examples[0] ?? ''] as const))(
    'for “%s”',
    async (name, example) => {
      expect(await issuesOf(name, example)).toEqual([]);
    },
  );

  it.each(mistakes)('for the mistake “%s”', async (line) => {
    expect(await issuesOf('', line)).toEqual([]);
  });
});
