import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
const hourMs = 3_600_000;

describe('the forge’s clock set back by an hour', () => {
  const services = useFeed({ people: { grace: 'U0GRACE001' } });
  const { pass, round, setForgeClock, shown } = services;
  const assign = (title: string) => services.forge.world.openIssue({ as: 'ada', repo, title, assignees: ['grace'] });
  const directMessages = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.slack.state.messages(id))
      .map(({ text }) => text);

  it('loses no notification and repeats none', async () => {
    await services.store.accounts.put(
      { team: services.slack.teamId, user: 'U0GRACE001' },
      { login: 'grace', forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
    await round();
    for (const title of ['Long before', 'Before']) {
      pass(20 * 60_000);
      assign(title);
      await round();
    }
    setForgeClock(-hourMs);
    for (const title of ['After', 'Later']) {
      pass(5_000);
      assign(title);
      await round();
      await round();
    }
    // and correct again
    setForgeClock(0);
    pass(5_000);
    assign('Last');
    await round();
    expect(directMessages().map((text) => text.replace(/^.*#\d+ /, ''))).toEqual([
      'Long before',
      'Before',
      'After',
      'Later',
      'Last',
    ]);
  });

  it('loses no label', async () => {
    await services.subscribe(engine, repo, 'issues +label:bug');
    await round();
    const [one, two] = ['One', 'Two'].map((title) => {
      pass(1_000);
      return services.forge.world.openIssue({ as: 'grace', repo, title }).index;
    });
    await round();
    const label = (index = 0) => services.forge.world.label({ as: 'grace', repo, index, labels: ['bug'] });
    pass(1_000);
    label(one);
    await round();
    setForgeClock(-hourMs);
    pass(5_000);
    label(two);
    await round();
    await round();
    expect(shown(engine).map((text) => text.replace(/^.*#\d+ /, ''))).toEqual(['One', 'Two']);
  });
});
