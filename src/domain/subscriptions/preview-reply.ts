import { type CommandButton, formButtonIfFits, runButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { lineOf } from '../../feed/events/index.js';
import { plainPorts } from '../../feed/ports.js';
import { actions, list, context as quiet, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { bold, join, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import type { Previewed } from './preview.js';
import { shownTitles } from './titles.js';

interface Result {
  readonly titles: readonly string[];
  readonly past: readonly Previewed[];
  readonly but: readonly string[];
  readonly seconds: number;
}

const examples = 3;
const longest = 600;

const days = (seconds: number): string =>
  seconds % 86_400 === 0 ? count(seconds / 86_400, 'day') : count(Math.round(seconds / 3_600), 'hour');

/** How many messages it would have been, how many by bots, and the newest. */
export function previewReply({ titles, past, but, seconds }: Result, goOn: CommandButton, { now }: Context): Message {
  const sum = (of: (each: Previewed) => number) => past.reduce((total, each) => total + of(each), 0);
  const kept = past.flatMap((each) => each.kept).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const [events, bots] = [sum((each) => each.events), sum((each) => each.bots)];
  const posted = bold(count(kept.length, 'message'));
  const says = md`🧪 In the last ${days(seconds)}, ${shownTitles(titles)} would have posted ${posted} here out of ${count(events, 'event')}. ${bots === 0 ? 'None' : bots} of the events came from bots.`;
  const lines = kept
    .slice(0, examples)
    .map((event) => md`• ${join([lineOf(event, undefined, plainPorts(now)), date(event.at, now)]).within(longest)}`);
  const notes = [...but, ...past.flatMap((each) => each.but)];
  const save = runButtonIfFits({ ...goOn, style: 'primary' });
  if (!save) notes.push('To go ahead, run it again without --preview');
  return message({
    text: says,
    blocks: [
      section(says),
      ...list(lines),
      quiet(['Nothing was changed or posted', ...new Set(notes)]),
      actions(save, formButtonIfFits({ ...goOn, text: 'Change' })),
    ],
  });
}
