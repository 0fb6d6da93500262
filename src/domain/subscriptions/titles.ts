import { fullName, webAddress } from '../../chat/references.js';
import { splitFullName } from '../../full-name.js';
import type { Place, Store, Subscription, Target } from '../../store/index.js';
import { code, join, link, type Mrkdwn, md, type Value } from '../../view/text.js';

/** A subscription with its readable names. */
export interface Named {
  readonly sub: Subscription;
  /** Name of the repository, owner or person at the forge. */
  readonly name: string;
  /** `acme/engine`, `acme/lib-*`, `@grace` */
  readonly title: string;
}

export function titleOf(target: Target, name: string): string {
  if (target.kind === 'user') return `@${name}`;
  return target.kind === 'owner' ? `${splitFullName(name).owner}/${target.pattern}` : name;
}

export async function named(sub: Subscription, { subscriptions }: Store): Promise<Named> {
  const name = (await subscriptions.nameOf(sub.target)) ?? `${sub.target.kind} ${sub.target.id}`;
  return { sub, name, title: titleOf(sub.target, name) };
}

/** Patterns in code: two asterisks in one line would make bold text. */
export const shownTitle = (title: string): Value => (title.includes('*') ? code(title) : title);
export const shownTitles = (titles: readonly string[]): Mrkdwn => join(titles.map(shownTitle), ', ');

/** All of a channel's, sorted by name. */
export async function allIn(place: Place, store: Store): Promise<Named[]> {
  const subs = await store.subscriptions.inChannel(place);
  const all = await Promise.all(subs.map((sub) => named(sub, store)));
  return all.sort((a, b) => a.title.localeCompare(b.title));
}

/** Linked if the forge has a page for it. */
export function linked({ sub, name, title }: Pick<Named, 'sub' | 'name' | 'title'>, web: string): Mrkdwn {
  const { owner, repo } = splitFullName(name);
  if (sub.target.kind !== 'repo') return link(webAddress(web, { kind: 'person', login: owner }), title);
  if (repo === '') return md`${title}`;
  return link(webAddress(web, { kind: 'repository', of: { owner, repo } }), fullName({ owner, repo }));
}
