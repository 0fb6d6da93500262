import type { KnownBlock } from '@slack/types';
import { count, frame, type Look, type Person, person, when } from '../look.js';
import { clip, code, link, md } from '../text.js';
import type { Instant } from '../when.js';

export interface RepositoryLike {
  readonly full_name: string;
  readonly html_url: string;
  readonly private?: boolean | null | undefined;
  readonly internal?: boolean | null | undefined;
  readonly owner?: { readonly visibility?: string } | null | undefined;
  readonly archived?: boolean | null | undefined;
  readonly mirror?: boolean | null | undefined;
  readonly fork?: boolean | null | undefined;
  readonly empty?: boolean | null | undefined;
  readonly description?: string | null | undefined;
  readonly default_branch?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly stars_count?: number | null | undefined;
  readonly open_issues_count?: number | null | undefined;
  readonly open_pr_counter?: number | null | undefined;
  readonly updated_at?: Instant;
}

function repositoryState(repository: RepositoryLike): string {
  if (repository.archived) return '📦 Archived';
  if (repository.private) return '🔒 Private';
  // only its name: what may be shown where is decided elsewhere
  const ofLimited = (repository.owner?.visibility || 'public') !== 'public';
  return repository.internal || ofLimited ? '🏢 Internal' : '🌐 Public';
}

export function repositoryCard(repository: RepositoryLike, look: Look): KnownBlock[] {
  const { description, open_issues_count: issues, open_pr_counter: pulls, stars_count: stars } = repository;
  return frame(
    {
      state: repositoryState(repository),
      subject: link(repository.html_url, repository.full_name),
      facts: [
        description ? clip(description, 200) : undefined,
        repository.empty ? 'empty' : undefined,
        repository.fork ? 'fork' : undefined,
        repository.mirror ? 'mirror' : undefined,
        repository.default_branch ? code(repository.default_branch) : undefined,
        repository.language || undefined,
        issues ? count(issues, 'open issue') : undefined,
        pulls ? count(pulls, 'open pull request') : undefined,
        stars ? count(stars, 'star') : undefined,
        when(repository.updated_at, look),
      ],
    },
    look,
  );
}

export interface CommitLike {
  readonly sha: string;
  readonly html_url?: string | null | undefined;
  readonly created?: Instant;
  readonly author?: Person | null | undefined;
  readonly commit?:
    | {
        readonly message?: string | null | undefined;
        readonly author?: { readonly name: string } | null | undefined;
      }
    | null
    | undefined;
}

/** One line of a commit list. */
export function commitRow(commit: CommitLike, look: Look): KnownBlock[] {
  const [title = ''] = (commit.commit?.message ?? '').trimStart().split('\n', 1);
  return frame(
    {
      subject: md`${link(commit.html_url, commit.sha.slice(0, 10))} ${clip(title, 200)}`,
      facts: [person(commit.author, look) ?? commit.commit?.author?.name, when(commit.created, look)],
    },
    { style: 'line', ...look },
  );
}
