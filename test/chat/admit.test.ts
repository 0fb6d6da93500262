import { startForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { createRoles, isSupported, refuseRole, refuseUnsupported } from '../../src/chat/admit.js';
import { type AnyCommand, command } from '../../src/chat/command.js';
import type { Role } from '../../src/chat/context.js';
import { createForge, type OperationName } from '../../src/forge/index.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';

const asked = (role: Role, needs?: readonly OperationName[]): AnyCommand =>
  command({
    name: 'vault open',
    summary: '',
    examples: [],
    fields: {},
    role,
    risk: 'read',
    effect: 'read',
    operations: [],
    ...(needs && { needs }),
    plan: () => [],
    run: async () => undefined,
    reply: () => say(md`open`),
  });

describe('a command is admitted', () => {
  const roles = ['everyone', 'maintainer', 'admin'] as const;
  it.each(roles.flatMap((wanted, least) => roles.map((held, rank) => [wanted, held, rank >= least] as const)))(
    'for %s: held by %s: %s',
    (wanted, held, admitted) => {
      const enter = () => refuseRole(asked(wanted), held);
      if (admitted) expect(enter).not.toThrow();
      else expect(enter).toThrow(wanted === 'admin' ? 'Only admins' : 'Only maintainers');
    },
  );

  it('not with an unknown role', () => {
    // as a policy of another version might name it
    expect(() => refuseRole(asked('everyone'), 'owner' as Role)).toThrow('Only everyone');
  });

  it('if the server can do everything it needs', async () => {
    const forge = await startForge({ flavor: 'gitea-1.26' });
    const client = createForge({ url: forge.url, retry: { attempts: 1 } });
    const can: OperationName = 'repos.get';
    const cannot: OperationName = 'projects.createInRepo';
    const [has, lacks] = [await client.capabilities.has(can), await client.capabilities.has(cannot)];
    expect([has, lacks]).toEqual([true, false]);
    expect(await isSupported(asked('everyone'), client)).toBe(true);
    expect(await isSupported(asked('everyone', [can]), client)).toBe(true);
    expect(await isSupported(asked('everyone', [can, cannot]), client)).toBe(false);
    await refuseUnsupported(asked('everyone'), client);
    await refuseUnsupported(asked('everyone', [can]), client);
    await expect(refuseUnsupported(asked('everyone', [can, cannot]), client)).rejects.toThrow(
      'does not support vault open',
    );
    await client.close();
    await forge.close();
  });
});

describe('roles', () => {
  const named = (user: string, group: string) => ({ users: [user], groups: [group] });
  const roles = { admin: named('U0BOSS0001', 'S0ADMINS01'), maintainer: named('U0ADA00001', 'S0MAINT001') };
  const inSlack = (admins: string[], maintainers: string[]) => {
    const groups: Record<string, string[]> = { S0ADMINS01: admins, S0MAINT001: maintainers };
    return { groups, roles: createRoles({ roles, team: 'T1', groupMembers: async (id) => groups[id] ?? [] }) };
  };

  it('belong to nobody of another workspace, whatever their id', async () => {
    const { roles: held } = inSlack(['U0GRACE001'], ['U0LINUS001']);
    await held.refresh();
    for (const [user, role] of Object.entries({ U0BOSS0001: 'admin', U0GRACE001: 'admin', U0LINUS001: 'maintainer' })) {
      expect([held.of({ team: 'T1', user }), await held.fresh({ team: 'T1', user })]).toEqual([role, role]);
      const stranger = { team: 'T2', user };
      expect([held.of(stranger), await held.fresh(stranger)]).toEqual(['everyone', 'everyone']);
      expect(await held.isAmong(stranger, named(user, 'S0ADMINS01'))).toBe(false);
    }
    expect(await held.isAmong({ team: 'T2', user: 'U0GRACE001' }, named('U0BOSS0001', 'S0ADMINS01'))).toBe(false);
  });

  it.each([
    ['U0ADA00001', 'admin', 'maintainer'],
    ['U0GRACE001', 'admin', 'everyone'],
    ['U0LINUS001', 'maintainer', 'everyone'],
  ])('end with the group, at once where they decide: %s is %s, then %s', async (user, before, after) => {
    const { groups, roles: held } = inSlack(['U0ADA00001', 'U0GRACE001'], ['U0LINUS001']);
    const person = { team: 'T1', user };
    await held.refresh();
    expect(await held.fresh(person)).toBe(before);
    Object.assign(groups, { S0ADMINS01: [], S0MAINT001: [] });
    expect(held.of(person)).toBe(before);
    expect(await held.isAmong(person, { users: [], groups: ['S0ADMINS01', 'S0MAINT001'] })).toBe(false);
    await held.refresh();
    Object.assign(groups, { S0ADMINS01: ['U0ADA00001', 'U0GRACE001'], S0MAINT001: ['U0LINUS001'] });
    expect(await held.fresh(person)).toBe(before);
    Object.assign(groups, { S0ADMINS01: [], S0MAINT001: [] });
    expect(await held.fresh(person)).toBe(after);
  });

  /** Every group has the same member, and what is read is kept. */
  const watched = (given: Parameters<typeof createRoles>[0]['roles']) => {
    const read: string[] = [];
    const groupMembers = async (group: string) => {
      read.push(group);
      return ['U0GRACE001'];
    };
    return { read, held: createRoles({ roles: given, team: 'T1', groupMembers }) };
  };
  const { admin, maintainer } = roles;

  it.each([
    ['nobody', {}, [], ['everyone', 'everyone', 'everyone']],
    ['admins', { admin }, ['S0ADMINS01'], ['admin', 'everyone', 'admin']],
    ['maintainers', { maintainer }, ['S0MAINT001'], ['everyone', 'maintainer', 'maintainer']],
    ['both', { admin, maintainer }, ['S0ADMINS01', 'S0MAINT001'], ['admin', 'maintainer', 'admin']],
  ])('belong only to whom the config names: %s', async (_who, given, groups, expected) => {
    const { read, held } = watched(given);
    await held.refresh();
    expect(read).toEqual(groups);
    const people = ['U0BOSS0001', 'U0ADA00001', 'U0GRACE001'].map((user) => ({ team: 'T1', user }));
    expect(people.map(held.of)).toEqual(expected);
    expect(await Promise.all(people.map(held.fresh))).toEqual(expected);
  });

  it('from groups begin once these are read', async () => {
    const { held } = watched(roles);
    const person = { team: 'T1', user: 'U0GRACE001' };
    expect(held.of(person)).toBe('everyone');
    await held.refresh();
    expect(held.of(person)).toBe('admin');
  });

  it.each([
    ['U0BOSS0001', 'an admin by name', roles, 'admin', []],
    ['U0ADA00001', 'a maintainer by name', roles, 'maintainer', ['S0ADMINS01']],
    ['U0ADA00001', 'a maintainer by name where nobody is an admin', { maintainer }, 'maintainer', []],
    ['U0LINUS001', 'nobody by name', roles, 'everyone', ['S0ADMINS01', 'S0MAINT001']],
  ])('are decided with only the groups that matter: %s is %s', async (user, _who, given, role, groups) => {
    const { read, held } = watched(given);
    expect(await held.fresh({ team: 'T1', user })).toBe(role);
    expect(read).toEqual(groups);
  });

  it.each([
    ['admins', 'admin' as const, roles, ['U0BOSS0001', 'U0GRACE001'], ['S0ADMINS01']],
    [
      'maintainers, and admins are too',
      'maintainer' as const,
      roles,
      ['U0BOSS0001', 'U0ADA00001', 'U0GRACE001'],
      ['S0ADMINS01', 'S0MAINT001'],
    ],
    ['maintainers only', 'maintainer' as const, { maintainer }, ['U0ADA00001', 'U0GRACE001'], ['S0MAINT001']],
    ['no admins', 'admin' as const, { maintainer }, [], []],
    ['everyone', 'everyone' as const, roles, undefined, []],
    ['others', named('U0LINUS001', 'S0OTHERS01'), roles, ['U0LINUS001', 'U0GRACE001'], ['S0OTHERS01']],
  ])('are held by those named and the groups’ members, each once: %s', async (_who, wanted, given, users, groups) => {
    const { read, held } = watched(given);
    expect(await held.holders(wanted)).toEqual(users);
    expect(read).toEqual(groups);
  });
});
