import { type SandboxForge, startForge } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForge, type Forge, isHidden } from '../../src/forge/index.js';

const open = { private: false, internal: false, owner: { visibility: 'public' } };

describe('hidden', () => {
  it.each([
    ['private', { ...open, private: true }],
    ['internal', { ...open, internal: true }],
    ['of a limited owner', { ...open, owner: { visibility: 'limited' } }],
    ['of a private owner', { ...open, owner: { visibility: 'private' } }],
    ['of an owner described in words of a later server', { ...open, owner: { visibility: 'secret' } }],
    ['of nobody the server names', { ...open, owner: undefined }],
  ])('is a repository that is %s', (_what, repository) => {
    expect(isHidden(repository)).toBe(true);
  });

  it.each([
    ['public', open],
    ['of a server that does not know of visibility', { ...open, owner: { visibility: '' } }],
  ])('is not one that is %s', (_what, repository) => {
    expect(isHidden(repository)).toBe(false);
  });
});

describe('as servers answer', () => {
  let sandbox: SandboxForge;
  let forge: Forge;
  beforeAll(async () => {
    sandbox = await startForge();
    forge = createForge({ url: sandbox.url });
    const { world } = sandbox;
    for (const visibility of ['limited', 'private'] as const) {
      world.createOrg({ as: 'ada', login: visibility, visibility });
      world.createRepo({ as: 'ada', owner: visibility, name: 'plans' });
    }
  });
  afterAll(async () => {
    await forge.close();
    await sandbox.close();
  });
  const as = (login: string) => forge.as({ kind: 'token', token: sandbox.account(login).token() });
  const plans = (owner: string) => ({ owner, repo: 'plans' });

  it('calls a private owner’s open repository internal, and shows it only to members', async () => {
    const found = await as('ada').repos.get(plans('private'));
    expect(found).toMatchObject({ private: false, internal: true, owner: { visibility: 'private' } });
    expect(isHidden(found)).toBe(true);
    await expect(as('linus').repos.get(plans('private'))).rejects.toMatchObject({ kind: 'notFound' });
    await expect(as('linus').users.get({ username: 'private' })).rejects.toMatchObject({ kind: 'notFound' });
    const { items } = await as('linus').repos.search({ query: { q: 'plans' } });
    expect(items.map(({ full_name }) => full_name)).toEqual(['limited/plans']);
  });

  it('shows a limited owner’s repository to everyone signed in', async () => {
    const found = await as('linus').repos.get(plans('limited'));
    expect(found).toMatchObject({ private: false, internal: false, owner: { visibility: 'limited' } });
    expect(isHidden(found)).toBe(true);
    await expect(forge.as({ kind: 'anonymous' }).repos.get(plans('limited'))).rejects.toThrow();
  });

  it('does not say so in its feed rows, only in their repository', async () => {
    const { items } = await as('ada').activity.repoFeed(plans('private'));
    expect(items[0]).toMatchObject({ is_private: false, repo: { internal: true } });
  });
});
