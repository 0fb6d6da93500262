import { z } from 'zod';
import type { Context } from '../../chat/context.js';
import { type Needed, plainField, type Words } from '../../chat/fields.js';
import { readDuration } from '../../duration.js';
import { UserError } from '../../errors.js';
import type { Place, Store, Subscription } from '../../store/index.js';
import { meantBy } from '../subscriptions/preview.js';
import { allIn, find, placeOf, readTarget, showTarget } from '../subscriptions/target.js';

const channelForm = /^(?:<#([CGD][A-Z0-9]+)(?:\|[^<>]*)?>|channel|here|this)$/i;

/** A repository, or `channel` for the whole channel it is typed in. */
export function mutable(words: Words = {}): Needed<string> {
  return plainField<string>(words, {
    label: 'What',
    placeholder: 'owner/repo|channel',
    input: { kind: 'external', source: 'repositories' },
    schema: z.string().min(1).max(210),
    read: (text, { webUrl }) => {
      const word = text.trim();
      const [whole, channel] = channelForm.exec(word) ?? [];
      if (whole !== undefined) return channel === undefined ? 'channel' : `<#${channel}>`;
      const target = readDuration(word) === undefined ? readTarget(word, webUrl) : undefined;
      if (target?.kind !== 'repo')
        throw new UserError('Write owner/repo to mute one repository, or channel to mute all updates here.');
      return showTarget(target);
    },
    show: (value) => value,
  });
}

interface Repository {
  readonly id: number;
  readonly name: string;
  /** Absent: the channel subscribes to the repository itself. */
  readonly owner?: number | undefined;
}

interface Muted {
  /** Absent: the whole channel. */
  readonly repository?: Repository;
  readonly places: readonly Place[];
}

/** What the words mean here; a repository by id, so that renaming changes nothing. */
export async function mutedOf(what: string | undefined, everywhere: boolean, context: Context): Promise<Muted> {
  const place = placeOf(context);
  const [, other] = channelForm.exec(what ?? 'channel') ?? [];
  if (other !== undefined && other !== place.channel) throw new UserError('Run this in the channel you want to mute.');
  const written = what === undefined ? undefined : readTarget(what);
  if (written?.kind !== 'repo') {
    if (everywhere) throw new UserError('Which repository? Write owner/repo.');
    return { places: [place] };
  }
  const [known] = await meantBy(showTarget(written), await allIn(place, context.store), context);
  if (known && !everywhere) return { repository: { id: known.sub.target.id, name: known.title }, places: [place] };
  const { name, repositories } = await find(written, context);
  const [found] = repositories;
  if (!found) throw new UserError(`I can’t find the repository ${what}.`);
  const repository = { id: found.id, name, owner: found.owner?.id };
  if (!everywhere) return { repository, places: [place] };
  const all = await context.store.subscriptions.candidates(found.id, found.owner?.id ?? 0);
  const places = new Map(all.map((sub) => [`${sub.place.team}/${sub.place.channel}`, sub.place]));
  return { repository, places: [...places.values()] };
}

/** A mute that silences nothing is a mistake; personal messages may be about any repository. */
export async function refuseUnsubscribed({ id, name, owner }: Repository, context: Context): Promise<void> {
  const place = placeOf(context);
  if (owner === undefined || place.channel.startsWith('D')) return;
  const here = await context.store.subscriptions.inChannel(place);
  const posts = ({ target }: Subscription) =>
    target.kind === 'user' || target.id === (target.kind === 'repo' ? id : owner);
  if (!here.some(posts)) throw new UserError(`This channel is not subscribed to ${name}, so there is nothing to mute.`);
}

export async function isMuted({ outbox }: Store, place: Place, repository?: number): Promise<boolean> {
  const pause = await outbox.paused({ ...place, lane: repository });
  return pause?.until !== undefined;
}
