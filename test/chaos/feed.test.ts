import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strayKeys } from '../support/redis.js';
import { postedIn, unmarkedRepeats } from './support/posted.js';
import { atRest, type Follows, say, until, type Weathered, weather } from './support/storm.js';
import { tally } from './support/tally.js';

const engine = 'C0ENGINE01';
const general = 'C0GENERAL1';
const hidden = 'C0PRIVATE1';
const everything = 'issues pulls comments commits runs';

const follows: readonly Follows[] = [
  { channel: engine, repo: 'acme/boiler', words: everything },
  { channel: engine, repo: 'acme/valve', words: everything },
  { channel: general, repo: 'acme/boiler', words: everything },
  { channel: general, repo: 'acme/pump', words: `${everything} thread:off style:line` },
  { channel: hidden, repo: 'acme/valve', words: everything },
];

const kills = Number(process.env['BELLOWS_CHAOS_KILLS'] ?? 50);
const aboutRepo = (repo: string) => (action: string) => action.includes(`/${repo}/`);

/** What a channel should show of a repository: its feed and its runs, each in its own order. */
function wanted({ day }: Weathered, repo: string) {
  return { feed: day.of(repo), runs: day.runsOf(repo) };
}

function shown(actions: readonly string[], repo: string, of: Weathered) {
  const pushes = new Set(of.day.of(repo).filter((action) => action.startsWith('pushed ')));
  const here = actions.filter((action) => aboutRepo(repo)(action) || pushes.has(action));
  return {
    feed: here.filter((action) => !action.startsWith('failed ')),
    runs: here.filter((action) => action.startsWith('failed ')),
  };
}

const missing = (storm: Weathered): string[] =>
  follows.flatMap(({ channel, repo }) => {
    const posted = new Set(postedIn(storm.slack, channel).map(({ action }) => action));
    const actions = [...storm.day.of(repo), ...storm.day.runsOf(repo)].filter((action) => !posted.has(action));
    return actions.map((action) => `${channel}: ${action}`);
  });

/** Tells what was lost from what was set aside. */
const setAside = async ({ store }: Weathered): Promise<string[]> => {
  const places = await store.outbox.withAside();
  const rows = await Promise.all(places.map((place) => store.outbox.asideIn(place)));
  return places.flatMap(({ channel }, at) =>
    (rows[at] ?? []).map(({ id, code }) => `set aside in ${channel}: ${id} (${code})`),
  );
};

const untilPosted = async (storm: Weathered) => {
  const calm = async () => missing(storm).length === 0 && (await atRest(storm.store));
  // a channel takes one message a second, so a long day takes time; the comparison shows better what is missing then
  await until('everything was posted and nothing waits', calm, 150_000, () => missing(storm).length).catch(
    async (error: unknown) => say([error, ...missing(storm), ...(await setAside(storm))].join('\n')),
  );
  count(storm);
};

/** Per channel: events it never got, and those it got again without the mark of a repeat. */
function count(storm: Weathered): void {
  const wantedIn = new Map<string, Set<string>>();
  for (const { channel, repo } of follows) {
    const actions = wantedIn.get(channel) ?? new Set();
    for (const action of [...storm.day.of(repo), ...storm.day.runsOf(repo)]) actions.add(action);
    wantedIn.set(channel, actions);
  }
  for (const [channel, actions] of wantedIn) {
    const posted = postedIn(storm.slack, channel);
    const seen = new Set(posted.map(({ action }) => action));
    tally('lost', [...actions].filter((action) => !seen.has(action)).length);
    tally('doubled', unmarkedRepeats(posted).length);
  }
}

describe('the feed where posts can be read back, on a Redis that fsyncs always and is killed', () => {
  let storm: Weathered;
  beforeAll(async () => {
    storm = await weather({
      fsync: 'always',
      historyScopes: true,
      kills: Math.ceil(kills * 0.6),
      redisStops: 3,
      follows,
    });
    await untilPosted(storm);
    say(`${storm.day.count} events, ${storm.crew.kills} kills`);
  }, 1_800_000);
  afterAll(() => storm.close());

  it.each(follows)('posts to $channel each event of $repo exactly once and in order', ({ channel, repo }) => {
    const posted = postedIn(storm.slack, channel).map(({ action }) => action);
    expect(shown(posted, repo, storm)).toEqual(wanted(storm, repo));
  });

  it('resolves unknown outcomes without a repeat that it would have to mark', () => {
    const marked = follows.flatMap(({ channel }) => postedIn(storm.slack, channel)).filter((posted) => posted.marked);
    expect(marked).toEqual([]);
    expect(storm.slack.calls.of('conversations.history').length).toBeGreaterThan(0);
  });

  it('leaves every card at the state of its item', () => {
    const closed = new Set(storm.day.of('acme/boiler').filter((action) => action.startsWith('closed ')));
    const cards = storm.slack.state
      .messages(engine)
      .filter(({ threadTs, text }) => threadTs === undefined && text.includes('opened issue'))
      .map(({ blocks }) => JSON.stringify(blocks));
    const stale = cards.filter((card) => {
      const path = /\/acme\/boiler\/issues\/\d+/.exec(card)?.[0] ?? '';
      return closed.has(`closed ${path}`) && !card.includes('Closed');
    });
    expect(stale).toEqual([]);
  });

  it('sends Slack nothing that it refuses', () => {
    expect(storm.slack.failures.filter(() => true)).toEqual([]);
  });

  it('leaves no key behind that the catalog does not know', async () => {
    expect(await strayKeys(storm.store.redis)).toEqual([]);
  });

  it('has no worker that exits on its own', () => {
    expect(storm.crew.deserters).toEqual([]);
  });
});

describe('the feed where posts cannot be read back, on a Redis that fsyncs each second and is stopped', () => {
  let storm: Weathered;
  beforeAll(async () => {
    storm = await weather({
      fsync: 'everysec',
      historyScopes: false,
      kills: Math.floor(kills * 0.4),
      redisStops: 2,
      follows,
    });
    await untilPosted(storm);
    say(`${storm.day.count} events, ${storm.crew.kills} kills`);
  }, 1_800_000);
  afterAll(() => storm.close());

  it.each(follows)('loses nothing of $repo in $channel and keeps the order', ({ channel, repo }) => {
    const posted = [...new Set(postedIn(storm.slack, channel).map(({ action }) => action))];
    expect(shown(posted, repo, storm)).toEqual(wanted(storm, repo));
  });

  it('marks each repeat', () => {
    const channels = new Set(follows.map(({ channel }) => channel));
    expect([...channels].flatMap((channel) => unmarkedRepeats(postedIn(storm.slack, channel)))).toEqual([]);
  });

  it('has no worker that exits on its own', () => {
    expect(storm.crew.deserters).toEqual([]);
  });
});
