import { z } from 'zod';
import { type Needed, plainField, type Words } from '../../chat/fields/make.js';
import { readItem, readRepository } from '../../chat/references.js';
import { UserError } from '../../errors.js';

const Name = z.string().min(1).max(100);

/** What the question is about: a Slack message, or a page of the forge. */
const Subject = z.union([
  z.object({ channel: z.string().regex(/^[CGD][A-Z0-9]{1,30}$/), ts: z.string().regex(/^\d{1,12}\.\d{6}$/) }),
  z.object({ owner: Name.optional(), repo: Name.optional(), index: z.int().min(1) }),
  z.object({ page: z.string().min(1).max(600) }),
]);
export type Subject = z.infer<typeof Subject>;

const messageForm = /^https?:\/\/[^/]+\/archives\/([CGD][A-Z0-9]{1,30})\/p(\d{7,18})(?:[?#].*)?$/;

/** A message link, a web address of the forge, `owner/repo#12` or `#12`. */
export function subject(words: Words = {}): Needed<Subject> {
  return plainField<Subject>(words, {
    label: 'Address',
    placeholder: 'web-address|message-link',
    input: { kind: 'text', max: 600 },
    schema: Subject,
    read: (text, { webUrl }) => {
      const word = text.trim();
      const [, channel, digits] = messageForm.exec(word) ?? [];
      if (channel !== undefined && digits !== undefined)
        return { channel, ts: `${digits.slice(0, -6)}.${digits.slice(-6)}` };
      const item = readItem(word, webUrl);
      if (item) return item;
      if (word.length <= 600 && readRepository(word, webUrl)) return { page: word };
      throw new UserError(
        'Write the web address of an issue, pull request, run, release or branch, owner/repo#12, or the link of a message (Copy link).',
      );
    },
    show: (value) => {
      if ('ts' in value) return `https://slack.com/archives/${value.channel}/p${value.ts.replace('.', '')}`;
      if ('index' in value) return `${[value.owner, value.repo].filter(Boolean).join('/')}#${value.index}`;
      return value.page;
    },
  });
}
