import { fullName, isAddress, readRepository } from '../../chat/references.js';
import { refuseForeign } from '../../pattern.js';

/** What can be followed, as typed: a repository, an owner's repositories by pattern, or one person's activity. */
export type Written =
  | { readonly kind: 'repo'; readonly owner: string; readonly repo: string }
  | { readonly kind: 'owner'; readonly owner: string; readonly pattern: string }
  | { readonly kind: 'user'; readonly login: string }
  | { readonly kind: 'slack'; readonly user: string };

const name = '[A-Za-z0-9._-]{1,100}';
/** Never with a leading dash: `-acme/noisy` excludes a repository. */
const ownerName = '[A-Za-z0-9._][A-Za-z0-9._-]{0,99}';
const repoForm = new RegExp(`^(${ownerName})/(${name})$`);
const globForm = new RegExp(`^(${ownerName})/([A-Za-z0-9._*?-]{1,100})$`);
const userForm = new RegExp(`^@(${name})$`);
const slackForm = /^<@([UW][A-Z0-9]{1,30})(?:\|[^<>]*)?>$/;

/** `acme/engine`, `acme/lib-*`, `@grace`, a Slack mention, or an address of the forge. */
export function readTarget(word: string, webUrl = ''): Written | undefined {
  if (isAddress(word)) {
    const found = readRepository(word, webUrl);
    return found && { kind: 'repo', ...found };
  }
  const [, slack] = slackForm.exec(word) ?? [];
  if (slack !== undefined) return { kind: 'slack', user: slack };
  const [, login] = userForm.exec(word) ?? [];
  if (login !== undefined) return { kind: 'user', login };
  const [, owner, repo] = repoForm.exec(word) ?? [];
  if (owner !== undefined && repo !== undefined && !/^\.\.?$/.test(owner) && !/^\.\.?$/.test(repo))
    return { kind: 'repo', owner, repo: repo.replace(/\.git$/, '') };
  const [, of, pattern] = globForm.exec(word) ?? [];
  return of !== undefined && pattern !== undefined && /[*?]/.test(pattern)
    ? { kind: 'owner', owner: of, pattern }
    : undefined;
}

/** Text that `readTarget` reads back. */
export function showTarget(target: Written): string {
  switch (target.kind) {
    case 'repo':
      return fullName(target);
    case 'owner':
      return `${target.owner}/${target.pattern}`;
    case 'user':
      return `@${target.login}`;
    case 'slack':
      return `<@${target.user}>`;
  }
}

const foreignForm = new RegExp(`^(${ownerName})/(\\S{1,200})$`);

/** Something that looks like a pattern but has invalid characters is refused for those. */
export function refuseForeignTarget(word: string): void {
  const [, , pattern] = foreignForm.exec(word) ?? [];
  if (pattern !== undefined) refuseForeign(pattern, word);
}

const ownerForm = new RegExp(`^${name}$`);

/** A bare owner means all of its repositories, as on GitHub. */
export const readOwner = (word: string): Written | undefined =>
  ownerForm.test(word) && !/^\.\.?$/.test(word) ? { kind: 'owner', owner: word, pattern: '*' } : undefined;
