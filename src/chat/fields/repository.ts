import { z } from 'zod';
import { UserError } from '../../errors.js';
import type { Context } from '../context.js';
import type { ItemSource } from '../field.js';
import {
  type ItemRef,
  isAddress,
  type RepositoryRef,
  type RunRef,
  readItem,
  readRepository,
  readRun,
  showWritten,
  type WrittenRepository,
} from '../references.js';
import { askingField, type Needed, type Words } from './make.js';

const Name = z.string().min(1).max(100);
const Written = { owner: Name.optional(), repo: Name.optional() };
const exactId = z.int().min(1);

const whichRepository =
  'Which repository? Write owner/repo, or set this channel’s default: /forge repo use owner/repo.';

/** Fills in missing parts from the channel's default repository. */
async function complete(written: WrittenRepository | undefined, context: Context): Promise<RepositoryRef> {
  const { owner, repo } = written ?? {};
  if (owner !== undefined && repo !== undefined) return { owner, repo };
  const { person, channel, store } = context;
  const preset =
    channel === undefined ? undefined : await store.channels.defaultRepository({ team: person.team, channel });
  if (preset === undefined) throw new UserError(whichRepository);
  return { owner: preset.owner, repo: repo ?? preset.name };
}

const an = (what: string) => `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;

function unreadable(text: string, webUrl: string, what: string, forms: string): UserError {
  if (isAddress(text)) {
    return new UserError(`That address is not ${an(what)} on ${webUrl}. Write ${forms}.`);
  }
  return new UserError(`“${text.slice(0, 60)}” is not ${an(what)}. Write ${forms}.`);
}

/** As typed, or the channel's default. */
export function repository(words: Words = {}): Needed<WrittenRepository, RepositoryRef> {
  return askingField<WrittenRepository, RepositoryRef>(words, {
    label: 'Repository',
    placeholder: 'owner/repo',
    input: { kind: 'external', source: 'repositories' },
    schema: z.object(Written),
    read: (text, { webUrl }) => {
      const word = text.trim();
      if (word === '') return {};
      const found = readRepository(word, webUrl);
      if (!found) throw unreadable(word, webUrl, 'repository', 'owner/repo');
      return found;
    },
    show: (value) => showWritten(value),
    resolve: complete,
  });
}

type WrittenItem = WrittenRepository & { readonly index: number };

function item(words: Words, label: string, what: string, source: ItemSource): Needed<WrittenItem, ItemRef> {
  return askingField<WrittenItem, ItemRef>(words, {
    label,
    placeholder: 'owner/repo#12',
    input: { kind: 'external', source },
    schema: z.object({ ...Written, index: exactId }),
    read: (text, { webUrl }) => {
      const word = text.trim();
      const found = readItem(word, webUrl);
      if (!found) throw unreadable(word, webUrl, what, 'owner/repo#12, #12 or its web address');
      return found;
    },
    show: (value) => `${showWritten(value)}#${value.index}`,
    resolve: async (value, context) => ({ ...(await complete(value, context)), index: value.index }),
  });
}

/** `only`: the state of the items its menu offers; others can still be typed. */
interface ItemWords extends Words {
  readonly only?: 'open' | 'closed';
}

export function issue({ only, ...words }: ItemWords = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Issue', 'issue', only ? `${only}-issues` : 'issues');
}

export function pull({ only, ...words }: ItemWords = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Pull request', 'pull request', only ? `${only}-pulls` : 'pulls');
}

export function issueOrPull(words: Words = {}): Needed<WrittenItem, ItemRef> {
  return item(words, 'Issue or pull request', 'issue or pull request', 'items');
}

type WrittenRun = WrittenRepository & { readonly run: number };

export function run(words: Words = {}): Needed<WrittenRun, RunRef> {
  return askingField<WrittenRun, RunRef>(words, {
    label: 'Workflow run',
    placeholder: 'owner/repo#123',
    input: { kind: 'external', source: 'runs' },
    schema: z.object({ ...Written, run: exactId }),
    read: (text, { webUrl }) => {
      const word = text.trim();
      const found = readRun(word, webUrl);
      if (!found) throw unreadable(word, webUrl, 'workflow run', 'owner/repo#123 (its id) or its web address');
      return found;
    },
    show: (value) => `${showWritten(value)}#${value.run}`,
    resolve: async (value, context) => ({ ...(await complete(value, context)), run: value.run }),
  });
}
