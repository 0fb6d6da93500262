import type { KnownBlock } from '@slack/types';
import { runButton, turnButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { actions, context as quiet, section } from '../../view/blocks.js';
import { count, some } from '../../view/look.js';
import { message } from '../../view/message.js';
import { paged } from '../../view/paging.js';
import { md } from '../../view/text.js';
import { age } from '../../view/when.js';
import { cancelButton, runBlocks, showButton, stopsAll } from './card.js';
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
    ...stopsAll(1 + others.length),
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

function placeOf({ places }: StuckRuns): string {
  if (!places) return 'on the forge';
  const which = places.more ? `${places.checked} most recently updated repositories` : 'repositories';
  return `in the ${which} you can see${places.unread.length > 0 ? ', as far as Bellows could read them' : ''}`;
}

/** What could not be checked, and why. */
const unchecked = ({ places, runnersUnread }: StuckRuns) => [
  places && places.unread.length > 0 ? md`could not read ${some(places.unread)}` : undefined,
  runnersUnread === 'forbidden' ? 'only site admins can see runners' : undefined,
  runnersUnread && runnersUnread !== 'forbidden' ? 'the runners could not be read' : undefined,
];

export async function findStuckWithMeans({ repository, workflow, branch }: StuckSearch, context: Context) {
  const { capabilities } = context.forge;
  const wanted = { repository, workflow, branch };
  const found = await findStuck(wanted, context);
  const means = { cancel: await capabilities.has('runs.cancel'), force: await capabilities.has('runs.forceCancel') };
  return { found, wanted, means, remedy: await capabilities.remedy('runs.forceCancel') };
}

export function stuckMessage({ found, wanted, means, remedy }: StuckFound, { from }: StuckSearch, { now }: Context) {
  const where = wanted.repository ? `in ${fullName(wanted.repository)}` : placeOf(found);
  const looked = quiet([
    `Checked ${count(found.looked, 'unfinished run')}${found.more ? ' (there are more)' : ''}`,
    ...unchecked(found),
    means.force ? undefined : `force-cancel is not available: ${remedy}`,
  ]);
  if (found.stuck.length === 0) return message({ blocks: [section(md`✅ Nothing is stuck ${where}.`), looked] });
  const shown = paged(
    found.stuck,
    from ?? 0,
    perPage,
    (one) => card(one, means, now),
    (next) => turnButton({ text: 'Show more', command: 'run stuck', args: { ...wanted, from: next } }),
  );
  const many = found.stuck.length;
  const head = section(md`🩺 ${many} ${many === 1 ? 'run' : 'runs'} ${where} ${many === 1 ? 'looks' : 'look'} stuck.`);
  return message({ blocks: [head, ...shown, looked, actions(...together(found.stuck, means, now))] });
}
