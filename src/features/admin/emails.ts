import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { offset, optional, readFrom, rest, rows } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { section } from '../../view/blocks.js';
import { emailRow } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { md } from '../../view/text.js';

export const adminEmails = command({
  name: 'admin emails',
  title: 'Find email addresses',
  summary: 'List or search email addresses of forge users',
  examples: ['admin emails', 'admin emails grace'],
  fields: { words: optional(rest({ label: 'Words', hint: 'Leave empty for all.' })), from: offset() },
  role: 'admin',
  risk: 'read',
  effect: 'read',
  operations: ['admin.listEmails', 'admin.searchEmails'],
  plan: ({ words }) => [
    words === undefined ? request('admin.listEmails', {}) : request('admin.searchEmails', { query: { q: words } }),
  ],
  run: ({ words, from }, { api }) =>
    readFrom(from ?? 0, (paging) =>
      words === undefined
        ? api.admin.listEmails({ query: paging })
        : api.admin.searchEmails({ query: { q: words, ...paging } }),
    ),
  reply: (found, args, { now }) => {
    if (found.items.length === 0) return message({ blocks: [section(md`No matching addresses.`)] });
    return message({
      blocks: stretch(
        found,
        rows,
        (email) => emailRow(email, { now }),
        (from) => turnButton({ text: 'Show more', command: 'admin emails', args: { ...args, from } }),
      ),
    });
  },
});
