import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';

describe('a feed whose rows of one second change order at each request', () => {
  const services = useFeed({ ties: 'shuffled', policy: 'feed: { digestAbove: 5 }' });

  it('is posted completely', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const wanted: number[] = [];
    for (let at = 0; at < 90; at++) {
      if (at % 30 === 0) services.pass(1_000);
      wanted.push(services.forge.world.openIssue({ as: 'grace', repo, title: `Burst ${at}` }).index);
    }
    for (let rounds = 0; rounds < 3; rounds++) await services.round();
    const text = JSON.stringify(services.slack.state.messages(engine).map(({ blocks }) => blocks));
    const posted = [...text.matchAll(/\/issues\/(\d+)\|/g)].map(([, number]) => Number(number));
    expect(posted.toSorted((a, b) => a - b)).toEqual(wanted);
  });
});
