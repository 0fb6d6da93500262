import { z } from 'zod';
import { asCode, UserError } from '../../errors.js';
import { joinList, listOf, splitList } from './lists.js';
import { type Needed, plainField, type Words } from './make.js';

const most = 50;
/** Gitea's limit for a label name. */
const labelMax = 50;

/** Labels by name, separated by commas. */
export function labels(words: Words = {}): Needed<readonly string[]> {
  return plainField<readonly string[]>(words, {
    label: 'Labels',
    placeholder: 'bug,docs',
    typed: 'rest',
    input: { kind: 'external', source: 'labels', many: true },
    schema: z.array(z.string().min(1).max(labelMax)).min(1).max(most).readonly(),
    read: (text) => listOf(splitList(text), 'labels', most, labelMax),
    show: joinList,
  });
}

const Milestone = z.union([z.object({ id: z.int().min(1) }), z.object({ title: z.string().min(1).max(255) })]);
export type Milestone = z.infer<typeof Milestone>;

/** By title, or by `#id`: titles may be longer than a menu's value. */
export function milestone(words: Words = {}): Needed<Milestone> {
  return plainField<Milestone>(words, {
    label: 'Milestone',
    placeholder: 'milestone',
    input: { kind: 'external', source: 'milestones' },
    schema: Milestone,
    read: (text) => {
      const title = text.trim().replace(/\s+/g, ' ');
      if (/^#[1-9]\d{0,14}$/.test(title)) return { id: Number(title.slice(1)) };
      if (title === '' || title.length > 255)
        throw new UserError('Write the milestone’s title, at most 255 characters.');
      return { title };
    },
    show: (value) => ('id' in value ? `#${value.id}` : value.title),
  });
}

// What git does not allow in a branch name.
const badRef = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/u;

export function branch(words: Words = {}): Needed<string> {
  return plainField(words, {
    label: 'Branch',
    placeholder: 'branch',
    input: { kind: 'external', source: 'branches' },
    schema: z.string().min(1).max(255),
    read: (text) => {
      const name = text.trim();
      if (name === '' || name.length > 255 || badRef.test(name)) {
        throw new UserError(`“${name.slice(0, 60)}” is not a valid branch name. Write one such as main.`);
      }
      return name;
    },
    show: (value) => value,
  });
}

/** `release/*`, in the forge's syntax: the forge does the matching. */
export function glob(words: Words & { readonly label: string }): Needed<string> {
  return plainField(words, {
    label: words.label,
    placeholder: 'release/*',
    input: { kind: 'text', max: 200 },
    schema: z.string().min(1).max(200),
    read: (text) => {
      const pattern = text.trim();
      if (pattern === '' || pattern.length > 200 || /[\s()\p{Cc}]/u.test(pattern)) {
        throw new UserError(
          `${words.label} is a pattern without spaces: write ${asCode('release/*')} or ${asCode('acme/*')}.`,
        );
      }
      return pattern;
    },
    show: (value) => value,
  });
}
