import { startForge } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { isSupported, refuseRole, refuseUnsupported } from '../../src/chat/admit.js';
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
