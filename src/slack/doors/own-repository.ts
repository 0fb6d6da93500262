import type { RepositoryRef } from '../../chat/references.js';
import { within } from '../../deadline.js';
import { exposure, isOpen } from '../../feed/exposure.js';
import { isHidden } from '../../forge/index.js';
import { unlessUnseen } from '../../forge/possible.js';
import type { DoorDeps } from '../door-deps.js';

const ownMs = 300;

/** Hardly waited for: without it the form does not mention the channel's repository. */
export async function ownRepository(
  deps: DoorDeps,
  channel: string | undefined,
  user: string,
): Promise<RepositoryRef | undefined> {
  if (channel === undefined) return undefined;
  return within(ownMs, shownRepository(deps, channel, user), 'too slow').catch(() => undefined);
}

/** Whether `#12` means nothing here; if Redis is slow the command itself asks later. */
export async function lacksDefault(
  { services, team }: Pick<DoorDeps, 'services' | 'team'>,
  channel: string | undefined,
): Promise<boolean> {
  if (channel === undefined) return true;
  const asked = services.store.channels.defaultRepository({ team, channel });
  return within(ownMs, asked, 'too slow').then(
    (own) => own === undefined,
    () => false,
  );
}

/** Everyone in the channel reads its name, so it is named only while the channel may see it. */
async function shownRepository({ services, team }: DoorDeps, channel: string, user: string) {
  const { store, slack, service, policy } = services;
  const own = await store.channels.defaultRepository({ team, channel });
  const audience = own && (await slack.channel(channel, user));
  if (!own || !audience) return undefined;
  const ref = { owner: own.owner, repo: own.name };
  const found = isOpen(audience) ? await unlessUnseen(service.repos.get(ref)) : undefined;
  // what the bot's own account cannot see counts as hidden
  const hidden = found === undefined || isHidden(found);
  return exposure({ hidden }, audience, policy.exposure).allowed ? ref : undefined;
}
