import { expect } from 'vitest';
import type { ContractServer } from './server.js';
import type { On } from './suite.js';
import { all, eventually, expectFailure, expectPages, freshIssue, freshRepo } from './things.js';

/** Carol mentions bob; his thread about it. */
async function freshThread(server: ContractServer) {
  const { bob } = server.people;
  const at = await freshIssue(server, await freshRepo(server), `ping @${bob.login}`);
  return eventually(async () => {
    const unread = await all(bob.api.notifications.list.each());
    const thread = unread.find(({ repository }) => repository?.name === at.repo);
    if (!thread) throw new Error('bob was not told yet');
    return thread;
  });
}

export function notifications(on: On): void {
  on('notifications.markThread', 'pins a thread, and marks it read', async (server) => {
    const { bob } = server.people;
    const { id } = await freshThread(server);
    const pinned = await bob.api.notifications.markThread({ id, query: { 'to-status': 'pinned' } });
    expect(pinned).toMatchObject({ id, pinned: true });
    expect(await bob.api.notifications.getThread({ id })).toMatchObject({ pinned: true });
    await bob.api.notifications.markThread({ id });
    expect(await bob.api.notifications.getThread({ id })).toMatchObject({ pinned: false, unread: false });
  });

  on('notifications.markThread', 'refuses other people’s threads and unknown ones', async (server) => {
    const { bob, carol } = server.people;
    const { id } = await freshThread(server);
    await expectFailure(carol.api.notifications.markThread({ id }), 'forbidden');
    await expectFailure(bob.api.notifications.markThread({ id: 987_654_321 }), 'notFound');
  });

  on('notifications.markAll', 'changes what was unread, and returns it', async (server) => {
    const { bob } = server.people;
    const { id } = await freshThread(server);
    const query = { 'status-types': ['unread' as const], 'to-status': 'read' as const };
    const changed = await bob.api.notifications.markAll({ query });
    expect(changed?.map((thread) => thread.id)).toContain(id);
    expect(await bob.api.notifications.getThread({ id })).toMatchObject({ unread: false });
    expect(await bob.api.notifications.markAll({ query })).toEqual([]);
  });

  on('notifications.markAll', 'leaves newer ones alone, and refuses an invalid time', async (server) => {
    const { bob } = server.people;
    const { id } = await freshThread(server);
    expect(await bob.api.notifications.markAll({ query: { last_read_at: new Date('2001-01-01') } })).toEqual([]);
    expect(await bob.api.notifications.getThread({ id })).toMatchObject({ unread: true });
    expect((await bob.send('PUT', '/notifications?last_read_at=garbage')).status).toBe(400);
  });

  on('notifications.markRepo', 'changes only what is unread in that repository', async (server) => {
    const { bob } = server.people;
    const { id } = await freshThread(server);
    const { repository } = await bob.api.notifications.getThread({ id });
    const [owner = '', repo = ''] = repository?.full_name.split('/') ?? [];
    const old = await bob.api.notifications.markRepo({ owner, repo, query: { last_read_at: new Date('2001-01-01') } });
    expect(old).toEqual([]);
    const changed = await bob.api.notifications.markRepo({ owner, repo, query: { 'to-status': 'read' } });
    expect(changed?.map((each) => each.id)).toContain(id);
    expect(await bob.api.notifications.getThread({ id })).toMatchObject({ unread: false });
    await expectFailure(bob.api.notifications.markRepo({ owner, repo: 'nosuch' }), 'notFound');
  });

  on('notifications.list', 'shows unread threads, newest first, in pages', async (server) => {
    const { bob } = server.people;
    const { subject } = await freshThread(server);
    await freshThread(server);
    expect(subject).toMatchObject({ type: 'Issue', state: 'open', title: expect.stringMatching(/^Issue-/) });
    const query = { 'status-types': ['unread' as const], 'subject-type': ['issue' as const] };
    await expectPages(
      (paging) => bob.api.notifications.list({ query: { ...query, ...paging } }),
      ({ id }) => id,
    );
    const future = await bob.api.notifications.list({ query: { ...query, since: new Date('2040-01-01') } });
    expect(future.items).toEqual([]);
  });

  on('notifications.getThread', 'refuses other people’s threads', async (server) => {
    const { id } = await freshThread(server);
    await expectFailure(server.people.carol.api.notifications.getThread({ id }), 'forbidden');
  });

  on('notifications.countNew', 'counts what is unread', async (server) => {
    await freshThread(server);
    expect((await server.people.bob.api.notifications.countNew()).new).toBeGreaterThan(0);
  });
}
