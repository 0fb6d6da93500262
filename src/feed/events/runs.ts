import { bold, code, link, md, type Value } from '../../view/text.js';
import { elapsed } from '../../view/when.js';
import type { EventOf, Outcome } from '../event.js';
import { whyNotes } from './run-why.js';
import { repo, type Scene, type Telling } from './telling.js';

type RunEvent = EventOf<`runs:${Outcome}`>;

const plain: Readonly<Record<Outcome, string>> = {
  failure: 'failed',
  success: 'passed',
  cancelled: 'was canceled',
  skipped: 'was skipped',
};

function headline({ run }: RunEvent, outcome: Outcome) {
  const did = run.transition?.to === 'green' ? 'passes again' : plain[outcome];
  return bold(md`${run.workflow} ${did} on ${code(run.branch)}:`);
}

/** `run 31`, the number on the forge's page. */
const numbered = (event: RunEvent) => link(event.item.url, `run ${event.run.number}`);

function subject(event: RunEvent) {
  const { brokenAt, to } = event.run.transition ?? {};
  if (to === 'green' && brokenAt !== undefined)
    return md`fixed by ${numbered(event)} after ${between(brokenAt, event.at)}`;
  return event.item.title ? md`${event.item.title}, ${numbered(event)}` : numbered(event);
}

const between = (from: string, to: string): string => elapsed(Date.parse(to) - Date.parse(from));

/** Durations under a second are left out. */
const took = (seconds: number | undefined): string | undefined =>
  seconds === undefined || seconds < 1 ? undefined : `took ${elapsed(seconds * 1_000)}`;

/** For the card of the run that broke it. */
function fixed(event: RunEvent, { standing: { fixedBy } }: Scene): Value | undefined {
  if (!fixedBy || event.run.transition?.to !== 'red') return undefined;
  const { url, number, at, sha, title, by } = fixedBy;
  const name = title || sha?.slice(0, 8);
  const commit = sha && name ? md` with ${link(commitPage(event, sha), name)}` : md``;
  const author = commit.empty || by === undefined ? md`` : md` by ${by}`;
  return md`Fixed by ${link(url, `run ${number}`)}${commit}${author} after ${between(event.at, at)}`;
}

const commitPage = ({ repo: at }: RunEvent, sha: string) => `${at.url}/commit/${encodeURIComponent(sha)}`;

/** `Last passed in run 11, 2 h earlier` */
function lastPassed({ at, run: { transition } }: RunEvent): Value | undefined {
  const last = transition?.lastGreen;
  if (!last) return undefined;
  return md`last passed in ${link(last.url, `run ${last.number}`)}, ${between(last.at, at)} earlier`;
}

const ran =
  (outcome: Outcome) =>
  (event: RunEvent, scene: Scene): Telling => {
    const { run } = event;
    const notes = outcome === 'failure' ? whyNotes(run, event.repo, scene.author) : [];
    return {
      says: headline(event, outcome),
      notes,
      subject: subject(event),
      facts: [
        fixed(event, scene),
        repo(event),
        run.sha === '' ? undefined : link(commitPage(event, run.sha), run.sha.slice(0, 8)),
        lastPassed(event),
        run.attempt > 1 ? `attempt ${run.attempt}` : undefined,
        took(run.seconds),
        event.actor ? md`by ${scene.who(event.actor.login)}` : undefined,
      ],
    };
  };

export const runs = {
  'runs:failure': ran('failure'),
  'runs:success': ran('success'),
  'runs:cancelled': ran('cancelled'),
  'runs:skipped': ran('skipped'),
};
