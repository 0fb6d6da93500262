import { formButton, runButton, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { rows } from '../../chat/fields/offset.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { type Message, message } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { itemRow } from './card.js';
import type { Search } from './query.js';

const nouns = { issues: 'issue', pulls: 'pull request' } as const;

/** Ten results at a time; the buttons continue the search. */
export function searchReply(found: Stretch<Issue>, { author, ...args }: Search, context: Context): Message {
  // The button carries values as they would be typed.
  const again = { ...args, ...(author && { author: { login: author } }) };
  const { from: _, ...first } = again;
  const change = formButton({ text: 'Change search', command: 'issue search', args: first });
  const { state = 'open', type } = args;
  const what = type ? nouns[type] : 'result';
  const noun = state === 'all' ? what : `${state} ${what}`;
  if (found.items.length === 0) {
    const all = runButton({ text: 'Include closed', command: 'issue search', args: { ...first, state: 'all' } });
    const buttons = actions(...(state === 'all' ? [change] : [all, change]));
    return message({ blocks: [section(md`No ${noun}s.`), quiet([found.note]), buttons] });
  }
  const head = found.total === undefined ? md`Results` : md`${count(found.total, noun)}`;
  const next = (from: number) => turnButton({ text: 'Show more', command: 'issue search', args: { ...again, from } });
  return message({
    blocks: [section(head, change), ...stretch(found, rows, (item) => itemRow(item, context), next)],
  });
}
