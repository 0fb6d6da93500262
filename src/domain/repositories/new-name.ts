import { z } from 'zod';
import { type Needed, plainField, type Words } from '../../chat/fields/make.js';
import { isName } from '../../chat/references.js';
import { UserError } from '../../errors.js';

/** A repository to be created. */
export interface NewName {
  readonly owner: string;
  readonly name: string;
}

const Name = z.string().min(1).max(100);
// Reserved by the forge for its own addresses.
const reserved = /\.(git|wiki|rss|atom)$/i;

/** `owner/name` of a repository that need not exist. */
export function newName(words: Words = {}): Needed<NewName> {
  return plainField<NewName>(words, {
    label: 'Owner and name',
    placeholder: 'owner/name',
    input: { kind: 'text', max: 201 },
    schema: z.object({ owner: Name, name: Name }),
    read: (text) => {
      const [owner = '', name = '', ...more] = text.trim().split('/');
      if (more.length > 0 || !isName(owner) || !isName(name) || reserved.test(name)) {
        throw new UserError(
          `“${text.trim().slice(0, 60)}” is not a valid repository name. Use owner/name with letters, digits, -, _ and dots.`,
        );
      }
      return { owner, name };
    },
    show: ({ owner, name }) => `${owner}/${name}`,
  });
}
