import { turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, choice, flag, person, repository, text } from '../../chat/fields/index.js';
import { offset, readFrom, rows } from '../../chat/fields/offset.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { runRow } from '../../domain/runs/card.js';
import { UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import { context as quiet, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { stretch } from '../../view/paging.js';
import { bold, link, md } from '../../view/text.js';

/** The words people see, not those the forge filters by. */
const statuses = [
  'queued',
  'waiting',
  'in_progress',
  'success',
  'failure',
  'cancelled',
  'skipped',
  'completed',
] as const;

interface Wanted {
  readonly repository: RepositoryRef;
  readonly status?: (typeof statuses)[number] | undefined;
  readonly branch?: string | undefined;
  readonly event?: string | undefined;
  readonly actor?: string | undefined;
}

const queryOf = ({ status, branch, event, actor }: Wanted) => ({
  ...(status && { status: [status] }),
  ...(branch && { branch }),
  ...(event && { event }),
  ...(actor && { actor }),
  exclude_pull_requests: true,
});

/** An unknown one is a 500 at the forge. */
async function refuseStranger(login: string | undefined, { api }: Context): Promise<void> {
  if (login === undefined) return;
  await possible(api.users.get({ username: login })).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    throw new UserError(`I can’t find ${login} on the forge. Check the login.`, { field: 'actor', cause: error });
  });
}

export const runList = command({
  name: 'run list',
  aliases: ['runs'],
  summary: 'List the latest workflow runs of a repository',
  examples: ['run list acme/engine', 'run list acme/engine --status failure --branch main'],
  fields: {
    repository: repository(),
    status: flag(choice(statuses, { label: 'Status' })),
    branch: flag(branch()),
    event: flag(text({ label: 'Event', hint: 'Such as push, pull_request or schedule.' })),
    actor: flag(person({ label: 'Started by' })),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.list', 'users.get'],
  needs: ['runs.list'],
  plan: ({ repository: { owner, repo }, ...wanted }) => [
    request('runs.list', { owner, repo, query: queryOf({ ...wanted, repository: { owner, repo } }) }),
  ],
  async run(wanted, context) {
    const { owner, repo } = wanted.repository;
    await refuseStranger(wanted.actor, context);
    const query = queryOf(wanted);
    return readFrom(wanted.from ?? 0, (paging) =>
      context.api.runs.list({ owner, repo, query: { ...query, ...paging } }),
    );
  },
  reply(found, { actor, ...args }, { now, forge }) {
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
  },
});
