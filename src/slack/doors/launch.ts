import type { AnyCommand } from '../../chat/command.js';
import { overview } from '../../chat/help.js';
import { launcher } from '../../chat/launcher.js';
import { atLeast } from '../../chat/roles.js';
import type { Message } from '../../view/message.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import type { SlashCommand } from '../payloads.js';
import { remembering } from '../whereabouts.js';
import { openView } from './open-view.js';
import { ownRepository } from './own-repository.js';

/** The slash command without arguments: a small menu, or help if Slack cannot open it. */
export async function launch(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  const { catalog, lacks } = deps;
  const { slash } = deps.services;
  const role = deps.services.roles.of(personOf(deps, payload.user_id));
  const offers = (command: AnyCommand) => atLeast(role, command.role) && !lacks(command);
  const own = await ownRepository(deps, payload.channel_id, payload.user_id);
  const view = launcher(catalog, { slash, offers, own, ...remembering(payload.channel_id) });
  try {
    await openView(deps, deps.client.views.open({ trigger_id: payload.trigger_id, view }));
    return undefined;
  } catch {
    return overview(catalog, { slash, role, lacks });
  }
}
