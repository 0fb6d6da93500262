import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, optional, repository, toggle } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { asCode, UserError } from '../../errors.js';
import { queueContext } from '../../forge/commit-checks.js';
import { splitFullName } from '../../full-name.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { emptyQueue } from './entry.js';

interface Requirement {
  readonly repository: RepositoryRef;
  readonly branch?: string | undefined;
  readonly off?: boolean | undefined;
}

/** Adds exactly the queue's status to what the branch requires, or takes exactly that back. */
async function prepare({ repository: at, branch, off }: Requirement, { api }: Context) {
  const repository = await api.repos.get(at);
  const base = branch ?? repository.default_branch;
  const where = `${asCode(base)} of ${fullName(at)}`;
  const found = await api.repos.getBranch({ ...at, branch: base });
  if (!found.protected) throw new UserError(`${where} isn’t protected. Protect it on the forge first.`);
  const name = found.effective_branch_protection_name;
  if (name === '') throw new UserError(`Only admins of ${fullName(at)} can change what ${asCode(base)} requires.`);
  const rule = await api.repos.getProtection({ ...at, name });
  const contexts = rule.enable_status_check ? rule.status_check_contexts : [];
  const isOn = contexts.includes(queueContext);
  if (!off && rule.enable_status_check && contexts.length === 0)
    throw new UserError(
      `${where} requires every check, without naming any. Name the required checks on the forge first: otherwise only the queue would be required.`,
    );
  const next = off ? contexts.filter((each) => each !== queueContext) : [...contexts, queueContext];
  const body = { enable_status_check: next.length > 0, status_check_contexts: next };
  const { id, owner, full_name } = repository;
  return {
    id,
    ownerId: owner?.id,
    present: splitFullName(full_name),
    base,
    name,
    contexts,
    isOn,
    isDone: isOn !== (off === true),
    input: { ...at, name, body },
  };
}

async function change(asked: Requirement, context: Context) {
  const { off } = asked;
  const { api, store, person, login, now } = context;
  const prepared = await prepare(asked, context);
  if (!prepared.isDone) await api.repos.editProtection(prepared.input);
  const { base, id, ownerId, present } = prepared;
  const of = { repository: id, base };
  const account = await store.accounts.get(person);
  await store.queues.change(of, (before) => {
    const { required: _, asked: __, ...rest } = before ?? emptyQueue({ ...of, ...present, ownerId });
    if (off) return { ...rest, asked: [] };
    const by = { ...person, login, forgeUserId: account?.forgeUserId ?? 0 };
    return { ...rest, asked: [], required: { by, look: now.getTime(), since: 0 } };
  });
  return prepared;
}

export const queueRequire = command({
  name: 'queue require',
  title: 'Require merge queue',
  summary: 'Let only the queue merge into a protected branch, by a required status',
  examples: ['queue require acme/engine', 'queue require acme/engine main --off'],
  fields: {
    repository: repository(),
    branch: optional(branch({ hint: 'Leave empty for the default branch.' })),
    off: toggle({ label: 'No longer require it', text: 'Remove the status from the branch’s required ones' }),
  },
  form: { submit: 'Change branch rules' },
  role: 'maintainer',
  risk: 'risky',
  effect: 'idempotent',
  operations: [
    'repos.editProtection',
    'repos.getProtection',
    'repos.get',
    'repos.getBranch',
    'pulls.list',
    'issues.timeline',
  ],
  needs: ['repos.editProtection', 'repos.getProtection', 'repos.getBranch'],
  plan: async (asked, context) => [request('repos.editProtection', (await prepare(asked, context)).input)],
  approval: {
    async observe(asked, context) {
      const { base, name, contexts } = await prepare(asked, context);
      return {
        bound: { name, contexts: contexts.join('\n') },
        shown: [
          ['Branch', base],
          ['Rule', name],
          ['Required now', contexts.join(', ') || 'nothing'],
          ['Then', asked.off ? `without ${queueContext}` : `${queueContext} too`],
        ],
      };
    },
  },
  run: change,
  reply({ base, isDone, name }, { repository: at, off }) {
    const where = md`${code(base)} of ${fullName(at)}`;
    const says = off
      ? md`${where} ${isDone ? 'doesn’t require' : 'no longer requires'} ${code(queueContext)}.`
      : md`${where} ${isDone ? 'already requires' : 'now requires'} ${code(queueContext)}, so pull requests are merged by the queue.`;
    const facts = [
      name === base ? undefined : `Changed in the rule ${name}`,
      off || isDone ? undefined : 'Repository admins can still merge past it, where the branch lets them',
    ].filter((fact) => fact !== undefined);
    return message({ blocks: doneCard({ says, facts }) });
  },
});
