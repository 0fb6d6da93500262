import type { SandboxForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { ask, first, forges, rows } from './ask.js';

const start = forges();
const empty = async (options: Partial<Parameters<typeof start>[0]> = {}) => {
  const clock = { now: 1_800_000_000_000 };
  const forge = await start({ clock: () => clock.now, ...options });
  for (const login of ['ada', 'grace', 'linus', 'margaret', 'bellows-bot'])
    await ask(forge, login, 'PUT /notifications');
  clock.now += 60_000;
  return { forge, clock };
};

const unread = async (forge: SandboxForge, login: string) =>
  rows(await ask(forge, login, 'GET /notifications?status-types=unread'));

describe('notification threads', () => {
  it('appear for watchers, assignees and mentioned people, not for the one who acts', async () => {
    const { forge } = await empty();
    forge.world.openIssue({
      as: 'grace',
      repo: 'acme/engine',
      title: 'Look',
      body: 'cc @linus',
      assignees: ['margaret'],
    });
    const counts = ['ada', 'linus', 'margaret', 'bellows-bot', 'grace'].map(
      async (login) => (await unread(forge, login)).length,
    );
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 0]);
  });

  it('reveal nothing a person may not see', async () => {
    const { forge } = await empty();
    forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Secret', body: '@linus' });
    expect(await unread(forge, 'linus')).toEqual([]);
  });

  it('reach a requested reviewer, and a requested team', async () => {
    const { forge } = await empty();
    forge.world.removeWatcher({ repo: 'acme/website', login: 'margaret' });
    await ask(forge, 'linus', 'POST /repos/acme/website/pulls/3/requested_reviewers', { team_reviewers: ['review'] });
    forge.world.push({ as: 'grace', repo: 'acme/website', branch: 'x', commits: ['x'] });
    forge.world.removeWatcher({ repo: 'acme/website', login: 'linus' });
    forge.world.openPull({ as: 'grace', repo: 'acme/website', title: 'X', head: 'x' });
    await ask(forge, 'grace', 'POST /repos/acme/website/pulls/7/requested_reviewers', { reviewers: ['linus'] });
    expect(await unread(forge, 'linus')).toMatchObject([{ subject: { title: 'X', type: 'Pull', state: 'open' } }]);
  });

  it('keep their id while their time changes, and point at the newest comment', async () => {
    const { forge, clock } = await empty();
    forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'one' });
    const before = first(await unread(forge, 'ada'));
    clock.now += 5000;
    const { id } = forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'two' });
    const after = first(await unread(forge, 'ada'));
    expect(after['id']).toBe(before['id']);
    expect(after['updated_at']).not.toBe(before['updated_at']);
    expect(after).toMatchObject({
      subject: { latest_comment_html_url: expect.stringContaining(`#issuecomment-${id}`) },
    });
  });

  it('answer a change with 205 and a body, and any change updates the time', async () => {
    const { forge, clock } = await empty();
    forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'one' });
    const { id, updated_at } = first(await unread(forge, 'ada'));
    clock.now += 5000;
    const marked = await ask(forge, 'ada', `PATCH /notifications/threads/${id}?to-status=unread`);
    expect(marked).toMatchObject({ status: 205, answer: { id, unread: true } });
    expect(marked.answer).not.toMatchObject({ updated_at });
    expect(await ask(forge, 'ada', `PATCH /notifications/threads/${id}?to-status=bogus`)).toMatchObject({
      answer: { unread: false },
    });
  });

  it('belong to their person: others are refused, and an admin fails', async () => {
    const { forge } = await empty();
    forge.world.comment({ as: 'ada', repo: 'acme/engine', index: 4, body: 'one' });
    const { id } = first(await unread(forge, 'grace'));
    expect((await ask(forge, 'margaret', `PATCH /notifications/threads/${id}`)).status).toBe(403);
    expect(await ask(forge, 'ada', `PATCH /notifications/threads/${id}`)).toMatchObject({
      status: 500,
      answer: { message: '' },
    });
  });

  it('change only up to the time that was read', async () => {
    const { forge, clock } = await empty();
    forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'early' });
    const { updated_at } = first(await unread(forge, 'ada'));
    clock.now += 5000;
    forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 2, body: 'late' });
    const changed = await ask(
      forge,
      'ada',
      `PUT /notifications?last_read_at=${encodeURIComponent(String(updated_at))}`,
    );
    expect(rows(changed)).toHaveLength(1);
    expect(await unread(forge, 'ada')).toMatchObject([{ subject: { title: 'Print results on paper' } }]);
  });

  it.each([
    ['gitea-1.28', null],
    ['gitea-1.26', { title: 'Gone soon' }],
    ['forgejo-11', { title: 'Gone soon' }],
    ['forgejo-15', { title: 'Gone soon' }],
  ] as const)('lose their subject when access is revoked, on %s: %o', async (flavor, subject) => {
    const { forge } = await empty({ flavor });
    forge.world.openIssue({ as: 'ada', repo: 'acme/website', title: 'Gone soon', body: '@linus' });
    forge.world.setPrivate({ repo: 'acme/website', private: true });
    forge.world.setCollaborator({ repo: 'acme/website', login: 'linus', level: 'none' });
    const repository = subject && { full_name: 'acme/website', private: true };
    expect(first(await unread(forge, 'linus'))).toMatchObject({ repository, subject });
  });
});
