import type { KnownBlock } from '@slack/types';
import { runButton, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count } from '../../view/look.js';
import { message } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { age } from '../../view/when.js';
import { cancelButton, runBlocks, showButton } from './card.js';
import { cancelFailed, findStuck, type StuckRun, type StuckRuns } from './stuck-runs.js';

interface StuckSearch {
  readonly repository?: RepositoryRef | undefined;
  readonly workflow?: string | undefined;
  readonly branch?: string | undefined;
  readonly from?: number | undefined;
}

type StuckFound = Awaited<ReturnType<typeof findStuckWithMeans>>;

/** What this forge can do about a stuck run. */
interface Means {
  readonly cancel: boolean;
  readonly force: boolean;
}

const perPage = 5;

/** Regular cancel first; force only if that did not help, or does not exist. */
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

/** Several of one repository that only force can end. */
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

export async function findStuckWithMeans({ repository, workflow, branch }: StuckSearch, context: Context) {
  const { capabilities } = context.forge;
  const wanted = { repository, workflow, branch };
  const found = await findStuck(wanted, context);
  const means = { cancel: await capabilities.has('runs.cancel'), force: await capabilities.has('runs.forceCancel') };
  return { found, wanted, means };
}

export function stuckMessage({ found, wanted, means }: StuckFound, { from }: StuckSearch, { now }: Context) {
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
}
