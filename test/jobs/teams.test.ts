import { describe, expect, it } from 'vitest';
import { words } from '../commands/talk.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const core = '<!subteam^S0CORE0001>';
const repo = 'acme/engine';

describe('a team whose review is requested', () => {
  const services = useFeed({
    people: { grace: 'U0GRACE001' },
    policy: 'teams:\n  Acme/Core: S0CORE0001\n',
    slack: { allowMention: ({ kind }) => kind !== 'broadcast' },
  });
  const { round } = services;
  const cards = () => services.slack.state.messages(engine).filter(({ threadTs }) => threadTs === undefined);
  const replies = () => services.slack.state.messages(engine).filter(({ threadTs }) => threadTs !== undefined);
  const follow = async (filter?: string) => {
    await services.subscribe(engine, repo, filter);
    await round();
  };
  function open(title: string, teams: readonly string[] = []): number {
    const { world } = services.forge;
    world.push({ as: 'grace', repo, branch: title, commits: [title] });
    const { index } = world.openPull({ as: 'grace', repo, title, head: title });
    if (teams.length > 0) world.requestReview({ as: 'grace', repo, index, teams });
    return index;
  }

  it('is mentioned as its Slack group on the card', async () => {
    await follow('pulls');
    open('belt', ['core']);
    await round();
    expect(words(cards()[0])).toContain(`waiting on ${core}`);
  });

  it('without a group is shown by name', async () => {
    await follow('pulls');
    open('belt', ['review']);
    await round();
    expect(words(cards()[0])).toContain('waiting on review');
    expect(words(cards()[0])).not.toContain('subteam');
  });

  it('later is mentioned once, in the thread', async () => {
    await follow('pulls comments');
    const index = open('belt');
    await round();
    expect(words(cards()[0])).not.toContain('waiting on');
    services.forge.world.requestReview({ as: 'grace', repo, index, teams: ['core'] });
    for (const body of ['Please look', 'Still there?']) {
      services.pass(2_000);
      services.forge.world.comment({ as: 'grace', repo, index, body });
      await round();
    }
    expect(replies().map((each) => words(each).includes(`Review requested from ${core}`))).toEqual([true, false]);
    expect(words(cards()[0])).toContain(`waiting on ${core}`);
  });

  it('later without a group appears on the card, not in the thread', async () => {
    await follow('pulls comments');
    const index = open('belt');
    await round();
    services.forge.world.requestReview({ as: 'grace', repo, index, teams: ['review'] });
    services.pass(2_000);
    services.forge.world.comment({ as: 'grace', repo, index, body: 'Please look' });
    await round();
    expect(replies().map(words)).toEqual([expect.not.stringContaining('Review requested')]);
    expect(words(cards()[0])).toContain('waiting on review');
  });

  it('is not mentioned for other events, nor once it is merged', async () => {
    const index = open('belt', ['core']);
    await follow('pulls comments');
    services.forge.world.comment({ as: 'grace', repo, index, body: 'A word' });
    await round();
    services.pass(2_000);
    services.forge.world.merge({ as: 'ada', repo, index });
    await round();
    const posts = JSON.stringify(services.slack.calls.of('chat.postMessage'));
    expect(posts).toContain('A word');
    expect(posts).not.toContain('subteam');
  });

  it('is not mentioned in a digest', async () => {
    await follow('pulls');
    await services.store.outbox.pause(
      { team: services.slack.teamId, channel: engine },
      'muted',
      services.now() + 60_000,
    );
    for (const title of ['belt', 'valve', 'gauge']) open(title, ['core']);
    await round();
    services.pass(61_000);
    await round();
    expect(cards()).toHaveLength(1);
    expect(JSON.stringify(services.slack.calls.of('chat.postMessage'))).not.toContain('subteam');
  });
});
