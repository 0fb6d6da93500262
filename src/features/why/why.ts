import { z } from 'zod';
import { formButton, runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { type Needed, plainField, repository, type Words } from '../../chat/fields.js';
import { fullName, isNumberOnly, type RepositoryRef, readItem, readRepository } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { covers } from '../../feed/covers.js';
import { type Kind, unitOf } from '../../feed/event.js';
import { itemThread, runThread } from '../../feed/item.js';
import { postedBefore } from '../../feed/route.js';
import { sourceKey } from '../../feed/sources/source.js';
import { unlessUnseen } from '../../forge/possible.js';
import type { Repository } from '../../forge/schemas.js';
import { property } from '../../property.js';
import { type RoutingDecision, readSubscriptionId, type SourceState } from '../../store/index.js';
import { actions, list, context as quiet, section } from '../../view/blocks.js';
import { linkButton } from '../../view/elements.js';
import { type Message, message } from '../../view/message.js';
import { bold, channel, code, join, link, type Mrkdwn, md } from '../../view/text.js';
import { date } from '../../view/when.js';
import { queueAdded } from '../queue/entry.js';
import { lookUp, unitReader } from '../repos/lookup.js';
import { placeOf, shownTitles, titleOf } from '../subscriptions/target.js';

/** One decision in readable form. */
interface Traced extends RoutingDecision {
  readonly title: string | undefined;
  readonly fate: 'posted' | 'waiting' | 'dropped';
}

interface Trace {
  readonly decisions: readonly Traced[];
  /** Number of channels this person may not know about. */
  readonly elsewhere: number;
}

/** The decisions this person may see: this channel's, and those of subscriptions they own. */
async function traceEvents(addresses: readonly string[], channel: string, context: Context): Promise<Trace> {
  const { store, person } = context;
  const all = (await Promise.all(addresses.map((address) => store.decisions.about(address)))).flat();
  const owned = new Set((await store.subscriptions.ownedBy(person)).map(({ place }) => place.channel));
  const mine = (each: RoutingDecision) =>
    each.team === person.team && (each.channel === channel || owned.has(each.channel));
  const shown = latest(all.filter(mine));
  const waits = await waitingIn(shown, context);
  const decisions = await Promise.all(
    shown.map(async (each) => ({
      ...each,
      title: await titleFor(each, context),
      fate: !each.kept ? ('dropped' as const) : waits.has(keyOf(each)) ? ('waiting' as const) : ('posted' as const),
    })),
  );
  return { decisions, elsewhere: new Set(all.filter((each) => !mine(each)).map((each) => each.channel)).size };
}

const keyOf = ({ channel, event }: RoutingDecision): string => `${channel} ${event}`;

/** A guard may overrule a filter that kept it. */
function latest(all: readonly RoutingDecision[]): RoutingDecision[] {
  const found = new Map<string, RoutingDecision>();
  for (const each of [...all].sort((a, b) => b.at - a.at)) {
    const key = `${keyOf(each)} ${each.subscription ?? ''}`;
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

async function waitingIn(shown: readonly RoutingDecision[], { store, person }: Context): Promise<Set<string>> {
  const waits = new Set<string>();
  for (const channel of new Set(shown.filter(({ kept }) => kept).map((each) => each.channel))) {
    const { entries } = await store.outbox.view({ team: person.team, channel }, 200);
    for (const { body } of entries) waits.add(`${channel} ${eventIn(body)}`);
  }
  return waits;
}

function eventIn(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('event' in body)) return '';
  const { event } = body;
  return typeof event === 'object' && event !== null && 'id' in event ? String(event.id) : '';
}

async function titleFor({ subscription }: RoutingDecision, { store }: Context): Promise<string | undefined> {
  if (subscription === undefined) return undefined;
  const { target } = readSubscriptionId(subscription);
  const name = await store.subscriptions.nameOf(target);
  return name === undefined ? 'an ended subscription' : titleOf(target, name);
}

/** The link to the item's card in this channel. */
async function cardLink(
  repository: Repository,
  { index, run }: { readonly index?: number | undefined; readonly run?: number | undefined },
  channel: string,
  { store, slack, person }: Context,
): Promise<string | undefined> {
  const thread =
    index !== undefined ? itemThread(repository.id, index) : run !== undefined ? runThread(run) : undefined;
  const card = thread === undefined ? undefined : await store.threads.get({ team: person.team, channel }, thread);
  return card && slack.permalink(channel, card.ts);
}

interface Coverage {
  /** Subscriptions of this channel that cover the repository. */
  readonly titles: readonly string[];
  readonly source: SourceState | undefined;
}

async function coverage(repository: Repository, channel: string, { store, person }: Context): Promise<Coverage> {
  const all = await store.subscriptions.candidates(repository.id, repository.owner?.id ?? 0);
  const here = all.filter(
    (sub) => sub.place.team === person.team && sub.place.channel === channel && covers(sub, repository.full_name),
  );
  const titles = here.map(({ target }) =>
    titleOf(target, target.kind === 'repo' ? repository.full_name : (repository.owner?.login ?? '')),
  );
  return { titles, source: await store.sources.get(sourceKey({ kind: 'repo', id: repository.id })) };
}

interface Reason extends Trace {
  readonly subject: string;
  readonly url: string | undefined;
  readonly repository?: string;
  readonly coverage?: Coverage;
  readonly card?: string | undefined;
  /** How many events the message shows. */
  readonly events?: number;
}

const mostRows = 15;

/** When it was seen, which subscription and which of its words decided, which message. */
function reasonReply(reason: Reason, context: Context): Message {
  const { decisions, elsewhere, repository, card } = reason;
  const head = decisions.length === 0 ? explainUnseen(reason, context) : showSubject(reason);
  const rows = decisions.slice(0, mostRows).map((each) => row(each, context));
  const more = decisions.length - rows.length;
  const others = elsewhere === 1 ? '1 other channel was checked' : `${elsewhere} other channels were checked`;
  return message({
    blocks: [
      section(head),
      ...list(rows),
      quiet([
        more > 0 ? `${more} earlier not shown` : undefined,
        elsewhere > 0 ? others : undefined,
        'decisions are kept for 14 days',
      ]),
      actions(
        linkButton('Open the message', card),
        repository !== undefined && reason.coverage?.titles.length === 0
          ? formButton({ text: 'Subscribe', command: 'subscribe', args: { repositories: [repository] } })
          : undefined,
        runButton({ text: 'Status', command: 'status' }),
      ),
    ],
  });
}

function showSubject({ subject, url, events }: Reason): Mrkdwn {
  if (events !== undefined) return md`${bold(subject)} shows ${events === 1 ? 'one event' : `${events} events`}:`;
  return md`What happened to ${link(url, subject)}:`;
}

function explainUnseen({ subject, url, repository, coverage }: Reason, { now }: Context): Mrkdwn {
  const about = link(url, subject);
  if (!coverage) return md`${about}: no decision on record.`;
  if (coverage.titles.length === 0)
    return md`${about} was not posted here: this channel is not subscribed to ${repository ?? 'its repository'}.`;
  const { answeredAt, error } = coverage.source ?? {};
  const poll =
    answeredAt === undefined ? md`Bellows has not checked it yet.` : md`Last checked ${date(answeredAt, now)}.`;
  const trouble = error === undefined ? md`` : md` Checks have failed since: ${error.slice(0, 200)}`;
  return md`No event about ${about} since this channel subscribed to ${shownTitles(coverage.titles)}. ${poll}${trouble}`;
}

const fates: Readonly<Record<Traced['fate'], string>> = {
  posted: '✅ Posted',
  waiting: '⏳ Waiting to be posted',
  dropped: '🚫 Not posted',
};

/** Completes “Posted …”. */
const occasions: Readonly<Record<Kind | typeof queueAdded, string>> = {
  'issues:opened': 'when it was opened',
  'issues:closed': 'when it was closed',
  'issues:reopened': 'when it was reopened',
  'issues:labeled': 'when a label was added',
  'pulls:opened': 'when it was opened',
  'pulls:closed': 'when it was closed',
  'pulls:merged': 'when it was merged',
  'pulls:reopened': 'when it was reopened',
  'pulls:ready': 'when it became ready for review',
  'pulls:labeled': 'when a label was added',
  'commits:pushed': 'when commits were pushed',
  'branches:created': 'when the branch was created',
  'branches:deleted': 'when the branch was deleted',
  'tags:created': 'when the tag was created',
  'tags:deleted': 'when the tag was deleted',
  'releases:published': 'when the release was published',
  'reviews:requested': 'when a review was requested',
  'reviews:approved': 'when it was approved',
  'reviews:rejected': 'when changes were requested',
  'reviews:commented': 'when someone reviewed it',
  'reviews:dismissed': 'when a review was dismissed',
  'comments:issue': 'when someone commented',
  'comments:pull': 'when someone commented',
  'runs:failure': 'when the run failed',
  'runs:success': 'when the run succeeded',
  'runs:cancelled': 'when the run was canceled',
  'runs:skipped': 'when the run was skipped',
  'runs:waiting': 'when the run was waiting for approval',
  'runs:stuck': 'when the run was stuck',
  'repos:created': 'when the repository was created',
  'repos:renamed': 'when the repository was renamed',
  'repos:transferred': 'when the repository was transferred',
  'repos:starred': 'when someone starred it',
  'repos:watched': 'when someone watched it',
  'repos:other': 'when the repository changed',
  'mirrors:pushed': 'when the mirror got commits',
  'mirrors:created': 'when the mirror got a branch or tag',
  'mirrors:deleted': 'when the mirror lost a branch or tag',
  'inbox:review_requested': 'when a review was requested',
  'inbox:assigned': 'when it was assigned',
  'inbox:mentioned': 'when someone was mentioned',
  'inbox:replied': 'when someone replied',
  'inbox:activity': 'when it was updated',
  [queueAdded]: 'when it was added to the queue',
};

const hasOccasion = (kind: string): kind is keyof typeof occasions => Object.hasOwn(occasions, kind);

/** A reason in words rather than the filter's own: `the subscription is paused: …`. */
const isReason = (clause: string) => /^(?!commits )[a-z]+:? /.test(clause);

function explainFate(fate: Traced['fate'], clause: string): Mrkdwn {
  if (isReason(clause)) return md`: ${clause}`;
  return fate === 'dropped' ? md` (excluded by ${code(clause)})` : md` (matches ${code(clause)})`;
}

function row({ at, kind, fate, clause, title, channel: where }: Traced, { channel: here, now }: Context): Mrkdwn {
  return md`• ${join([
    clause === postedBefore
      ? md`${fates[fate]} again: another subscription in this channel already posted it`
      : md`${join([fates[fate], hasOccasion(kind) ? occasions[kind] : ''], ' ')}${explainFate(fate, clause)}`,
    title === undefined ? undefined : md`subscription ${title}`,
    where === here ? undefined : channel(where),
    md`seen ${date(at, now)}`,
  ])}`;
}

const Name = z.string().min(1).max(100);

/** What the question is about: a Slack message, or a page of the forge. */
const Subject = z.union([
  z.object({ channel: z.string().regex(/^[CGD][A-Z0-9]{1,30}$/), ts: z.string().regex(/^\d{1,12}\.\d{6}$/) }),
  z.object({ owner: Name.optional(), repo: Name.optional(), index: z.int().min(1) }),
  z.object({ page: z.string().min(1).max(600) }),
]);
type Subject = z.infer<typeof Subject>;

const messageForm = /^https?:\/\/[^/]+\/archives\/([CGD][A-Z0-9]{1,30})\/p(\d{7,18})(?:[?#].*)?$/;

/** A message link, a web address of the forge, `owner/repo#12` or `#12`. */
function subject(words: Words = {}): Needed<Subject> {
  return plainField<Subject>(words, {
    label: 'Address',
    placeholder: 'web-address|message-link',
    input: { kind: 'text', max: 600 },
    schema: Subject,
    read: (text, { webUrl }) => {
      const word = text.trim();
      const [, channel, digits] = messageForm.exec(word) ?? [];
      if (channel !== undefined && digits !== undefined)
        return { channel, ts: `${digits.slice(0, -6)}.${digits.slice(-6)}` };
      const item = readItem(word, webUrl);
      if (item) return item;
      if (word.length <= 600 && readRepository(word, webUrl)) return { page: word };
      throw new UserError(
        'Write the web address of an issue, pull request, run, release or branch, owner/repo#12, or the link of a message (Copy link).',
      );
    },
    lacksPlace: (value) => isNumberOnly(value) && property(value, 'index') !== undefined,
    show: (value) => {
      if ('ts' in value) return `https://slack.com/archives/${value.channel}/p${value.ts.replace('.', '')}`;
      if ('index' in value) return `${[value.owner, value.repo].filter(Boolean).join('/')}#${value.index}`;
      return value.page;
    },
  });
}

/** The path after owner and repository; the forge may be served from a subpath. */
function pathBelow(page: string, webUrl: string): string {
  if (!URL.canParse(page) || !URL.canParse(webUrl)) return '';
  const root = new URL(webUrl).pathname.replace(/\/+$/, '');
  return new URL(page).pathname
    .slice(root.length + 1)
    .split('/')
    .slice(2)
    .join('/')
    .replace(/\/+$/, '');
}

type MessageSubject = Extract<Subject, { ts: string }>;

type Thing = Exclude<Subject, { ts: string }>;

const place = repository();

async function repositoryOf(about: Thing, context: Context): Promise<RepositoryRef> {
  return place.resolve('page' in about ? (readRepository(about.page, context.forge.web) ?? {}) : about, context);
}

/** Only for people whose own account may see the repository, and only about the parts of it that they may read. */
async function ofThing(about: Thing, context: Context): Promise<Reason> {
  const { channel } = placeOf(context);
  const ref = await repositoryOf(about, context);
  const repository = await lookUp({ owner: ref.owner, name: ref.repo }, context.api);
  if (!repository) throw new UserError(`I can’t find ${fullName(ref)}, or you don’t have access to it.`);
  const root = repository.html_url.replace(/\/+$/, '');
  const index = 'index' in about ? about.index : undefined;
  const path = 'page' in about ? pathBelow(about.page, context.forge.web) : '';
  const [, run] = /^actions\/runs\/(\d{1,15})/.exec(path) ?? [];
  const addresses =
    index === undefined
      ? [run === undefined ? [root, path].filter(Boolean).join('/') : `${root}/actions/runs/${run}`]
      : [`${root}/issues/${index}`, `${root}/pulls/${index}`];
  const reads = unitReader(repository, context.api);
  const [all, where, card] = await Promise.all([
    traceEvents(addresses, channel, context),
    coverage(repository, channel, context),
    cardLink(repository, { index, run: run === undefined ? undefined : Number(run) }, channel, context),
  ]);
  const decisions: Traced[] = [];
  for (const each of all.decisions) {
    const unit = unitOf(each.kind);
    if (await reads(unit ? [unit] : [])) decisions.push(each);
  }
  const trace = { ...all, decisions };
  const subject =
    index === undefined ? [repository.full_name, path].filter(Boolean).join(' ') : `${repository.full_name}#${index}`;
  return { subject, url: addresses[0], ...trace, coverage: where, repository: repository.full_name, card };
}

/** Which decisions this person's own account may see: by repository, and by the part of it they are about. */
function sightOf(context: Context): (address: string, kind: string) => Promise<boolean> {
  const known = new Map<string, Promise<ReturnType<typeof unitReader> | undefined>>();
  const readerOf = async ({ owner, repo }: RepositoryRef) => {
    const repository = await unlessUnseen(lookUp({ owner, name: repo }, context.api));
    return repository && unitReader(repository, context.api);
  };
  return async (address, kind) => {
    const { owner, repo } = readRepository(address, context.forge.web) ?? {};
    if (owner === undefined || repo === undefined) return false;
    const key = fullName({ owner, repo });
    const asked = known.get(key) ?? readerOf({ owner, repo });
    known.set(key, asked);
    const unit = unitOf(kind);
    return (await (await asked)?.(unit ? [unit] : [])) ?? false;
  };
}

/** A message is explained in its own channel, or anywhere if that channel is public. */
async function ofMessage({ channel, ts }: MessageSubject, context: Context): Promise<Reason> {
  const { store, slack, person } = context;
  const open = channel === placeOf(context).channel || (await slack.channel(channel, person.user))?.kind === 'public';
  if (!open) throw new UserError('Run this in the channel with the message.');
  const posted = await store.decisions.ofMessage({ team: person.team, channel }, ts);
  if (posted.length === 0)
    throw new UserError('No record of that message: it shows no event, or is older than 14 days.');
  const events = new Set(posted.map(({ event }) => event));
  const sees = sightOf(context);
  const decisions: Traced[] = [];
  let hidden = false;
  for (const address of new Set(posted.map((each) => each.address))) {
    const trace = await traceEvents([address], channel, context);
    for (const each of trace.decisions) {
      if (each.channel !== channel || !events.has(each.event)) continue;
      if (await sees(address, each.kind)) decisions.push(each);
      else hidden = true;
    }
  }
  if (hidden && decisions.length === 0)
    throw new UserError('You can’t see what that message is about with your forge account.');
  const shown = hidden ? new Set(decisions.map(({ event }) => event)).size : posted.length;
  return { subject: 'That message', url: undefined, decisions, elsewhere: 0, events: shown };
}

const planWhy = async ({ about }: { readonly about: Subject }, context: Context) =>
  'ts' in about ? [] : [request('repos.get', await repositoryOf(about, context))];

const explainUpdate = ({ about }: { readonly about: Subject }, context: Context) =>
  'ts' in about ? ofMessage(about, context) : ofThing(about, context);

export const why = command({
  name: 'why',
  title: 'Explain update',
  summary: 'Explain why something was or was not posted here',
  examples: ['why acme/engine#12', 'why https://bellows.slack.com/archives/C012AB3CD/p1700000000000100'],
  fields: { about: subject() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [
    'repos.get',
    'repos.search',
    'issues.list',
    'pulls.list',
    'repos.listBranches',
    'repos.listReleases',
    'runs.list',
  ],
  plan: planWhy,
  run: explainUpdate,
  reply: (reason, _args, context) => reasonReply(reason, context),
});
