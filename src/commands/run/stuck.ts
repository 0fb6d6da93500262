import type { KnownBlock } from '@slack/types';
import { runButton, turnButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import { branch, flag, optional, repository, text } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { cancelButton, runBlocks, showButton } from '../../domain/runs/card.js';
import { cancelFailed, findStuck, type StuckRun, type StuckRuns } from '../../domain/runs/stuck-runs.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { age } from '../../view/when.js';

/** What this forge can do about a stuck run. */
interface Means {
  readonly cancel: boolean;
  readonly force: boolean;
}

const perPage = 5;

/** Ordinary cancel first; force only where that did not help, or does not exist. */
const mayForce = (one: StuckRun, means: Means, now: Date) => means.force && (cancelFailed(one, now) || !means.cancel);

const forceButton = (text: string, [first, ...others]: readonly StuckRun[]) =>
  first &&
  runButton({
    text,
    command: 'run force-cancel',
    args: {
      run: { ...first.at, run: first.run.id },
      ...(others.length > 0 && { also: others.map(({ run }) => run.id) }),
    },
    style: 'danger',
  });

function card(one: StuckRun, means: Means, now: Date): KnownBlock[] {
  const { run, at, symptoms, cancelling: since } = one;
  const asked = since && `Canceled${since.since ? ` ${age(since.since, now)}` : ''}, but no runner has confirmed it.`;
  const end = mayForce(one, means, now)
    ? forceButton('Force-cancel', [one])
    : means.cancel && !since
      ? cancelButton(run, at)
      : undefined;
  const buttons = [end ?? showButton(run, at)];
  return runBlocks(run, at, { now, style: 'row', notes: [...symptoms, ...(asked ? [asked] : [])], buttons });
}

/** Several of one repository that nothing but force ends. */
function together(stuck: readonly StuckRun[], means: Means, now: Date) {
  const byPlace = new Map<string, StuckRun[]>();
  for (const one of stuck.filter((each) => mayForce(each, means, now))) {
    const name = fullName(one.at);
    byPlace.set(name, [...(byPlace.get(name) ?? []), one]);
  }
  return [...byPlace]
    .filter(([, group]) => group.length > 1)
    .slice(0, 3)
    .map(([name, group]) => forceButton(`Force-cancel ${group.length} in ${name}`.slice(0, 70), group.slice(0, 50)));
}

const placeOf = ({ whole }: StuckRuns) => (whole ? 'the forge' : 'the repositories you can see');

export const runStuck = command({
  name: 'run stuck',
  title: 'Find stuck runs',
  summary: 'Find stuck runs and why they look stuck',
  examples: ['run stuck', 'run stuck acme/engine', 'run stuck acme/engine --workflow ci.yml'],
  fields: {
    repository: optional(repository({ hint: 'Leave empty to search everything you can see' })),
    workflow: flag(text({ label: 'Workflow', placeholder: 'ci.yml' })),
    branch: flag(branch()),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [
    'runs.list',
    'admin.listRuns',
    'runs.get',
    'runs.listJobs',
    'runs.jobLog',
    'repos.search',
    'admin.listJobs',
    'admin.listRunners',
  ],
  needs: ['runs.list'],
  plan: ({ repository }) => [repository ? request('runs.list', repository) : request('admin.listRuns', {})],
  async run({ repository, workflow, branch }, context) {
    const { capabilities } = context.forge;
    const wanted = { repository, workflow, branch };
    const found = await findStuck(wanted, context);
    const means = { cancel: await capabilities.has('runs.cancel'), force: await capabilities.has('runs.forceCancel') };
    return { found, wanted, means };
  },
  reply: ({ found, wanted, means }, { from }, { now }) => {
    const where = wanted.repository ? fullName(wanted.repository) : placeOf(found);
    const looked = quiet([
      `Checked ${count(found.looked, 'unfinished run')}${found.more ? ' (there are more)' : ''}`,
      found.runnersSeen ? undefined : 'only site admins can see runners',
      means.force ? undefined : 'force-cancel needs Gitea 1.28 or later',
    ]);
    if (found.stuck.length === 0) return message({ blocks: [section(md`✅ Nothing is stuck in ${where}.`), looked] });
    const shown = paged(
      found.stuck,
      from ?? 0,
      perPage,
      (one) => card(one, means, now),
      (next) => turnButton({ text: 'Show more', command: 'run stuck', args: { ...wanted, from: next } }),
    );
    const many = found.stuck.length;
    const head = section(md`🩺 ${many} ${many === 1 ? 'run looks' : 'runs look'} stuck in ${where}.`);
    return message({ blocks: [head, ...shown, looked, actions(...together(found.stuck, means, now))] });
  },
});
