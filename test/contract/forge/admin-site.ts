import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { z } from 'zod';
import type { On } from './suite.js';
import { all, expectFailure, expectPages, fresh, freshIssue, freshRepo } from './things.js';

const nowhere = { url: 'http://127.0.0.1:9/hook', content_type: 'json' as const };

export function adminSite(on: On): void {
  on('admin.listCron', 'shows the tasks in pages, to admins only', async ({ product, people: { root, alice } }) => {
    const tasks = await all(root.api.admin.listCron.each());
    expect(tasks.map(({ name }) => name)).toContain('update_mirrors');
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(tasks.length);
    await expectFailure(alice.api.admin.listCron(), 'forbidden');
    // Forgejo returns the whole list, whatever page is requested.
    if (product === 'Forgejo') return;
    await expectPages(
      (query) => root.api.admin.listCron({ query }),
      (task) => task.name,
    );
  });

  on('admin.runCron', 'starts a task', async ({ people: { root } }) => {
    const times = async () => {
      const tasks = await all(root.api.admin.listCron.each());
      return tasks.find(({ name }) => name === 'update_mirrors')?.exec_times ?? 0;
    };
    const before = await times();
    expect(await root.api.admin.runCron({ task: 'update_mirrors' })).toBeUndefined();
    await expect.poll(times).toBeGreaterThan(before);
  });

  on('admin.runCron', 'refuses an unknown task, and people who are not admins', async ({ people: { root, alice } }) => {
    await expectFailure(root.api.admin.runCron({ task: 'nosuch' }), 'notFound');
    await expectFailure(alice.api.admin.runCron({ task: 'update_mirrors' }), 'forbidden');
  });

  on('admin.listEmails', 'shows addresses in pages, to admins only', async ({ people: { root, bob } }) => {
    const emails = await all(root.api.admin.listEmails.each());
    expect(emails.find(({ username }) => username === bob.login)).toMatchObject({ primary: true });
    await expectPages(
      (query) => root.api.admin.listEmails({ query }),
      (record) => record.email,
    );
    await expectFailure(bob.api.admin.listEmails(), 'forbidden');
  });

  on('admin.searchEmails', 'finds an address', async ({ people: { root, bob } }) => {
    const { items } = await root.api.admin.searchEmails({ query: { q: bob.login } });
    expect(items.map(({ username }) => username)).toEqual([bob.login]);
    const none = await root.api.admin.searchEmails({ query: { q: fresh('nobody') } });
    expect(none.items).toEqual([]);
  });

  on('admin.searchEmails', 'comes in pages, to admins only', async ({ people: { root, bob } }) => {
    await expectPages(
      (query) => root.api.admin.searchEmails({ query }),
      (record) => record.email,
    );
    await expectFailure(bob.api.admin.searchEmails({ query: { q: 'a' } }), 'forbidden');
  });

  on('admin.createHook', 'creates a system hook that is listed by default', async ({ people: { root } }) => {
    const config = { ...nowhere, is_system_webhook: 'true' as const, secret: 'whisper' };
    const hook = await root.api.admin.createHook({
      body: { type: 'gitea', config, events: ['issues'], active: false },
    });
    expect(hook).toMatchObject({ type: 'gitea', active: false, config: { url: nowhere.url } });
    const listed = await all(root.api.admin.listHooks.each());
    expect(listed.map(({ id }) => id)).toContain(hook.id);
    expect(JSON.stringify(listed)).not.toContain('whisper');
  });

  on('admin.createHook', 'delivers events, signed', async (server) => {
    const receiver = createServer().listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const config = { url, content_type: 'json' as const, is_system_webhook: 'true' as const, secret: 'whisper' };
    await server.people.root.api.admin.createHook({
      body: { type: 'gitea', config, events: ['issues'], active: true },
    });
    const heard = once(receiver, 'request');
    await freshIssue(server, await freshRepo(server));
    const [request, response] = z
      .tuple([z.instanceof(IncomingMessage), z.instanceof(ServerResponse)])
      .parse(await heard);
    const body = await text(request);
    response.end();
    receiver.close();
    expect(request.headers['x-gitea-event']).toBe('issues');
    expect(request.headers['x-gitea-signature']).toBe(createHmac('sha256', 'whisper').update(body).digest('hex'));
  });

  on(
    'admin.createHook',
    'refuses an unknown type, a missing address, and people who are not admins',
    async ({ people }) => {
      const { root, alice } = people;
      expect((await root.send('POST', '/admin/hooks', { type: 'bogus', config: nowhere })).status).toBe(422);
      expect(
        (await root.send('POST', '/admin/hooks', { type: 'gitea', config: { content_type: 'json' } })).status,
      ).toBe(422);
      await expectFailure(alice.api.admin.createHook({ body: { type: 'gitea', config: nowhere } }), 'forbidden');
    },
  );

  on('admin.listHooks', 'keeps default hooks separate', async ({ product, people: { root } }) => {
    const hook = await root.api.admin.createHook({ body: { type: 'gitea', config: nowhere } });
    const ids = async (type: 'system' | 'default' | 'all') =>
      (await all(root.api.admin.listHooks.each({ query: { type } }))).map(({ id }) => id);
    expect(await ids('system')).not.toContain(hook.id);
    // Forgejo lists only system hooks, and would return them for every other kind too.
    if (product === 'Forgejo') await expectFailure(ids('default'), 'invalid');
    else {
      expect(await ids('default')).toContain(hook.id);
      expect(await ids('all')).toContain(hook.id);
    }
    // It would be copied into every new repository of someone's own server.
    await root.send('DELETE', `/admin/hooks/${hook.id}`);
  });

  on('admin.listHooks', 'comes in pages, to admins only', async ({ people: { root, alice } }) => {
    const config = { ...nowhere, is_system_webhook: 'true' as const };
    await root.api.admin.createHook({ body: { type: 'gitea', config } });
    await root.api.admin.createHook({ body: { type: 'gitea', config } });
    await expectPages(
      (query) => root.api.admin.listHooks({ query }),
      (hook) => hook.id,
    );
    await expectFailure(alice.api.admin.listHooks(), 'forbidden');
  });
}
