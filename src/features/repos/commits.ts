import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { date, flag, offset, repository, rows, text } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { isAbsent } from '../../forge/possible.js';
import { context as quiet, section } from '../../view/blocks.js';
import { commitRow } from '../../view/cards/repository.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { code, md } from '../../view/text.js';

interface CommitSearch {
  readonly repository: RepositoryRef;
  readonly branch?: string | undefined;
  readonly path?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly without?: string | undefined;
  readonly from?: number | undefined;
}

/** With a path, the server's pages always have this size. */
const pathRows = 50;

const inputOf = (args: CommitSearch) => ({
  ...args.repository,
  query: {
    sha: args.branch,
    path: args.path,
    since: args.since && `${args.since}T00:00:00Z`,
    until: args.until && `${args.until}T23:59:59Z`,
    not: args.without,
    stat: false,
    verification: false,
    files: false,
  },
});

const planCommits = (args: CommitSearch) => [request('repos.listCommits', inputOf(args))];

async function listCommits(args: CommitSearch, { api }: Context) {
  const [from, size] = [args.from ?? 0, args.path === undefined ? rows : pathRows];
  const { query, ...at } = inputOf(args);
  const page = { page: Math.floor(from / size) + 1, limit: size };
  const { items, total, hasMore, note } = await api.repos
    .listCommits({ ...at, query: { ...query, ...page } })
    .catch(async (error: unknown) => {
      const { path, branch, repository } = args;
      if (path === undefined || !isAbsent(error)) throw error;
      // only the path is left if the same is found without it
      await api.repos.listCommits({ ...at, query: { ...query, path: undefined, limit: 1 } });
      const on = branch === undefined ? '' : ` on ${asCode(branch)}`;
      const says = `There is no file or folder ${asCode(path)} in ${fullName(repository)}${on}.`;
      throw new UserError(says, { field: 'path', cause: error });
    });
  return { items: items.slice(from % size), from, total, hasMore, note };
}

function commitsMessage(found: Awaited<ReturnType<typeof listCommits>>, args: CommitSearch, { now }: Context) {
  const { repository, branch } = args;
  if (found.items.length === 0)
    return message({ blocks: [section(md`No matching commits in ${fullName(repository)}.`), quiet([found.note])] });
  const shown = stretch(
    found,
    rows,
    (commit) => commitRow(commit, { now }),
    (from) => turnButton({ text: 'Show more', command: 'repo commits', args: { ...args, from } }),
  );
  const on = branch === undefined ? md`` : md` on ${code(branch)}`;
  return message({ blocks: [section(md`Commits in ${fullName(repository)}${on}`), ...shown] });
}

export const repoCommits = command({
  name: 'repo commits',
  title: 'List commits',
  summary: 'List the latest commits of a repository',
  examples: [
    'repo commits acme/engine',
    'repo commits acme/engine --branch release/1.0 --without main',
    'repo commits acme/engine --path src/gear.go --since 2026-01-01',
  ],
  fields: {
    repository: repository(),
    branch: flag(
      text({ label: 'Branch, tag or commit', hint: 'Leave empty for the default branch.', placeholder: 'branch' }),
    ),
    path: flag(text({ label: 'File or folder', placeholder: 'path', max: 1000 })),
    since: flag(date({ label: 'Since', past: true })),
    until: flag(date({ label: 'Until', past: true })),
    without: flag(text({ label: 'Not in', placeholder: 'branch' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.listCommits'],
  plan: planCommits,
  run: listCommits,
  reply: commitsMessage,
});
