import type { AnyCommand } from '../../chat/command.js';
import { overview } from '../../chat/help.js';
import { launcher } from '../../chat/launcher.js';
import { atLeast } from '../../chat/roles.js';
import { within } from '../../deadline.js';
import type { Message } from '../../view/message.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import type { SlashCommand } from '../payloads.js';
import { remembering } from '../whereabouts.js';
import { openMs, ownRepository } from './open-form.js';

/** The slash command without arguments: a small menu, or help if Slack cannot open it. */
export async function launch(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  const { slash, catalog, lacks } = deps;
  const role = deps.services.roles.of(personOf(deps, payload.user_id));
  const offers = (command: AnyCommand) => atLeast(role, command.role) && !lacks(command);
  const own = await ownRepository(deps, payload.channel_id);
  const view = launcher(catalog, { slash, offers, own, ...remembering(payload.channel_id) });
  try {
    await within(openMs, deps.client.views.open({ trigger_id: payload.trigger_id, view }), 'too slow');
    return undefined;
  } catch (error) {
    deps.services.log.warn({ reason: String(error) }, 'Slack did not open the launcher');
    return overview(catalog, { slash, role, lacks });
  }
}
