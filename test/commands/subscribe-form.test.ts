import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { told, type, after, form, result } = talkTo(() => bellows);
const ada = () => bellows.slack.as('ada');

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('opens a form if nothing is named, and subscribes with it', async () => {
  await ada().command('engine', '/forge', 'subscribe');
  expect(words(await form('ada'))).toContain('"text":"+label:bug base:main"');
  await ada().fill({
    repositories: ['acme/engine', 'acme/website'],
    features: ['Issues', 'Pull requests'],
    filter: 'pulls:merged -author:*-bot',
  });
  const answer = await after('ada', () => ada().submit());
  expect(answer.text).toContain(
    'subscribed this channel to acme/engine, acme/website: issues, pull requests (merged) · -author:*-bot',
  );
});

it('says at the field what cannot be parsed', async () => {
  await ada().command('engine', '/forge', 'subscribe');
  await form('ada');
  await ada().fill({ repositories: ['acme/engine'], filter: 'pulls:openend' });
  const sent = await ada().submit();
  expect(JSON.stringify(sent)).toContain('Did you mean pulls:opened?');
  await ada().close();
});

it('previews from the form with a button, and the form stays below', async () => {
  await ada().command('engine', '/forge', 'subscribe');
  const shown = await form('ada');
  await ada().fill({ repositories: ['acme/engine'], features: ['Reviews'], filter: '30d' });
  await ada().click(ada().openView() ?? shown, 'Preview');
  const view = await result('ada', 'would have posted');
  expect(words(view)).toContain('In the last 30 days, acme/engine');
  expect(words(await type('ada', 'subscribe list'))).not.toContain('reviews');
  await ada().click(view, 'Subscribe');
  const done = words(await result('ada', 'Subscribed this channel'));
  expect(done).toContain('issues, pull requests (merged), reviews · `-author:*-bot`');
  await ada().close();
  expect(ada().openView()?.id).toBe(shown.id);
  await ada().close();
});

it('asks to try again if Slack does not open the preview', async () => {
  await ada().command('engine', '/forge', 'subscribe');
  const shown = await form('ada');
  await ada().fill({ repositories: ['acme/engine'], features: ['Reviews'] });
  bellows.slack.faults.next('views.push', { kind: 'error', error: 'expired_trigger_id' });
  await ada().click(ada().openView() ?? shown, 'Preview');
  const answer = await bellows.slack.until(() => ada().sees(ada().dm).at(-1));
  expect(answer.text).toContain('Slack did not open the form. Try again.');
  await ada().close();
});

it('says above the form what cannot be previewed', async () => {
  await ada().command('engine', '/forge', 'subscribe');
  const shown = await form('ada');
  await ada().fill({ repositories: ['acme/engine'], filter: 'isues' });
  await ada().click(ada().openView() ?? shown, 'Preview');
  expect(words(await result('ada', 'Did you mean'))).toContain('issues');
  await ada().close();
  await ada().close();
});

it('edits a subscription in a form that shows what is posted now', async () => {
  await ada().command('engine', '/forge', 'subscribe edit acme/engine');
  const shown = words(await form('ada'));
  expect(shown).toContain('-author:*-bot');
  expect(shown).toContain('pulls:merged');
  await ada().fill({ features: ['issues', 'reviews:approved'], filters: '+label:bug', bots: 'on', style: 'line' });
  await ada().submit();
  await result('ada', 'Updated');
  await told('bots:on');
  expect(words(await type('ada', 'subscribe list'))).toContain(
    'issues, reviews (approved) · `+label:bug bots:on style:line`',
  );
});

it('clears what the form emptied', async () => {
  await ada().command('engine', '/forge', 'subscribe edit acme/engine');
  await form('ada');
  await ada().fill({ features: null, filters: null, bots: 'off', style: 'card' });
  await ada().submit();
  await result('ada', 'issues, pull requests, commits, releases');
  await told('issues, pull requests, commits, releases');
});

it('keeps filters that are longer than a form can hold', async () => {
  const filters = Array.from({ length: 15 }, (_, at) => `-author:bot-${at}-${'x'.repeat(80)}`).join(' ');
  await type('ada', `subscribe acme/website issues ${filters}`);
  await ada().command('engine', '/forge', 'subscribe edit acme/website');
  expect(words(await form('ada'))).toContain('Too long to edit here, so it will not change.');
  await ada().fill({ bots: 'on' });
  await ada().submit();
  await result('ada', 'Updated');
  await told('bots:on');
  const store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  const kept = JSON.stringify(await store.subscriptions.inChannel({ team: 'T0BELLOWS1', channel: 'C0ENGINE01' }));
  await close(store.redis);
  for (let at = 0; at < 15; at++) expect(kept).toContain(`bot-${at}-${'x'.repeat(80)}`);
  await type('ada', 'unsubscribe acme/website');
});

it('changes one thing by word and keeps the rest', async () => {
  expect((await type('ada', 'subscribe edit acme/engine --runs failure --drafts hide')).text).toContain(
    'issues, pull requests, commits, releases, failed runs · drafts:hide',
  );
  expect((await type('ada', 'subscribe edit acme/nothing --bots on')).text).toContain(
    'is not subscribed to acme/nothing',
  );
});

it('previews a change before it is made', async () => {
  const answer = await type('ada', 'subscribe edit acme/engine --features comments --preview');
  expect(answer.text).toContain('would have posted');
  expect(words(await type('ada', 'subscribe list'))).toContain('failed runs · `drafts:hide`');
  const changed = await after('ada', () => ada().click(answer, 'Save changes'));
  expect(changed.text).toContain('comments · drafts:hide');
});

it('hands over by form from the list', async () => {
  await bellows.link('grace');
  const list = await type('ada', 'subscribe list');
  await ada().click(list, 'more', 'Hand over…');
  await form('ada');
  await ada().fill({ person: 'grace' });
  expect((await after('ada', () => ada().submit())).text).toContain('Nothing changes until they accept');
});
