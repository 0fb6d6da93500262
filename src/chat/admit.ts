import { UserError } from '../errors.js';
import { type Forge, serverName } from '../forge/index.js';
import type { AnyCommand } from './command.js';
import type { Role } from './context.js';
import { atLeast } from './roles.js';

const holders: Readonly<Record<Role, string>> = {
  everyone: 'everyone',
  maintainer: 'maintainers',
  admin: 'admins',
};

/** Runs before anything is stored or shown; an unknown role admits nobody. */
export function refuseRole(command: Pick<AnyCommand, 'name' | 'role'>, held: Role): void {
  if (atLeast(held, command.role)) return;
  throw new UserError(
    `${command.name} is only for ${holders[command.role]}. Ask one of them to run it, or an admin to change your role.`,
  );
}

/** Names the version that adds it, before any request is sent. */
export async function refuseUnsupported(command: AnyCommand, forge: Forge): Promise<void> {
  for (const name of command.needs ?? []) {
    if (await forge.capabilities.has(name)) continue;
    const server = serverName(await forge.capabilities.server());
    throw new UserError(`${server} does not support ${command.name}: ${await forge.capabilities.remedy(name)}.`);
  }
}

export async function isSupported(command: Pick<AnyCommand, 'needs'>, forge: Forge): Promise<boolean> {
  const known = await Promise.all((command.needs ?? []).map((name) => forge.capabilities.has(name)));
  return known.every(Boolean);
}
