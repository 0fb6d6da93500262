import { turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { readFrom, rows } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import { context as quiet, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { bold, link, md } from '../../view/text.js';
import { orNoPerson } from '../find.js';
import { commitAt } from '../workflows/file.js';
import { runRow } from './read.js';

/** The words people see, not the forge's filter values. */
export const runStatuses = [
  'queued',
  'waiting',
  'in_progress',
  'success',
  'failure',
  'cancelled',
  'skipped',
  'completed',
] as const;

interface RunSearch {
  readonly repository: RepositoryRef;
  readonly status?: (typeof runStatuses)[number] | undefined;
  readonly branch?: string | undefined;
  readonly event?: string | undefined;
  readonly actor?: string | undefined;
  readonly from?: number | undefined;
}

const queryOf = ({ status, branch, event, actor }: RunSearch) => ({
  ...(status && { status: [status] }),
  ...(branch && { branch }),
  ...(event && { event }),
  ...(actor && { actor }),
  exclude_pull_requests: true,
});

/** The forge answers an unknown one with a 500. */
export async function refuseUnknownActor(login: string | undefined, { api }: Context): Promise<void> {
  if (login === undefined) return;
  await orNoPerson(login, 'users.get', 'actor', possible(api.users.get({ username: login })));
}

export const planRunList = ({ repository: { owner, repo }, ...wanted }: RunSearch) => [
  request('runs.list', { owner, repo, query: queryOf({ ...wanted, repository: { owner, repo } }) }),
];

export async function listRuns(wanted: RunSearch, context: Context) {
  const { owner, repo } = wanted.repository;
  await refuseUnknownActor(wanted.actor, context);
  const query = queryOf(wanted);
  const { branch, from = 0 } = wanted;
  const found = await readFrom(from, (paging) =>
    context.api.runs.list({ owner, repo, query: { ...query, ...paging } }),
  );
  // "No matching runs" would be misleading for a branch that does not exist
  if (branch && from === 0 && found.items.length === 0 && !(await commitAt({ owner, repo }, branch, context)))
    throw new UserError(`There is no branch ${asCode(branch)} in ${owner}/${repo}.`, { field: 'branch' });
  return found;
}

export function runListMessage(
  found: Awaited<ReturnType<typeof listRuns>>,
  { actor, ...args }: RunSearch,
  { now, forge }: Context,
) {
  const { repository } = args;
  const name = link(`${forge.web}/${fullName(repository)}/actions`, fullName(repository));
  if (found.items.length === 0) {
    const filtered = Object.keys(queryOf({ actor, ...args })).length > 1;
    const says = filtered ? md`No matching runs in ${name}.` : md`${name} has no runs yet.`;
    return message({ blocks: [section(says), quiet([found.note])] });
  }
  const again = { ...args, ...(actor && { actor: { login: actor } }) };
  const next = (from: number) => turnButton({ text: 'Show more', command: 'run list', args: { ...again, from } });
  const count =
    found.total === undefined ? md`Runs` : md`${bold(String(found.total))} ${found.total === 1 ? 'run' : 'runs'}`;
  return message({
    blocks: [section(md`${count} in ${name}`), ...stretch(found, rows, (run) => runRow(run, repository, now), next)],
  });
}
