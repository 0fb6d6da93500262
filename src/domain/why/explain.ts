import type { Context } from '../../chat/context.js';
import { fullName, type RepositoryRef, readRepository } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { unitOf } from '../../feed/event.js';
import { unlessUnseen } from '../../forge/possible.js';
import { lookUp, unitReader } from '../repositories/lookup.js';
import { placeOf } from '../subscriptions/this-channel.js';
import type { Reason } from './reason-reply.js';
import type { Subject } from './subject.js';
import { cardLink, coverage, type Traced, traced } from './trace.js';

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

type Message = Extract<Subject, { ts: string }>;

type Thing = Exclude<Subject, { ts: string }>;

async function repositoryOf(about: Thing, context: Context): Promise<RepositoryRef> {
  const { owner, repo } = 'page' in about ? (readRepository(about.page, context.forge.web) ?? {}) : about;
  if (owner !== undefined && repo !== undefined) return { owner, repo };
  const preset = await context.store.channels.defaultRepository(placeOf(context));
  if (!preset)
    throw new UserError(
      'Which repository? Write owner/repo#12, or set this channel’s default: /forge repo use owner/repo.',
    );
  return { owner: owner ?? preset.owner, repo: repo ?? preset.name };
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
    traced(addresses, channel, context),
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
async function ofMessage({ channel, ts }: Message, context: Context): Promise<Reason> {
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
    const trace = await traced([address], channel, context);
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

export const planWhy = async ({ about }: { readonly about: Subject }, context: Context) =>
  'ts' in about ? [] : [request('repos.get', await repositoryOf(about, context))];

export const explainUpdate = ({ about }: { readonly about: Subject }, context: Context) =>
  'ts' in about ? ofMessage(about, context) : ofThing(about, context);
