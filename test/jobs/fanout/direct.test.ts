import { describe, expect, it } from 'vitest';
import type { Event, EventOf } from '../../../src/feed/event.js';
import { ApiError } from '../../../src/forge/index.js';
import { events } from '../../feed/samples/events.js';
import { team, useFanout, userOf } from './scene.js';

const scene = useFanout();
const grace = { kind: 'inbox', team, user: userOf('grace') } as const;
const dm = () => scene.waiting(scene.dm('grace'));
const bodies = async () => (await dm()).map(({ body }) => body);

/** A notification about an existing issue. */
const notified = (
  title: string,
  more: Partial<EventOf<'inbox:activity'>> = {},
  with_: object = { assignees: ['grace'] },
) => {
  const { repo, item } = scene.opened(title, 'acme/engine', { as: 'ada', ...with_ });
  const at = new Date().toISOString();
  return { ...events['inbox:assigned'], id: `n-${title}`, source: 'inbox', at, repo, item, ...more } as const;
};
const say = (event: Event, as: string, body: string) =>
  scene.forge.world.comment({ as, repo: 'acme/engine', index: event.item.number ?? 0, body });
const commentUrl = (event: Event, id: number) => `${event.item.url}#issuecomment-${id}`;

describe('a person’s own notifications', () => {
  it('come as direct messages, with what they are about', async () => {
    await scene.fan(grace, [notified('Yours')]);
    expect(await dm()).toMatchObject([
      {
        id: expect.stringMatching(/^inbox:asked\.\d+$/),
        body: { type: 'event', style: 'card', threaded: true, item: { title: 'Yours' } },
      },
    ]);
    expect((await bodies())[0]).not.toHaveProperty('canWait');
    expect((await bodies())[0]).toMatchObject({ event: { kind: 'inbox:assigned' } });
  });

  it('go to nobody who left, signed out, or has none', async () => {
    scene.world.deleted = true;
    await scene.fan(grace, [notified('Left')]);
    scene.world.deleted = false;
    scene.world.linked = false;
    await scene.fan(grace, [notified('Out')]);
    scene.world.linked = true;
    await scene.fan(grace, []);
    expect(await dm()).toEqual([]);
  });

  it('leave out the kinds that person turned off, and keep those they turned on', async () => {
    await scene.at.store.settings.put(grace, { kinds: { assigned: false }, quiet: null });
    await scene.fan(grace, [notified('Off')]);
    expect(await dm()).toEqual([]);
    const other = notified('Other', {}, {});
    await scene.fan(grace, [other]);
    expect(await dm()).toEqual([]);
    await scene.at.store.settings.put(grace, { kinds: { activity: true }, quiet: null });
    await scene.fan(grace, [other]);
    expect(await dm()).toHaveLength(1);
  });

  it('wait through quiet hours', async () => {
    await scene.at.store.settings.put(grace, { kinds: {}, quiet: { from: '08:00', to: '10:00' } });
    await scene.fan(grace, [notified('Early')]);
    expect((await bodies())[0]).toMatchObject({ canWait: true });
    expect((await scene.at.store.outbox.view(scene.dm('grace'))).pause).toMatchObject({
      reason: 'quiet hours',
      until: Date.parse('2026-11-10T10:00:00Z'),
    });
  });

  it('wait through quiet hours by the person’s own clock', async () => {
    scene.world.zone = 'America/New_York';
    await scene.at.store.settings.put(grace, { kinds: {}, quiet: { from: '22:00', to: '07:00' } });
    await scene.fan(grace, [notified('At night there')]);
    expect(await scene.at.store.outbox.paused(scene.dm('grace'))).toMatchObject({
      until: Date.parse('2026-11-10T12:00:00Z'),
    });
  });

  it('wait longer than quiet hours if they are muted for longer, or cannot be posted at all', async () => {
    await scene.at.store.settings.put(grace, { kinds: {}, quiet: { from: '08:00', to: '10:00' } });
    const paused = () => scene.at.store.outbox.paused(scene.dm('grace'));
    const tomorrow = scene.at.now() + 86_400_000;
    await scene.at.store.outbox.pause(scene.dm('grace'), 'muted', tomorrow);
    await scene.fan(grace, [notified('Muted')]);
    expect(await paused()).toMatchObject({ reason: 'muted', until: tomorrow });
    await scene.at.store.outbox.pause(scene.dm('grace'), 'The channel is archived.');
    await scene.fan(grace, [notified('Lost')]);
    expect(await paused()).toMatchObject({ reason: 'The channel is archived.' });
    expect(await paused()).not.toHaveProperty('until');
    await scene.at.store.outbox.pause(scene.dm('grace'), 'muted', scene.at.now() + 1_000);
    await scene.fan(grace, [notified('Muted for a moment')]);
    expect(await paused()).toMatchObject({ reason: 'quiet hours' });
  });

  it('are only counted once a thousand wait', async () => {
    const place = scene.dm('grace');
    await scene.at.store.outbox.pause(place, 'muted', scene.at.now() + 60_000);
    const body = { type: 'message', message: { text: 'before' } };
    const before = Array.from({ length: 1_000 }, (_, at) => ({ id: `before ${at}`, body }));
    await scene.at.store.outbox.append(place, before);
    await scene.fan(grace, [notified('Late'), notified('Later')]);
    await scene.link('grace');
    const run = { ...events['runs:failure'], repo: scene.repo('acme/engine') };
    const runs = { kind: 'runs', id: scene.repo('acme/engine').id } as const;
    await scene.fan(runs, [{ ...run, actor: { id: 2, login: 'grace', bot: false } }]);
    const { size, entries } = await scene.at.store.outbox.view(place, 2_000);
    expect(size).toBe(1_001);
    expect(JSON.stringify(entries.at(-1))).toContain('3 more updates');
  });

  it('are all kept however many wait, as long as nothing is paused', async () => {
    const place = scene.dm('grace');
    const body = { type: 'message', message: { text: 'before' } };
    const before = Array.from({ length: 1_000 }, (_, at) => ({ id: `before ${at}`, body }));
    await scene.at.store.outbox.append(place, before);
    await scene.fan(grace, [notified('Late')]);
    const { entries } = await scene.at.store.outbox.view(place, 2_000);
    expect(entries.at(-1)?.body).toMatchObject({ type: 'event', item: { title: 'Late' } });
  });

  it('that only update a card ignore quiet hours', async () => {
    await scene.at.store.settings.put(grace, { kinds: {}, quiet: { from: '08:00', to: '10:00' } });
    await scene.fan(grace, [notified('Read', { read: true })]);
    expect((await scene.at.store.outbox.view(scene.dm('grace'))).pause).toBeUndefined();
  });

  it('that were read elsewhere, or changed silently, only update the card', async () => {
    const read = notified('Read', { read: true });
    const moved = notified('Moved', { quiet: true });
    await scene.fan(grace, [read, moved]);
    expect(await dm()).toMatchObject([
      { body: { type: 'update', thread: read.item.thread, read: true, item: { title: 'Read' } } },
      { body: { type: 'update', thread: moved.item.thread, now: true } },
    ]);
    expect((await dm()).map(({ card }) => card)).toEqual([`update:${read.item.thread}`, `update:${moved.item.thread}`]);
    const { thread: _, ...item } = read.item;
    await scene.fan(grace, [{ ...read, id: 'n-none', item }]);
    expect(await dm()).toHaveLength(2);
  });

  it('of finished items show on the card, even if that kind is not chosen', async () => {
    const event = notified('Over', {}, {});
    scene.forge.world.close({ as: 'ada', repo: 'acme/engine', index: event.item.number ?? 0 });
    await scene.fan(grace, [event]);
    expect(await bodies()).toMatchObject([{ type: 'update', now: true, item: { state: 'closed' } }]);
  });

  it('say who wrote what; a comment is posted once, however often its thread is updated', async () => {
    const event = notified('Words', {}, {});
    const { id } = say(event, 'ada', 'Look, @grace');
    const url = commentUrl(event, id);
    await scene.fan(grace, [{ ...event, commentUrl: url }]);
    await scene.fan(grace, [{ ...event, id: 'n-again', commentUrl: url }]);
    expect(await dm()).toMatchObject([
      {
        id: `comment:r${event.repo.id}-${id}`,
        body: { event: { kind: 'inbox:mentioned', did: 'commented', words: 'Look, @grace' } },
      },
    ]);
  });

  it('include earlier comments since the card was posted, and none of one’s own', async () => {
    const event = notified('Several', {}, { as: 'grace' });
    const began = new Date(Date.now() - 5_000).toISOString();
    await scene.at.store.threads.put(scene.dm('grace'), {
      item: event.item.thread ?? '',
      ts: '1.0',
      about: { event: { at: began } },
    });
    say(event, 'ada', 'one');
    say(event, 'grace', 'mine');
    const { id } = say(event, 'linus', 'three');
    await scene.fan(grace, [{ ...event, commentUrl: commentUrl(event, id) }]);
    expect((await bodies()).map((body) => (body as { event: { words?: string } }).event.words)).toEqual([
      'one',
      'three',
    ]);
  });

  it('come without the text if the forge does not provide it', async () => {
    const event = notified('Silent');
    const { id } = say(event, 'ada', 'unheard');
    scene.forge.faults.add({
      on: 'GET /repos/{owner}/{repo}/issues/{index}/comments',
      times: 9,
      trouble: { status: 500 },
    });
    await scene.fan(grace, [{ ...event, commentUrl: commentUrl(event, id) }]);
    expect(await bodies()).toMatchObject([{ event: { kind: 'inbox:assigned' } }]);
    scene.forge.faults.clear();
    scene.world.lacks.add('issues.listComments');
    await scene.fan(grace, [{ ...notified('Never'), commentUrl: commentUrl(event, id) }]);
    expect(await bodies()).toHaveLength(2);
    expect(JSON.stringify(await bodies())).not.toContain('unheard');
  });

  it('name the review that updated a pull request', async () => {
    scene.forge.world.push({ as: 'grace', repo: 'acme/engine', branch: 'own', commits: [{ message: 'Own' }] });
    const { index } = scene.forge.world.openPull({ as: 'grace', repo: 'acme/engine', title: 'Own', head: 'own' });
    scene.forge.world.review({ as: 'ada', repo: 'acme/engine', index, verdict: 'approve', body: 'Good work' });
    const repo = scene.repo('acme/engine');
    const item = {
      kind: 'pull',
      number: index,
      title: 'Own',
      url: `${repo.url}/pulls/${index}`,
      thread: `p${index}`,
    } as const;
    const event = {
      ...events['inbox:activity'],
      state: 'open',
      id: 'n-pull',
      at: new Date().toISOString(),
      repo,
      item,
    };
    await scene.fan(grace, [event]);
    expect(await bodies()).toMatchObject([{ event: { kind: 'inbox:replied', did: 'approved', words: 'Good work' } }]);
  });
});

describe('a run of someone’s own push that failed', () => {
  const failed = (more: object = {}): Event => {
    const event = events['runs:failure'];
    const actor = { id: 2, login: 'grace', bot: false };
    return { ...event, repo: scene.repo('acme/engine'), actor, ...more };
  };
  const runs = () => ({ kind: 'runs', id: scene.repo('acme/engine').id }) as const;

  it('is sent to them', async () => {
    await scene.link('grace');
    await scene.fan(runs(), [failed()]);
    expect(await dm()).toMatchObject([{ id: 'own:e23', body: { style: 'card', threaded: true } }]);
    const other = { ...failed(), id: 'e99', run: { ...events['runs:failure'].run, trigger: 'pull_request' } } as Event;
    await scene.fan(runs(), [other]);
    expect(await dm()).toHaveLength(2);
  });

  it.each([
    ['by a bot', { actor: { id: 9, login: 'grace', bot: true } }],
    ['by nobody', { actor: null }],
    ['by somebody who is not known in Slack', { actor: { id: 9, login: 'turing', bot: false } }],
    ['on a schedule', { run: { ...events['runs:failure'].run, trigger: 'schedule' } }],
    ['well', { kind: 'runs:success' }],
  ])('%s is not', async (_how, more) => {
    await scene.link('grace');
    await scene.fan(runs(), [failed(more)]);
    expect(await dm()).toEqual([]);
  });

  it('is not sent to people who are not linked, do not want it, or may not see it', async () => {
    await scene.fan(runs(), [failed()]);
    expect(await dm()).toEqual([]);
    await scene.link('grace');
    await scene.at.store.settings.put(grace, { kinds: { run_failed: false }, quiet: null });
    await scene.fan(runs(), [failed()]);
    expect(await dm()).toEqual([]);
    await scene.at.store.settings.put(grace, { kinds: {}, quiet: null });
    scene.world.sees = false;
    const repo = { ...scene.repo('acme/vault'), hidden: true };
    await scene.fan(runs(), [failed({ repo })]);
    expect(await dm()).toEqual([]);
  });

  it('is not sent to people whose account the forge no longer accepts', async () => {
    await scene.link('grace');
    await scene.at.store.accounts.markRevoked({ team, user: userOf('grace') }, scene.at.now());
    await scene.fan(runs(), [failed()]);
    expect(await dm()).toEqual([]);
  });

  it('is not sent to people who see the repository but not its runs', async () => {
    await scene.link('grace');
    scene.world.units = ['issues'];
    const repo = { ...scene.repo('acme/vault'), hidden: true };
    await scene.fan(runs(), [failed({ repo })]);
    expect(await dm()).toEqual([]);
    scene.world.units = undefined;
    await scene.fan(runs(), [failed({ repo })]);
    expect(await dm()).toHaveLength(1);
  });

  it('is not sent if the forge refuses to say whether they see it, and tried again if it cannot', async () => {
    await scene.link('grace');
    const failure = { operation: 'repos.get', status: 403 };
    scene.world.fails = new ApiError({ ...failure, kind: 'forbidden' });
    const repo = { ...scene.repo('acme/vault'), hidden: true };
    await scene.fan(runs(), [failed({ repo })]);
    expect(await dm()).toEqual([]);
    scene.world.fails = new ApiError({ ...failure, kind: 'unavailable', status: 502 });
    await expect(scene.fan(runs(), [failed({ repo })])).rejects.toThrow(ApiError);
    expect(await dm()).toEqual([]);
  });

  it('comes only from the list of runs', async () => {
    await scene.link('grace');
    await scene.fan({ kind: 'repo', id: runs().id }, [failed()]);
    expect(await dm()).toEqual([]);
  });
});
