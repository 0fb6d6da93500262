import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { ask, forges, rows } from './ask.js';

const start = forges();
const engine = 'acme/engine';
const onEngine = { as: 'grace', repo: engine } as const;

const ops = async (forge: SandboxForge): Promise<unknown[]> =>
  rows(await ask(forge, 'ada', 'GET /repos/acme/engine/activities/feeds?limit=50')).map((row) => row['op_type']);

describe('the activity feed', () => {
  it('writes two rows for a push of a new branch, the first one empty', async () => {
    const clock = { now: 1_800_000_000_000 };
    const forge = await start({ clock: () => clock.now });
    forge.world.push({ ...onEngine, branch: 'new', commits: ['One', 'Two'] });
    const feed = rows(await ask(forge, 'ada', 'GET /repos/acme/engine/activities/feeds'));
    const [empty, full] = feed.filter((row) => row['ref_name'] === 'refs/heads/new');
    expect(empty).toMatchObject({ op_type: 'commit_repo', content: '', created: '2027-01-15T08:00:00Z' });
    expect(JSON.parse(String(full?.['content']))).toMatchObject({
      Len: 2,
      Commits: [{ Message: 'Two\n' }, { Message: 'One\n' }],
      HeadCommit: { Message: 'Two\n' },
    });
  });

  it('writes a push and a merge in the same second, and no closing', async () => {
    const forge = await start({ clock: () => 1_800_000_000_000 });
    forge.world.merge({ ...onEngine, index: 8 });
    const feed = rows(await ask(forge, 'ada', 'GET /repos/acme/engine/activities/feeds'));
    expect(feed.slice(0, 2).map((row) => row['op_type'])).toEqual(['commit_repo', 'merge_pull_request']);
    expect(feed[0]?.['created']).toBe(feed[1]?.['created']);
    expect(feed[1]).toMatchObject({ content: '8|Drop the least important job first', comment: null });
  });

  it('writes a closing without its title and a comment with its text', async () => {
    const forge = await start();
    forge.world.comment({ ...onEngine, index: 4, body: 'x'.repeat(300) });
    forge.world.close({ ...onEngine, index: 4 });
    const feed = rows(await ask(forge, 'ada', 'GET /repos/acme/engine/activities/feeds'));
    expect(feed.find((row) => row['op_type'] === 'close_issue')).toMatchObject({
      content: '4|',
      comment: { body: '', user: null },
    });
    expect(feed[0]).toMatchObject({ op_type: 'comment_issue', content: `4|${'x'.repeat(200)}…` });
  });

  it('can produce every kind in the API document', async () => {
    const forge = await start();
    const { world } = forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'born' });
    world.openIssue({ ...onEngine, title: 'Now' });
    world.comment({ ...onEngine, index: 9, body: 'text' });
    world.close({ ...onEngine, index: 9 });
    world.reopen({ ...onEngine, index: 9 });
    world.push({ ...onEngine, branch: 'b', commits: ['c'] });
    world.openPull({ ...onEngine, title: 'P', head: 'b' });
    world.review({ as: 'ada', repo: engine, index: 10, verdict: 'reject', body: 'no' });
    world.review({ as: 'ada', repo: engine, index: 10, verdict: 'approve', body: 'yes' });
    world.review({ as: 'ada', repo: engine, index: 10, verdict: 'comment', comments: ['one line'] });
    world.close({ ...onEngine, index: 10 });
    world.reopen({ ...onEngine, index: 10 });
    world.merge({ as: 'ada', repo: engine, index: 10, auto: true });
    world.merge({ as: 'ada', repo: engine, index: 8, deleteBranch: true });
    world.tag({ ...onEngine, tag: 'v2' });
    world.release({ ...onEngine, tag: 'v2', title: 'Two' });
    world.deleteTag({ ...onEngine, tag: 'v2' });
    world.mirrorSync({ repo: engine, kind: 'create', branch: 'm' });
    world.mirrorSync({ repo: engine, kind: 'push', branch: 'm' });
    world.mirrorSync({ repo: engine, kind: 'delete', branch: 'm' });
    world.renameRepo({ as: 'ada', repo: 'acme/born', name: 'reborn' });
    world.transferRepo({ as: 'ada', repo: 'acme/reborn', to: 'ada' });
    for (const op of ['star_repo', 'watch_repo', 'pull_review_dismissed', 'pull_request_ready_for_review']) {
      world.feedRow({ ...onEngine, op });
    }
    const born = rows(await ask(forge, 'ada', 'GET /repos/ada/reborn/activities/feeds')).map((row) => row['op_type']);
    expect([...new Set([...(await ops(forge)), ...born])].sort()).toEqual([
      'approve_pull_request',
      'auto_merge_pull_request',
      'close_issue',
      'close_pull_request',
      'comment_issue',
      'comment_pull',
      'commit_repo',
      'create_issue',
      'create_pull_request',
      'create_repo',
      'delete_branch',
      'delete_tag',
      'merge_pull_request',
      'mirror_sync_create',
      'mirror_sync_delete',
      'mirror_sync_push',
      'publish_release',
      'pull_request_ready_for_review',
      'pull_review_dismissed',
      'push_tag',
      'reject_pull_request',
      'rename_repo',
      'reopen_issue',
      'reopen_pull_request',
      'star_repo',
      'transfer_repo',
      'watch_repo',
    ]);
  });

  it('keeps seconds in order but not the order within one', async () => {
    const forge = await start({ clock: () => 1_800_000_000_000, ties: 'alternating' });
    forge.world.openIssue({ ...onEngine, title: 'first' });
    forge.world.openIssue({ ...onEngine, title: 'second' });
    const read = async () =>
      rows(await ask(forge, 'ada', 'GET /repos/acme/engine/activities/feeds?limit=2')).map((row) => row['content']);
    expect(await read()).toEqual(['9|first', '10|second']);
    expect(await read()).toEqual(['10|second', '9|first']);
  });

  it('gives every receiver a separate row', async () => {
    const forge = await start();
    forge.world.openIssue({ ...onEngine, title: 'Everybody' });
    const of = async (login: string) =>
      rows(await ask(forge, 'ada', `GET /users/${login}/activities/feeds?limit=1`))[0];
    const [org, watcher, actor] = [await of('acme'), await of('bellows-bot'), await of('grace')];
    expect([org, watcher, actor].map((row) => row?.['content'])).toEqual(['9|Everybody', '9|Everybody', '9|Everybody']);
    expect(new Set([org, watcher, actor].map((row) => row?.['id'])).size).toBe(3);
  });

  it('keeps private rows from strangers, without an error', async () => {
    const forge = await start();
    const total = async (login: string) =>
      (await ask(forge, login, 'GET /users/ada/activities/feeds')).headers['x-total-count'];
    expect(Number(await total('ada'))).toBeGreaterThan(Number(await total('linus')));
  });

  it('filters by a day in the server’s time zone, and ignores anything else', async () => {
    const forge = await start({ clock: () => Date.parse('2026-11-14T23:30:00Z'), zoneMinutes: 60 });
    forge.world.openIssue({ ...onEngine, title: 'Late' });
    const on = async (date: string) =>
      rows(await ask(forge, 'ada', `GET /repos/acme/engine/activities/feeds?date=${date}`));
    expect(await on('2026-11-15')).toMatchObject([{ content: '9|Late', created: '2026-11-15T00:30:00+01:00' }]);
    expect(await on('2020-01-01')).toEqual([]);
    expect((await on('someday')).length).toBeGreaterThan(10);
  });
});
