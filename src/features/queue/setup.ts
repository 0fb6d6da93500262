import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { branch, optional, repository } from '../../chat/fields.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { queueSettings } from '../../config.js';
import { queueContext } from '../../forge/commit-checks.js';
import { oldestGit } from '../../forge/index.js';
import { ifAnswered, unlessAbsent } from '../../forge/possible.js';
import type { Branch } from '../../forge/schemas.js';
import { compilePattern } from '../../pattern.js';
import { list, preformat, section } from '../../view/blocks.js';
import { message } from '../../view/message.js';
import { bold, code, type Mrkdwn, md } from '../../view/text.js';
import { readTree, textOf } from '../workflows/file.js';
import { isRequired } from './entry.js';

interface SetupTarget {
  readonly repository: RepositoryRef;
  readonly branch?: string | undefined;
}

const mostFiles = 20;

interface Pushes {
  readonly path: string;
  /** some: only for some files. */
  readonly runs: 'yes' | 'some' | 'no';
  /** The branches it names, if it names any. */
  readonly branches: readonly string[];
}

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) => textOf(each) ?? []);

/** The last pattern that fits decides; one with `!` excludes. */
const isAmong = (patterns: readonly string[], name: string): boolean =>
  patterns.reduce((among, pattern) => {
    const isExcluding = pattern.startsWith('!');
    return compilePattern(pattern.slice(isExcluding ? 1 : 0), { caseSensitive: true })(name) ? !isExcluding : among;
  }, false);

/** Whether a workflow runs on pushes to this branch. */
function readPushes(path: string, text: string, name: string): Pushes {
  const on = readTree(text)?.get('on');
  const none: Pushes = { path, runs: 'no', branches: [] };
  if (!(on instanceof Map)) return textsIn(on).includes('push') ? { ...none, runs: 'yes' } : none;
  if (!on.has('push')) return none;
  const push: unknown = on.get('push');
  if (!(push instanceof Map)) return { ...none, runs: 'yes' };
  const branches = push.has('branches') ? textsIn(push.get('branches')) : [];
  const isNamed = push.has('branches')
    ? isAmong(branches, name)
    : push.has('branches-ignore')
      ? !isAmong(textsIn(push.get('branches-ignore')), name)
      : !push.has('tags') && !push.has('tags-ignore');
  const isPartial = push.has('paths') || push.has('paths-ignore');
  return { path, runs: isNamed ? (isPartial ? 'some' : 'yes') : 'no', branches };
}

/** As the server finds them: the first folder that exists counts. */
async function readWorkflows(at: RepositoryRef, sha: string, name: string, { api, forge }: Context): Promise<Pushes[]> {
  for (const folder of (await forge.capabilities.workflows()).folders) {
    const found = await unlessAbsent(api.repos.getFile({ ...at, filepath: folder, query: { ref: sha } }));
    if (!found) continue;
    const paths = found.names.filter((each) => /\.ya?ml$/.test(each)).map((each) => `${folder}/${each}`);
    const files = paths.slice(0, mostFiles).map(async (filepath): Promise<Pushes[]> => {
      const file = await ifAnswered(api.repos.getFile({ ...at, filepath, query: { ref: sha } }));
      if (file?.encoding !== 'base64') return [];
      return [readPushes(filepath, Buffer.from(file.content, 'base64').toString('utf8'), name)];
    });
    return (await Promise.all(files)).flat();
  }
  return [];
}

/** Whether only branches that are up to date may be merged; undefined if this person cannot see that. */
async function blocksOutdated(at: RepositoryRef, rules: Branch, { api }: Context): Promise<boolean | undefined> {
  if (!rules.protected) return false;
  const name = rules.effective_branch_protection_name;
  return name === ''
    ? undefined
    : (await ifAnswered(api.repos.getProtection({ ...at, name })))?.block_on_outdated_branch;
}

async function inspect({ repository: at, branch }: SetupTarget, context: Context) {
  const { api, forge, policy } = context;
  const { default_branch, full_name } = await api.repos.get(at);
  const base = branch ?? default_branch;
  const rules = await api.repos.getBranch({ ...at, branch: base });
  const [canUpdate, git, workflows, isStrict] = await Promise.all([
    forge.capabilities.has('pulls.update'),
    forge.git.version(),
    readWorkflows(at, rules.commit?.id ?? base, `bellows-queue/${base}/1-0`, context),
    blocksOutdated(at, rules, context),
  ]);
  return {
    base,
    rules,
    canUpdate,
    git,
    workflows,
    isStrict,
    settings: queueSettings(policy.queues, full_name, base),
  };
}

type Inspected = Awaited<ReturnType<typeof inspect>>;

/** What way: branch still needs here. */
function missing({ base, git, workflows, isStrict }: Inspected): Mrkdwn[] {
  const partial = workflows.find(({ runs }) => runs === 'some');
  const isTested = workflows.some(({ runs }) => runs === 'yes');
  const untested = partial
    ? md`${code(partial.path)} runs on pushes to the queue’s branches, but only for some files.`
    : md`No workflow runs on pushes to ${code(`bellows-queue/${base}/**`)}.`;
  return [
    git === undefined ? md`git ${oldestGit} or newer isn’t installed where the worker runs.` : undefined,
    isTested ? undefined : untested,
    isStrict
      ? md`${code(base)} only accepts branches that are up to date. An admin has to turn that rule off.`
      : undefined,
  ].filter((each) => each !== undefined);
}

/** What to add to the workflow that already runs on pushes, or to any. */
function workflowLines({ base, workflows }: Inspected) {
  const found = workflows.find(({ branches }) => branches.length > 0) ?? workflows[0];
  const named = found && found.branches.length > 0 ? found.branches : [base];
  const branches = [...named, 'bellows-queue/**'].map((each) => JSON.stringify(each)).join(', ');
  return { path: found?.path, lines: `on:\n  push:\n    branches: [${branches}]` };
}

export const queueSetup = command({
  name: 'queue setup',
  title: 'Check merge queue setup',
  summary: 'Show how the queue can test here, what is missing and what to add',
  examples: ['queue setup acme/engine', 'queue setup acme/engine main'],
  fields: { repository: repository(), branch: optional(branch({ hint: 'Leave empty for the default branch.' })) },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['repos.getBranch', 'repos.get', 'repos.getFile', 'repos.getProtection'],
  needs: ['repos.getBranch'],
  plan: () => [],
  run: inspect,
  reply(inspected, { repository: at }, { slash }) {
    const { base, rules, canUpdate, workflows, isStrict, settings } = inspected;
    const lacks = missing(inspected);
    const checks = rules.status_check_contexts.filter((each) => each !== queueContext);
    const hasChecks = rules.enable_status_check && (checks.length > 0 || rules.status_check_contexts.length === 0);
    const add = workflowLines(inspected);
    const where = add.path === undefined ? md`a workflow` : md`${code(add.path)}`;
    return message({
      blocks: [
        section(md`${bold(fullName(at))} · ${code(base)} · uses ${code(`way: ${settings.way}`)} now`),
        section(
          canUpdate
            ? md`✅ ${code('way: update')} works without setup: the forge updates the pull request’s branch.`
            : md`❌ This server can’t update branches of pull requests, so the queue doesn’t work here.`,
        ),
        section(
          lacks.length === 0
            ? md`✅ ${code('way: branch')} works here: pull requests are tested on branches of the queue, also several at once.`
            : md`⚠️ ${code('way: branch')} is not ready:`,
        ),
        ...list(lacks.map((each) => md`• ${each}`)),
        isStrict === undefined
          ? section(
              md`Only admins can see whether ${code(base)} blocks outdated branches, which this way can’t work with.`,
            )
          : undefined,
        ...(workflows.some(({ runs }) => runs === 'yes') ? [] : [section(md`Add to ${where}:`), preformat(add.lines)]),
        ...(settings.way === 'branch'
          ? []
          : [
              section(md`To use it, add to ${code('bellows.yaml')}:`),
              preformat(
                `queues:\n  - { repository: ${fullName(at)}, branch: ${JSON.stringify(base)}, way: branch, group: 4 }`,
              ),
            ]),
        section(
          hasChecks
            ? md`✅ ${code(base)} requires checks: ${checks.join(', ') || 'all that are reported'}.`
            : md`⚠️ ${code(base)} requires no checks, so the queue only waits for those that are reported. Require them on the forge, so that none is missed.`,
        ),
        section(
          isRequired(rules)
            ? md`✅ Only the queue merges into ${code(base)}.`
            : md`Anyone who may merge can merge past the queue. To change that, an admin runs ${code(`${slash} queue require ${fullName(at)} ${base}`)}.`,
        ),
      ],
    });
  },
});
