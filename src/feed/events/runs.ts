import { code, link, md } from '../../view/text.js';
import { elapsed } from '../../view/when.js';
import type { EventOf, Kind, Outcome } from '../event.js';
import { whyNotes } from './run-why.js';
import { repo, type Scene, type Telling } from './telling.js';

type RunEvent = EventOf<Extract<Kind, `runs:${string}`>>;

const plain: Readonly<Record<Outcome, string>> = {
  failure: 'failed',
  success: 'passed',
  cancelled: 'was cancelled',
  skipped: 'was skipped',
};

function headline({ run }: RunEvent, outcome: Outcome) {
  if (run.transition?.to === 'red') return md`${code(run.branch)} broke: ${run.workflow} failed in`;
  if (run.transition?.to === 'green') return md`${code(run.branch)} is green again: ${run.workflow} passed in`;
  return md`${run.workflow} ${plain[outcome]} on ${code(run.branch)} in`;
}

function repaired({ at, run }: RunEvent): string | undefined {
  const since = run.transition?.brokenAt;
  return since === undefined ? undefined : `red for ${elapsed(Date.parse(at) - Date.parse(since))}`;
}

const ran =
  (outcome: Outcome) =>
  (event: RunEvent, { standing, who }: Scene): Telling => {
    const { run } = event;
    const notes = outcome === 'failure' ? whyNotes(run, event.repo, who) : [];
    // on the breaking run's card the mending run is a quiet fact
    const fixed =
      standing.fixedBy && run.transition?.to === 'red'
        ? md`mended by ${link(standing.fixedBy.url, `#${standing.fixedBy.number}`)}`
        : undefined;
    return {
      says: headline(event, outcome),
      notes,
      // the id, which run show and run cancel take
      subject: link(event.item.url, `#${run.id} ${event.item.title ?? ''}`.trim()),
      facts: [
        repo(event),
        run.sha === ''
          ? undefined
          : link(`${event.repo.url}/commit/${encodeURIComponent(run.sha)}`, run.sha.slice(0, 8)),
        fixed,
        repaired(event),
        run.attempt > 1 ? `attempt ${run.attempt}` : undefined,
        run.seconds === undefined ? undefined : `took ${elapsed(run.seconds * 1_000)}`,
        event.actor ? md`by ${who(event.actor.login)}` : undefined,
      ],
    };
  };

export const runs = {
  'runs:failure': ran('failure'),
  'runs:success': ran('success'),
  'runs:cancelled': ran('cancelled'),
  'runs:skipped': ran('skipped'),
};
