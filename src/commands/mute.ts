import { runButton } from '../chat/actions.js';
import { command } from '../chat/command.js';
import { duration, optional, toggle } from '../chat/fields/index.js';
import { showDuration } from '../duration.js';
import { UserError } from '../errors.js';
import { mute as quieten } from '../feed/lanes.js';
import { doneCard } from '../view/cards/outcome.js';
import { message } from '../view/message.js';
import { md } from '../view/text.js';
import { date } from '../view/when.js';
import { mutable, mutedOf } from './mute/mutable.js';

const month = 31 * 86_400;

export const mute = command({
  name: 'mute',
  title: 'Pause updates',
  summary: 'Leave this channel in peace for a while, or one repository in it; a digest follows',
  examples: ['mute acme/engine 2h', 'mute channel 2h', 'mute 30m', 'mute acme/engine 1d --everywhere'],
  fields: {
    what: optional(mutable({ hint: 'Empty: the whole channel.' })),
    length: duration({ label: 'How long', placeholder: '2h', min: 60, max: month }),
    everywhere: toggle({ label: 'Everywhere', text: 'In every channel that follows it (maintainers)' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  operations: ['repos.get', 'repos.search'],
  plan: () => [],
  async run({ what, length, everywhere }, context) {
    if (everywhere && context.role === 'everyone')
      throw new UserError('Only maintainers mute a repository in every channel. Leave --everywhere out for this one.');
    const muted = await mutedOf(what, everywhere === true, context);
    const until = context.now.getTime() + length * 1_000;
    for (const place of muted.places) await quieten(context.store, place, until, muted.repository?.id);
    return { ...muted, until };
  },
  reply({ repository, places, until }, { length, everywhere }, { now }) {
    const what = repository ? repository.name : 'This channel';
    const where = everywhere ? ` in ${places.length === 1 ? '1 channel' : `${places.length} channels`}` : '';
    const args = { ...(repository && { what: repository.name }), ...(everywhere && { everywhere }) };
    return message({
      blocks: doneCard({
        says: md`${what} is muted${where} for ${showDuration(length)}. What happens meanwhile comes as a digest afterwards.`,
        facts: [md`ends ${date(until, now)}`],
        buttons: [runButton({ text: 'Unmute', command: 'unmute', args })],
      }),
    });
  },
});
