// What was deployed where: rows of status and history, and the progress of an approved deployment on its card.
import type { Button, KnownBlock } from '@slack/types';
import { shortRef } from '../../short-ref.js';
import { actions, type Blocks, context, section } from '../blocks.js';
import { frame, type Look, some, when } from '../look.js';
import { bold, code, join, link, type Mrkdwn, md, mentionOf } from '../text.js';
import { describeElapsed } from '../when.js';

type State = 'starting' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'unknown';

interface Who {
  readonly user: string;
  readonly login: string | null;
}

export interface DeploymentLike {
  readonly environment: string;
  readonly ref: string;
  readonly sha: string;
  readonly state: State;
  readonly by: Who;
  readonly approvers: readonly Who[];
  readonly breakGlass: string | null;
  readonly run: number | null;
  readonly number?: number | undefined;
  readonly url: string;
  /** The commit that runs instead of the approved one. */
  readonly otherCommit: string | null;
  readonly stop?: { readonly how: 'canceled' | 'forced' | 'failed' | 'unable' } | undefined;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface EnvironmentLike {
  readonly name: string;
  readonly repository: string;
  readonly running: DeploymentLike | undefined;
  readonly last: DeploymentLike | undefined;
  /** A later one whose outcome nobody knows. */
  readonly unsure: DeploymentLike | undefined;
  readonly frozen: string | undefined;
}

const states = {
  starting: '⏳ Starting',
  running: '⏳ Deploying',
  succeeded: '✅ Deployed',
  failed: '❌ Deployment failed',
  canceled: '⚪ Deployment canceled',
  unknown: '❓ Outcome unknown',
} satisfies Record<State, string>;

const short = (sha: string): string => sha.slice(0, 10);

/** `v1.8 (0a1b2c3d4e)` */
const what = ({ ref, sha }: Pick<DeploymentLike, 'ref' | 'sha'>): Mrkdwn =>
  md`${code(shortRef(ref))} (${code(short(sha))})`;

/** `v1.8 (0a1b2c3d4e) to production` */
export const whatAndWhere = (deployment: Pick<DeploymentLike, 'ref' | 'sha' | 'environment'>): Mrkdwn =>
  md`${what(deployment)} to ${bold(deployment.environment)}`;

/** By the number on the forge's pages, never by its id. */
const runLink = ({ run, number, url }: DeploymentLike): Mrkdwn | undefined =>
  run === null ? undefined : link(url, number === undefined ? 'the run' : `run ${number}`);

function facts(deployment: DeploymentLike, look: Look) {
  const { by, approvers, breakGlass, startedAt, endedAt } = deployment;
  return [
    md`by ${mentionOf(by)}`,
    approvers.length === 0 ? undefined : md`approved by ${some(approvers.map(mentionOf))}`,
    breakGlass === null ? undefined : md`🚨 without approval: ${breakGlass}`,
    when(new Date(startedAt), look),
    endedAt === null ? undefined : `took ${describeElapsed(endedAt - startedAt)}`,
    runLink(deployment),
  ];
}

export function deploymentRow(deployment: DeploymentLike, look: Look): KnownBlock[] {
  const notes = warnings(deployment);
  return frame(
    {
      state: states[deployment.state],
      subject: whatAndWhere(deployment),
      facts: facts(deployment, look),
    },
    { style: 'row', ...look, notes },
  );
}

export function environmentRow({ name, repository, last, unsure, frozen }: EnvironmentLike, look: Look): KnownBlock[] {
  const known = last && what({ ref: last.ref, sha: last.otherCommit ?? last.sha });
  const now = unsure ? md`${known ? md`last known ${known}` : 'not known'}` : (known ?? 'nothing deployed yet');
  const notes = frozen === undefined ? [] : [`❄️ ${frozen}`];
  return frame(
    { subject: md`${bold(name)}: ${now}`, facts: [repository, ...(last ? facts(last, look) : [])] },
    { style: 'row', ...look, notes },
  );
}

function warnings(deployment: DeploymentLike): Mrkdwn[] {
  const { otherCommit, sha, approvers } = deployment;
  if (otherCommit === null) return [];
  const head = bold(`Not the ${approvers.length === 0 ? 'requested' : 'approved'} commit.`);
  const happened = md`The run started on ${code(short(otherCommit))} instead of ${code(short(sha))}, because the branch moved at that moment.`;
  return [join([md`🚨 ${head}`, happened, stopWords(deployment)], ' ')];
}

function stopWords({ state, stop, breakGlass }: DeploymentLike): string | undefined {
  if (breakGlass !== null) return undefined;
  const runs = state === 'starting' || state === 'running';
  const next = runs ? ' Cancel it on the forge.' : '';
  if (stop?.how === 'unable') return `Bellows can’t cancel runs on this server.${next}`;
  if (stop?.how === 'failed') return `Bellows couldn’t cancel the run.${next}`;
  if (runs) return stop && 'Bellows is canceling the run.';
  if (state !== 'canceled') return 'The run ended before it could be canceled.';
  return stop && `Bellows ${stop.how === 'forced' ? 'force-canceled' : 'canceled'} the run.`;
}

/** The part of a card that follows the run to its end; what goes where stands above it. */
export function deploymentBlocks(deployment: DeploymentLike, buttons: readonly Button[], look: Look): KnownBlock[] {
  const { state, startedAt, endedAt } = deployment;
  const blocks: Blocks = [
    section(bold(states[state])),
    ...warnings(deployment).map((each) => section(each)),
    context([
      runLink(deployment),
      endedAt === null ? when(new Date(startedAt), look) : `took ${describeElapsed(endedAt - startedAt)}`,
      state === 'unknown' ? 'Check the runs on the forge before you deploy again.' : undefined,
    ]),
    actions(...buttons),
  ];
  return blocks.filter((block) => block !== undefined);
}

/** One sentence, for threads and direct messages. */
export function deploymentWords(deployment: DeploymentLike): Mrkdwn {
  const run = deployment.number === undefined ? undefined : runLink(deployment);
  const at = run ? md` · ${run}` : md``;
  const says = md`${states[deployment.state]}: ${whatAndWhere(deployment)}${at}`;
  return join([says, ...warnings(deployment)], '\n');
}
