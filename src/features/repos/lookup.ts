import type { Button } from '@slack/types';
import { z } from 'zod';
import { moreMenu } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { type Needed, plainField, rows, type Words } from '../../chat/fields.js';
import { isName, readRepository } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import type { Unit } from '../../feed/event.js';
import { type Api, ApiError, isHidden } from '../../forge/index.js';
import { isUnseen } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { section } from '../../view/blocks.js';
import { repositoryCard } from '../../view/cards/repository.js';
import { type Message, message } from '../../view/message.js';
import { type Stretch, stretch } from '../../view/paging.js';
import { type Mrkdwn, md } from '../../view/text.js';

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

/** The repository of that name, if it exists; on a server that cannot read one, by search. */
export async function lookUp({ owner, name }: NewName, api: Api): Promise<Repository | undefined> {
  try {
    return await api.repos.get({ owner, repo: name });
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    return error.unsupported ? searchByName(`${owner}/${name}`, name, api) : undefined;
  }
}

async function searchByName(whole: string, name: string, api: Api): Promise<Repository | undefined> {
  for await (const found of api.repos.search.each({ query: { q: name } }, { max: 500 })) {
    if (found.full_name.toLowerCase() === whole.toLowerCase()) return found;
  }
  return undefined;
}

type At = { readonly owner: string; readonly repo: string };
const one = { limit: 1 } as const;
const probes: Readonly<Record<Unit, (api: Api, at: At) => Promise<unknown>>> = {
  issues: (api, at) => api.issues.list({ ...at, query: { ...one, type: 'issues', state: 'all' } }),
  pulls: (api, at) => api.pulls.list({ ...at, query: { ...one, state: 'all' } }),
  code: (api, at) => api.repos.listBranches({ ...at, query: one }),
  actions: (api, at) => api.runs.list({ ...at, query: one }),
  releases: (api, at) => api.repos.listReleases({ ...at, query: one }),
};

/** Whether this account may read that part of a repository it sees; false if the server does not let it ask. Throws if nobody can tell. */
export async function readsUnit(api: Api, { owner, repo }: At, unit: Unit): Promise<boolean> {
  try {
    await probes[unit](api, { owner, repo });
    return true;
  } catch (error) {
    if (!isUnseen(error)) throw error;
    return false;
  }
}

/** Which units of this repository an account may read, each asked once; everything of one that everyone sees. */
export function unitReader(repository: Repository, api: Api): (units: readonly Unit[]) => Promise<boolean> {
  const at = splitFullName(repository.full_name);
  const known = new Map<Unit, Promise<boolean>>();
  const reads = (unit: Unit) => {
    const asked = known.get(unit) ?? readsUnit(api, at, unit);
    known.set(unit, asked);
    return asked;
  };
  return async (units) => !isHidden(repository) || (await Promise.all(units.map(reads))).every(Boolean);
}

function row(repository: Repository, now: Date) {
  const at = readRepository(repository.full_name, '');
  const args = { repository: at };
  const menu = moreMenu([
    { text: 'Commits', command: 'repo commits', args },
    { text: 'Activity', command: 'feed repo', args },
    { text: 'Use in this channel', command: 'repo use', args },
  ]);
  return repositoryCard(repository, { now, style: 'row', menu: at && menu });
}

/** A list of repositories with a button for more. */
export function repositoryList(
  found: Stretch<Repository>,
  none: Mrkdwn,
  more: (from: number) => Button,
  { now }: Context,
): Message {
  if (found.items.length === 0)
    return message({ blocks: [section(found.from === 0 ? none : md`No more repositories.`)] });
  return message({
    blocks: stretch(found, rows, (repository) => row(repository, now), more),
  });
}
