import { count, some } from '../../view/look.js';
import { bold, code, codeBlock, link, type Mrkdwn, md, type Value } from '../../view/text.js';
import type { RepoRef, RunFacts } from '../event.js';

/** `Job build failed at npm test` */
function place({ why }: RunFacts): Mrkdwn | undefined {
  if (why?.job === undefined) return undefined;
  return why.step === undefined
    ? md`Job ${bold(why.job)} failed`
    : md`Job ${bold(why.job)} failed at ${bold(why.step)}`;
}

const shown = 5;

/** The commits since the last green run, with their authors. */
function since({ why }: RunFacts, repo: RepoRef, who: (login: string) => Mrkdwn): Mrkdwn | undefined {
  const commits = why?.commits ?? [];
  if (commits.length === 0) return undefined;
  const rows = commits.slice(0, shown).map(({ sha, message, author, login }) => {
    const name = link(`${repo.url}/commit/${encodeURIComponent(sha)}`, message || sha.slice(0, 8));
    if (author === '') return md`• ${name}`;
    return md`• ${name} by ${login === undefined ? author : who(login)}`;
  });
  const more = commits.length > shown ? md`\n• ${commits.length - shown} more` : md``;
  const list = rows.reduce((all, row) => md`${all}\n${row}`);
  return md`${count(commits.length, 'commit')} since it last passed:\n${list}${more}`;
}

function elsewhere({ why }: RunFacts): Mrkdwn | undefined {
  const branches = why?.elsewhere ?? [];
  if (branches.length === 0) return undefined;
  const names = some(branches.map((branch) => code(branch)));
  return md`The same job also failed on ${names}, so this may be a flaky test or an infrastructure problem.`;
}

/** Below the first line of a failed run: where, why, since when. */
export function whyNotes(run: RunFacts, repo: RepoRef, who: (login: string) => Mrkdwn): readonly Value[] {
  const lines = run.why?.lines ?? [];
  const log = lines.length > 0 ? codeBlock(lines.join('\n')) : undefined;
  return [place(run), log, since(run, repo, who), elsewhere(run)].filter((note) => note !== undefined);
}
