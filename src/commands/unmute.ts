import { command } from '../chat/command.js';
import { optional, toggle } from '../chat/fields/index.js';
import { UserError } from '../errors.js';
import { unmute as wakeUp } from '../feed/lanes.js';
import { doneCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import { md } from '../view/text.js';
import { isMuted, mutable, mutedOf } from './mute/mutable.js';

export const unmute = command({
  name: 'unmute',
  title: 'Resume updates',
  summary: 'Resume updates in this channel',
  examples: ['unmute', 'unmute acme/engine'],
  fields: {
    what: optional(mutable({ hint: 'Leave empty for the whole channel.' })),
    everywhere: toggle({ label: 'Everywhere', text: 'In every subscribed channel (maintainers only)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  async run({ what, everywhere }, context) {
    if (everywhere && context.role === 'everyone')
      throw new UserError(
        'Only maintainers can unmute a repository everywhere. To unmute it here, leave out --everywhere.',
      );
    const { repository, places } = await mutedOf(what, everywhere === true, context);
    let ended = 0;
    for (const place of places) {
      if (!(await isMuted(context.store, place, repository?.id))) continue;
      await wakeUp(context.store, place, repository?.id);
      ended += 1;
    }
    return { what: repository?.name ?? 'this channel', ended };
  },
  reply: ({ what, ended }) =>
    message({
      blocks: doneCard({ says: ended === 0 ? md`Not muted: ${what}.` : md`Unmuted ${what}.` }),
    }),
});
