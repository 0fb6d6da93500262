import type { ChannelFacts, Context } from '../../chat/context.js';
import { fullName, isAddress, readRepository, webAddress } from '../../chat/references.js';
import type { PolicyFile } from '../../config.js';
import { UserError } from '../../errors.js';
import { exposure } from '../../feed/exposure.js';
import { matches } from '../../feed/glob.js';
import { type Api, ApiError, isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas.js';
import { splitFullName } from '../../full-name.js';
import { refuseForeign } from '../../pattern.js';
import type { Place, Store, Subscription, Target } from '../../store/index.js';
import { some } from '../../view/look.js';
import { code, join, link, type Mrkdwn, md, type Value } from '../../view/text.js';
import { lookUp } from '../repos/lookup.js';

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

/** So many repositories of an owner are listed: a pattern covers no others. */
export const mostOfOwner = 5_000;

/** A target on the forge, seen with the person's own permissions. */
export interface Found {
  readonly target: Target;
  /** Name of the repository, owner or person; a pattern is in the target. */
  readonly name: string;
  /** The repositories it currently includes; unknown for a person. */
  readonly repositories: readonly Repository[];
}

export function find(written: Written, context: Context): Promise<Found> {
  switch (written.kind) {
    case 'repo':
      return repository(written, context);
    case 'owner':
      return owner(written, context);
    case 'user':
      return person(written.login, context);
    case 'slack':
      return slackPerson(written.user, context);
  }
}

async function slackPerson(user: string, context: Context): Promise<Found> {
  const login = await context.people.loginOf({ team: context.person.team, user });
  if (login === undefined)
    throw new UserError('This person has no linked forge account. Use the forge login instead: @login.');
  return person(login, context);
}

/** The person's own account must see it, and so must Bellows, which reads for the channel. */
async function repository(
  { owner, repo }: { readonly owner: string; readonly repo: string },
  context: Context,
): Promise<Found> {
  const found = await seenBy(context.api, owner, repo);
  if (!found) throw new UserError(`I can’t find ${owner}/${repo}, or you don’t have access to it.`);
  if (isHidden(found) && (await seenBy(context.service, owner, repo))?.id !== found.id)
    throw new UserError(
      `Bellows has no access to ${found.full_name}. Give ${await serviceName(context)} read access on the forge, then try again.`,
    );
  return { target: { kind: 'repo', id: found.id }, name: found.full_name, repositories: [found] };
}

async function seenBy(api: Api, owner: string, name: string): Promise<Repository | undefined> {
  try {
    return await lookUp({ owner, name }, api);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'forbidden') return undefined;
    throw error;
  }
}

/** An admin sees private rows in anyone's feed. */
async function readsEverything({ service }: Context): Promise<boolean> {
  try {
    return (await service.users.me()).is_admin;
  } catch (error) {
    // the account's role cannot be read, so it counts as an admin
    if (error instanceof ApiError) return true;
    throw error;
  }
}

async function serviceName({ service }: Context): Promise<string> {
  try {
    return (await service.users.me()).login;
  } catch (error) {
    if (error instanceof ApiError) return 'the account of FORGE_TOKEN';
    throw error;
  }
}

/** Only what this person sees: whether a pattern matches anything else is never revealed. */
async function owner(
  { owner, pattern }: { readonly owner: string; readonly pattern: string },
  context: Context,
): Promise<Found> {
  const known = await account(owner, context);
  if (!known) throw new UserError(`I can’t find ${owner} on the forge, or you don’t have access.`);
  const repositories: Repository[] = [];
  const query = { uid: known.id, exclusive: true };
  for await (const each of context.api.repos.search.each({ query }, { max: mostOfOwner })) {
    if (each.owner?.id === known.id && matches(pattern, each.name)) repositories.push(each);
  }
  return { target: { kind: 'owner', id: known.id, pattern }, name: known.login, repositories };
}

async function person(login: string, context: Context): Promise<Found> {
  const known = await account(login, context);
  if (!known) throw new UserError(`I can’t find ${login} on the forge. Check the login.`);
  if (await readsEverything(context))
    throw new UserError(
      'Bellows runs as a forge admin and would show private activity of people. Subscribe to repositories instead: owner/repo.',
    );
  return { target: { kind: 'user', id: known.id }, name: known.login, repositories: [] };
}

/** Organizations are users too; a server that shows no users by name still shows repository owners. */
async function account(
  username: string,
  { api }: Context,
): Promise<{ readonly id: number; readonly login: string } | undefined> {
  try {
    return await api.users.get({ username });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.kind !== 'notFound' && error.kind !== 'forbidden')) throw error;
    if (!error.unsupported) return undefined;
  }
  for await (const { owner } of api.repos.search.each({}, { max: mostOfOwner })) {
    if (owner?.login.toLowerCase() === username.toLowerCase()) return owner;
  }
  return undefined;
}

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

export async function nameTarget(sub: Subscription, { subscriptions }: Store): Promise<Named> {
  const name = (await subscriptions.nameOf(sub.target)) ?? `${sub.target.kind} ${sub.target.id}`;
  return { sub, name, title: titleOf(sub.target, name) };
}

/** Patterns in code: two asterisks in one line would make bold text. */
export const shownTitle = (title: string): Value => (title.includes('*') ? code(title) : title);
export const shownTitles = (titles: readonly string[]): Mrkdwn => join(titles.map(shownTitle), ', ');

/** All of a channel's, sorted by name. */
export async function allIn(place: Place, store: Store): Promise<Named[]> {
  const subs = await store.subscriptions.inChannel(place);
  const all = await Promise.all(subs.map((sub) => nameTarget(sub, store)));
  return all.sort((a, b) => a.title.localeCompare(b.title));
}

/** Linked if the forge has a page for it. */
export function linkTarget({ sub, name, title }: Pick<Named, 'sub' | 'name' | 'title'>, web: string): Mrkdwn {
  const { owner, repo } = splitFullName(name);
  if (sub.target.kind !== 'repo') return link(webAddress(web, { kind: 'person', login: owner }), title);
  if (repo === '') return md`${title}`;
  return link(webAddress(web, { kind: 'repository', of: { owner, repo } }), fullName({ owner, repo }));
}

interface Here {
  readonly place: Place;
  readonly facts: ChannelFacts;
}

/** The channel the command was typed in. */
export function placeOf({ person, channel }: Context): Place {
  if (channel === undefined) throw new UserError('Run this in the channel it is for.');
  return { team: person.team, channel };
}

const invite = 'Run /invite @Bellows here, then try again.';

/** The channel as Slack describes it; refused if nothing could be posted there. */
export async function here(context: Context): Promise<Here> {
  const place = placeOf(context);
  const facts = await factsOf(context, place);
  if (!facts) throw new UserError(`Bellows cannot see this channel. ${invite}`);
  if (facts.archived) throw new UserError('This channel is archived. Use another one, or unarchive it first.');
  if (!facts.member) throw new UserError(`Bellows is not in this channel. ${invite}`);
  return { place, facts };
}

/** Cached facts may be older than the bot's invitation. */
async function factsOf({ slack, store, person }: Context, place: Place): Promise<ChannelFacts | undefined> {
  const known = await slack.channel(place.channel, person.user);
  if (known?.member && !known.archived) return known;
  await store.channels.forgetFacts(place);
  return slack.channel(place.channel, person.user);
}

/** The part of the target that may be shown here; for a pattern the rest is left out and named, since the person sees it. */
export function showable(found: Found, { facts }: Here, policy: PolicyFile['exposure']): Showable {
  const { target, name, repositories } = found;
  const judged = repositories.map((repo) => ({ repo, verdict: exposure({ hidden: isHidden(repo) }, facts, policy) }));
  const channelItself = exposure({ hidden: false }, facts, policy);
  const refused = target.kind === 'repo' ? (judged[0]?.verdict ?? channelItself) : channelItself;
  if (!refused.allowed) return { refusal: `${titleOf(target, name)}: ${refused.words}` };
  const left = judged.filter(({ verdict }) => !verdict.allowed).map(({ repo }) => repo.name);
  return {
    found: { ...found, repositories: judged.filter(({ verdict }) => verdict.allowed).map(({ repo }) => repo) },
    ...(left.length > 0 && { but: leftOut(titleOf(target, name), left) }),
  };
}

export type Showable = { readonly refusal: string } | { readonly found: Found; readonly but?: string };

/** For a preview, which only its author sees and which may run before the bot is invited. */
export async function showableIfKnown(context: Context): Promise<(found: Found) => Showable> {
  const place = placeOf(context);
  const facts = await context.slack.channel(place.channel, context.person.user);
  return (found) => {
    const shown = facts && showable(found, { place, facts }, context.policy.exposure);
    return shown && 'found' in shown ? shown : { found };
  };
}

function leftOut(title: string, left: readonly string[]): string {
  const they = left.length === 1 ? 'it is' : 'they are';
  return `${title} leaves out ${some(left).plain}: ${they} private and everyone can read this channel.`;
}
