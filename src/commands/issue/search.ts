import { formButton, runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { request } from '../../chat/request.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { bold, md } from '../../view/text.js';
import { rows } from '../offset.js';
import { itemRow } from './card.js';
import { find, queryOf, searchFields } from './query.js';

export const issueSearch = command({
  name: 'issue search',
  aliases: ['search'],
  summary: 'Find issues and pull requests in every repository you can see',
  examples: [
    'issue search leaking pipe',
    'issue search --repo acme/engine --labels bug,urgent --state all',
    'issue search --assigned --type issues',
  ],
  fields: searchFields,
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['issues.search', 'repos.get'],
  plan: (args) => [request('issues.search', { query: queryOf(args) })],
  run: (args, context) => find(args, context),
  reply(found, { author, ...args }, context) {
    // What the button carries is as it would be typed.
    const again = { ...args, ...(author && { author: { login: author } }) };
    const { from: _, ...first } = again;
    const change = formButton({ text: 'Change the search', command: 'issue search', args: first });
    const { state = 'open' } = args;
    if (found.items.length === 0) {
      const all = runButton({ text: 'Search all', command: 'issue search', args: { ...first, state: 'all' } });
      const says = state === 'all' ? md`Nothing found.` : md`Nothing ${state} found.`;
      const buttons = actions(...(state === 'all' ? [change] : [all, change]));
      return message({ blocks: [section(says), quiet([found.note]), buttons] });
    }
    const only = state === 'all' ? '' : `, ${state} ones only`;
    const count = found.total === undefined ? md`Found${only}` : md`${bold(String(found.total))} found${only}`;
    const next = (from: number) => turnButton({ text: 'Show more', command: 'issue search', args: { ...again, from } });
    return message({
      blocks: [section(count, change), ...stretch(found, rows, (item) => itemRow(item, context), next)],
    });
  },
});
