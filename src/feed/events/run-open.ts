import { some } from '../../view/look.js';
import { bold, code, link, type Mrkdwn, md, type Value } from '../../view/text.js';
import type { EventOf } from '../event.js';
import { repo, type Scene, type Telling } from './telling.js';

type OpenRun = EventOf<'runs:waiting' | 'runs:stuck'>;

const numbered = ({ item, run }: OpenRun) => link(item.url, `run ${run.number}`);

const named = (event: OpenRun) => (event.item.title ? md`${event.item.title}, ${numbered(event)}` : numbered(event));

function workflowFiles(files: readonly string[] | undefined): Mrkdwn | undefined {
  if (!files) return undefined;
  return files.length === 0
    ? md`No workflow files changed.`
    : md`⚠️ Changes workflow files: ${some(files.map((file) => code(file)))}`;
}

/** `#12 Title by linus, first-time contributor` */
function pullOf({ repo: at, run: { waiting } }: OpenRun, who: Scene['who']): Mrkdwn | undefined {
  if (!waiting) return undefined;
  const { pull, url, title, author, firstTime } = waiting;
  const name = link(url ?? `${at.url}/pulls/${pull}`, title ? `#${pull} ${title}` : `#${pull}`);
  const by = author === undefined ? md`` : md` by ${who(author)}`;
  const before = firstTime === undefined ? '' : firstTime ? ', first-time contributor' : ', contributed before';
  return md`Pull request ${name}${by}${before}`;
}

/** A run of a fork's pull request: who wants it, and what it could do. */
function waiting(event: OpenRun, scene: Scene): Telling {
  const { run } = event;
  const isOver = scene.standing.stage !== 'waiting';
  const says = isOver ? md`${run.workflow}:` : md`${run.workflow} needs approval to run:`;
  const notes: (Value | undefined)[] = [pullOf(event, scene.who), workflowFiles(run.waiting?.files)];
  return {
    says: bold(says),
    subject: named(event),
    notes: notes.filter((note) => note !== undefined),
    facts: [repo(event), run.branch === '' ? undefined : code(run.branch)],
  };
}

function stuck(event: OpenRun, scene: Scene): Telling {
  const { run, actor } = event;
  const isOver = scene.standing.stage !== 'stuck';
  const says = isOver ? md`${run.workflow} looked stuck:` : md`${run.workflow} looks stuck on ${code(run.branch)}:`;
  return {
    says: bold(says),
    subject: named(event),
    notes: isOver ? [] : (run.symptoms ?? []).slice(0, 5),
    facts: [repo(event), actor ? md`by ${scene.who(actor.login)}` : undefined],
  };
}

export const openRuns = { 'runs:waiting': waiting, 'runs:stuck': stuck };
