import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { partsOf } from '../../src/features/subscriptions/fields.js';
import { Filter } from '../../src/feed/filter.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { told, type, typePrivately, click, turn, after, opens } = talkTo(() => bellows);

const channels = [
  { id: 'C0GENERAL1', name: 'general' },
  { id: 'C0ENGINE01', name: 'engine' },
  { id: 'C0PRIVATE1', name: 'private', kind: 'private' as const },
  { id: 'C0SHARED01', name: 'shared', sharedWith: ['T0OTHER001'] },
  { id: 'C0ALONE001', name: 'alone', bot: false },
  { id: 'C0SECRET01', name: 'secret', kind: 'private' as const, bot: false },
  { id: 'C0MANY0001', name: 'many' },
];

const users = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0ALAN0001', name: 'alan' },
  { id: 'U0HEDY0001', name: 'hedy' },
];

beforeAll(async () => {
  bellows = await startBellows({ slack: { seed: { users, channels } } });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('subscribe', () => {
  it('subscribes a channel to issues, pull requests, commits and releases by default', async () => {
    const answer = await type('ada', 'subscribe acme/engine');
    expect(answer.text).toContain('subscribed this channel to acme/engine: issues, pull requests, commits, releases');
    expect(bellows.forge.requests.all.some(({ path }) => path.endsWith('/repos/acme/engine'))).toBe(true);
  });

  it('takes a repository’s address, and other spellings', async () => {
    const answer = await type('ada', `subscribe ${bellows.forge.url}/ACME/engine/issues`);
    expect(answer.text).toContain('Subscribed this channel to acme/engine');
  });

  it('adds to what is there when it is repeated', async () => {
    expect((await type('ada', 'subscribe acme/engine reviews bots:on +label:bug')).text).toContain(
      'issues, pull requests, commits, releases, reviews · +label:bug bots:on',
    );
    expect((await type('ada', 'subscribe acme/engine bots:off +label:urgent')).text).toContain(
      'issues, pull requests, commits, releases, reviews · +label:urgent',
    );
  });

  it('posts only what is named the first time', async () => {
    expect((await type('ada', 'subscribe acme/engine pulls:opened,merged runs:failure', 'many')).text).toContain(
      'pull requests (opened, merged), failed runs',
    );
  });

  it('takes several at once and says exactly which could not be followed', async () => {
    const answer = await typePrivately('ada', 'subscribe acme/engine, acme/website acme/nothing issues', 'general');
    expect(words(answer)).toContain('I can’t find acme/nothing, or you don’t have access to it');
    const channels = await told('subscribed this channel to acme/engine, acme/website: issues', 'general');
    expect(words(channels)).not.toContain('acme/nothing');
  });

  it('means the channel’s own repository if none is named', async () => {
    await type('ada', 'unsubscribe acme/*', 'many');
    expect(words(await opens('ada', 'subscribe issues', 'many'))).toContain('Repositories');
    await type('ada', 'repo use acme/website', 'many');
    expect((await type('ada', 'subscribe issues', 'many')).text).toContain(
      'subscribed this channel to acme/website: issues',
    );
  });

  it('suggests the intended word', async () => {
    expect((await type('ada', 'subscribe acme/engine isues')).text).toContain('Did you mean issues?');
  });

  it('follows all of an owner’s repositories, later ones too', async () => {
    const answer = await type('ada', 'subscribe acme/* releases', 'private');
    expect(words(answer)).toContain('3 repositories; new ones are added automatically');
    expect(words(await type('ada', 'subscribe acme/web-*', 'general'))).toContain('no repositories match yet');
    expect((await type('ada', 'subscribe nobody/*', 'private')).text).toContain('I can’t find nobody on the forge');
  });

  it('follows what one person does', async () => {
    expect((await type('ada', 'subscribe @margaret', 'general')).text).toContain(
      'subscribed this channel to @margaret',
    );
  });

  it('shows what it would ask of the forge without doing it', async () => {
    const answer = await type('ada', 'subscribe linus/notes --dry-run', 'many');
    expect(words(answer)).toContain('GET /repos/linus/notes');
    expect(words(await type('ada', 'subscribe list', 'many'))).not.toContain('linus/notes');
  });
});

describe('the exposure guard', () => {
  it('keeps a private repository out of a public channel', async () => {
    expect((await type('ada', 'subscribe acme/vault')).text).toContain('private and everyone can read this channel');
    expect(words(await typePrivately('ada', 'subscribe acme/*', 'many'))).toContain('vault: it is private');
    expect((await type('ada', 'subscribe acme/vault', 'private')).text).toContain(
      'subscribed this channel to acme/vault',
    );
  });

  it('keeps everything out of a channel shared with another organization', async () => {
    const answer = await type('ada', 'subscribe acme/engine', 'shared');
    expect(answer.text).toContain('shared with another organization');
  });

  it('shows nobody what their own account may not see', async () => {
    const answer = await type('alan', 'subscribe acme/vault', 'private');
    expect(answer.text).toContain('I can’t find acme/vault, or you don’t have access to it');
  });

  it('says which account needs access if Bellows itself cannot read it', async () => {
    bellows.forge.world.createRepo({ as: 'grace', owner: 'grace', name: 'diary', private: true });
    const answer = await type('grace', 'subscribe grace/diary', 'private');
    expect(answer.text).toContain('Give bellows-bot read access');
  });

  it('says how to invite the bot, and continues right afterwards', async () => {
    expect((await type('ada', 'subscribe acme/engine', 'alone')).text).toContain('Run /invite @Bellows here');
    await bellows.slack.happens.join('alone', 'bellows');
    expect((await type('ada', 'subscribe acme/engine', 'alone')).text).toContain(
      'subscribed this channel to acme/engine',
    );
    expect((await type('ada', 'subscribe acme/engine', 'secret')).text).toContain('cannot see this channel');
  });
});

it('refuses a part that would never post, and still shows an old one', async () => {
  const refused = await type('ada', 'subscribe acme/website issues:labeled', 'general');
  expect(refused.text).toContain('Use +label:bug');
  expect(words(await type('ada', 'subscribe features', 'general'))).not.toContain('labeled');
  const old = Filter.parse({ features: { issues: ['opened', 'labeled'] } });
  expect(partsOf(old).features).toEqual(['issues:opened']);
});

describe('a preview', () => {
  it('shows how many messages there would have been, how many by bots, and three of them', async () => {
    const answer = await type('ada', 'subscribe acme/website issues pulls commits:* --preview 30d', 'general');
    expect(answer.text).toMatch(
      /In the last 30 days, acme\/website would have posted \d+ messages here out of \d+ events/,
    );
    expect(answer.text).toMatch(/[1-9] of the events came from bots/);
    expect(words(answer).match(/• /g)).toHaveLength(3);
    expect(words(answer)).toContain('Nothing was changed or posted');
  });

  it('counts workflow runs if they are wanted', async () => {
    const all = await type('ada', 'subscribe acme/engine runs:all --preview 60d', 'many');
    expect(all.text).toMatch(/would have posted [1-9]/);
  });

  it('counts what a person did, with the default branches of their repositories', async () => {
    const { world } = bellows.forge;
    const push = (branch: string) =>
      world.push({
        as: 'margaret',
        repo: 'acme/engine',
        branch,
        commits: [{ message: 'Hers', files: ['src/hers.go'] }],
      });
    world.openIssue({ as: 'margaret', repo: 'acme/engine', title: 'Margaret’s own' });
    // a site admin sees it in her feed, the channel would not
    world.openIssue({ as: 'margaret', repo: 'acme/vault', title: 'Margaret’s secret' });
    push('main');
    push('hers');
    const answer = await type('ada', 'subscribe @margaret issues commits --preview', 'many');
    expect(answer.text).toMatch(/@margaret would have posted [1-9]\d* messages here out of [1-9]\d* events/);
    expect(words(answer)).toContain('Margaret’s own');
    expect(words(answer)).toContain('|main>');
    expect(words(answer)).not.toMatch(/\|hers>|secret/);
    const edited = words(await type('ada', 'subscribe edit @margaret --features issues --preview', 'general'));
    expect(edited).toContain('Margaret’s own');
    expect(edited).not.toMatch(/\|main>|secret/);
  });

  it('asks for labels only if the filter does', async () => {
    // the feed reads items of acme/engine meanwhile
    const isItem = /\/linus\/notes\/(issues|pulls)\/\d+$/;
    const before = bellows.forge.requests.all.filter(({ path }) => isItem.test(path)).length;
    await type('ada', 'subscribe linus/notes issues --preview 30d');
    const between = bellows.forge.requests.all.filter(({ path }) => isItem.test(path)).length;
    expect(between).toBe(before);
    const answer = await type('grace', 'subscribe acme/engine issues +label:urgent --preview 30d', 'alone');
    expect(words(answer)).toContain('Alarm 1202');
    expect(words(answer)).not.toContain('Print results on paper');
  });

  it('is followed by the subscription with one click', async () => {
    const answer = await type('ada', 'subscribe linus/notes issues --preview');
    expect(answer.text).toContain('In the last 7 days');
    expect((await click('ada', answer, 'Subscribe')).text).toContain('subscribed this channel to linus/notes: issues');
  });
});

describe('subscribe list', () => {
  it('shows filters, owner and health, and is empty at first', async () => {
    expect((await type('ada', 'subscribe list', 'shared')).text).toContain('No subscriptions in this channel yet');
    const answer = await type('grace', 'subscribe list');
    expect(words(answer)).toContain('issues, pull requests, commits, releases, reviews · `+label:urgent`');
    expect(words(answer)).toContain('owned by <@U0ADA00001>');
  });

  it('pages, and finds mine in every channel', async () => {
    for (let at = 1; at <= 12; at += 1)
      bellows.forge.world.createRepo({ as: 'ada', owner: 'ada', name: `part-${String(at).padStart(2, '0')}` });
    const names = Array.from({ length: 12 }, (_, at) => `ada/part-${String(at + 1).padStart(2, '0')}`);
    await type('ada', `subscribe ${names.join(' ')}`);
    const first = await type('ada', 'subscriptions');
    expect(words(first)).not.toContain('part-12');
    expect(words(await turn('ada', first, 'Show more'))).toContain('part-12');
    expect(words(await type('ada', 'subscribe list --mine', 'general'))).toContain('<#C0PRIVATE1>');
    expect((await type('ada', 'unsubscribe ada/part-*')).text).toContain('unsubscribed this channel from ada/part-01');
  });
});

describe('unsubscribe', () => {
  it('turns off only what is named', async () => {
    expect((await type('ada', 'unsubscribe acme/engine commits pulls:closed +label:x')).text).toMatch(
      /changed this channel’s acme\/engine subscription: issues, pull requests \(opened, merged, reopened, ready for review\), releases, reviews/,
    );
  });

  it('ends the subscription, and notifies its owner', async () => {
    const answer = await type('grace', 'unsubscribe acme/engine', 'general');
    expect(answer.text).toContain('unsubscribed this channel from acme/engine');
    const { dm } = bellows.slack.as('ada');
    await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees(dm)
        .some(({ blocks }) => words({ blocks }).includes('ended acme/engine')),
    );
  });

  it('says what is followed if the words mean nothing', async () => {
    expect((await type('ada', 'unsubscribe acme/nothing')).text).toContain(
      'is not subscribed to acme/nothing. Its subscriptions',
    );
  });

  it('recognizes a renamed repository', async () => {
    bellows.forge.world.renameRepo({ as: 'linus', repo: 'linus/notes', name: 'scraps' });
    expect((await type('ada', 'mute linus/scraps 1h')).text).toContain('Muted linus/scraps for 1h');
    expect((await type('ada', 'unmute linus/notes')).text).toContain('Unmuted linus/scraps');
    expect((await type('ada', 'unsubscribe linus/scraps')).text).toContain(
      'unsubscribed this channel from linus/scraps',
    );
  });
});

describe('subscribe owner', () => {
  const cardFor = (part: string) =>
    bellows.slack.until(() =>
      bellows.slack.state.messages('private').find(({ text, byBot }) => byBot && text.includes(part)),
    );

  it('asks nobody who may not see it, is not linked or is not in the channel', async () => {
    const ask = async (name: string) => (await type('ada', `subscribe owner acme/vault @${name}`, 'private')).text;
    expect(await ask('alan')).toContain('has no access to acme/vault');
    expect(await ask('hedy')).toContain('no linked forge account');
    await bellows.slack.happens.leave('private', 'grace');
    expect(await ask('grace')).toContain('must be in this channel');
    await bellows.slack.happens.join('private', 'grace');
  });

  it('changes nothing until the new owner accepts, and nobody accepts for them', async () => {
    expect((await type('ada', 'subscribe owner acme/vault @grace', 'private')).text).toContain('until they accept');
    const card = await cardFor('wants you to own the acme/vault subscription');
    expect(words(await type('ada', 'subscribe list', 'private'))).toContain('owned by <@U0ADA00001>');
    const forged = await after('alan', () => bellows.slack.as('alan').click(card, 'Accept'), 'private');
    expect(forged.text).toContain('No one has asked you to own acme/vault');
    expect(words(await type('ada', 'subscribe list', 'private'))).toContain('owned by <@U0ADA00001>');
  });

  it('is declined, and accepted, by a button', async () => {
    const first = await cardFor('wants you to own the acme/vault subscription');
    await bellows.slack.as('grace').click(first, 'Decline');
    await cardFor('declined to own the acme/vault subscription');
    expect(words(await type('ada', 'subscribe list', 'private'))).toContain('owned by <@U0ADA00001>');
    await type('ada', 'subscribe owner acme/vault @grace', 'private');
    const second = await cardFor('wants you to own the acme/vault subscription');
    await bellows.slack.as('grace').click(second, 'Accept');
    await cardFor('now owns the acme/vault subscription');
    expect(words(await type('ada', 'subscribe list', 'private'))).toContain('owned by <@U0GRACE001>');
  });

  it('leaves it to its owner and to maintainers', async () => {
    expect((await type('alan', 'subscribe owner acme/engine me')).text).toContain('@ada owns');
  });
});

it('shows every feature and filter', async () => {
  const answer = await after('ada', () => bellows.slack.as('ada').command('engine', '/forge', 'subscribe features'));
  expect(words(answer)).toContain('pulls:opened');
  expect(words(answer)).toContain('runs:transitions');
});
