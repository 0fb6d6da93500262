import { z } from 'zod';
import { repository } from '../../chat/fields/index.js';
import { askingField, type Needed } from '../../chat/fields/make.js';
import {
  fullName,
  isAddress,
  type RepositoryRef,
  readItem,
  readRepository,
  showWritten,
  type WrittenRepository,
} from '../../chat/references.js';
import { UserError } from '../../errors.js';

export interface ProjectRef extends RepositoryRef {
  readonly id: number;
}

type Written = WrittenRepository & { readonly id: number };

const Name = z.string().min(1).max(100).optional();
const place = repository();

/** `https://forge/owner/repo/projects/3` */
function readAddress(text: string, webUrl: string): Written | undefined {
  const at = readRepository(text, webUrl);
  const [, id] = /\/projects\/(\d{1,15})(?:\/|$)/.exec(new URL(text).pathname) ?? [];
  return at && id !== undefined ? { ...at, id: Number(id) } : undefined;
}

function read(text: string, webUrl: string): Written | undefined {
  if (isAddress(text)) return URL.canParse(text) ? readAddress(text, webUrl) : undefined;
  const found = readItem(text, webUrl);
  if (!found) return undefined;
  const { index: id, ...at } = found;
  return { ...at, id };
}

/** A project of a repository, by its id. */
export function project(): Needed<Written, ProjectRef> {
  return askingField<Written, ProjectRef>(
    {},
    {
      label: 'Project',
      placeholder: 'owner/repo#3',
      input: { kind: 'text', max: 400 },
      schema: z.object({ owner: Name, repo: Name, id: z.int().min(1) }),
      read: (text, { webUrl }) => {
        const found = read(text.trim(), webUrl);
        if (found) return found;
        throw new UserError(
          `“${text.trim().slice(0, 60)}” is not a project. Write owner/repo#3, #3 or its web address.`,
        );
      },
      show: (value) => `${showWritten(value)}#${value.id}`,
      resolve: async ({ id, ...at }, context) => ({ ...(await place.resolve(at, context)), id }),
    },
  );
}

export const projectName = (ref: ProjectRef) => `${fullName(ref)}#${ref.id}`;
