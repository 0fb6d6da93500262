import type { Observation } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { fullName } from '../../chat/references.js';
import type { CommitChecks } from '../../forge/commit-checks.js';
import { shortRef } from '../../short-ref.js';
import { ranCommit } from '../../store/index.js';
import { changesOf } from './changes.js';
import type { Asked } from './inputs.js';
import { targetOf } from './target.js';

const mostTitles = 10;
const mostDetails = 50;

function linesOf(titles: readonly string[], most: number): string[] {
  const more = titles.length - most;
  return [...titles.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])];
}

const words: Readonly<Record<CommitChecks['state'], string>> = {
  success: '✅ passed',
  pending: '⏳ still running',
  failure: '❌ failed',
  warning: '⚠️ passed with warnings',
  skipped: '⏭️ skipped',
  none: 'none reported',
};

const versionOf = (ref: string, sha: string) =>
  `${ref.startsWith('refs/tags/') ? 'tag' : 'branch'} ${shortRef(ref)} at ${sha.slice(0, 10)}`;

/** Approval is bound to the commit: if the ref moves, nothing runs. */
export async function observeDeploy(asked: Asked, context: Context): Promise<Observation> {
  const target = await targetOf(asked, context);
  const { what, sha, name, checks, last } = target;
  const changes = await changesOf(target, context);
  const open = (checks?.open ?? []).slice(0, 5).map((each) => each.context);
  const now = changes.since === undefined ? 'unknown' : changes.since.slice(0, 10);
  const inputs = Object.entries(what.inputs).map(([input, value]) => `${input}=${value}`);
  return {
    bound: { commit: sha, ref: what.ref, deployed: last ? ranCommit(last) : null },
    authors: changes.authors.users.map(({ id }) => id),
    unsure: changes.authors.unsure,
    wants: { says: `deploy ${shortRef(what.ref)} (${sha.slice(0, 10)}) to ${name}`, about: fullName(what.at) },
    shown: [
      ['Environment', name],
      ['New version', versionOf(what.ref, sha)],
      ['Current version', last ? versionOf(last.ref, ranCommit(last)) : now],
      ['Changes', [changes.words, ...linesOf(changes.titles, mostTitles)], changes.page],
      [
        'Authors',
        changes.authors.users
          .slice(0, 20)
          .map(({ login }) => login)
          .join(', ') || 'none',
      ],
      ['Checks', [words[checks?.state ?? 'none'], open.join(', ')].filter(Boolean).join(': ')],
      // in an emergency nobody checks
      ...(asked.breakGlass ? [] : [['Freeze', 'not frozen'] as const]),
      ...(inputs.length === 0 ? [] : [['Inputs', inputs] as const]),
      ...(asked.reason === undefined ? [] : [['Reason', asked.reason] as const]),
    ],
    ...(changes.titles.length > mostTitles && {
      details: [['All changes', linesOf(changes.titles, mostDetails)] as const],
    }),
  };
}
