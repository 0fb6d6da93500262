import type { ChannelFacts, Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { exposure } from '../../feed/exposure.js';
import type { Place } from '../../store/index.js';
import type { Found } from './find.js';

export interface Here {
  readonly place: Place;
  readonly facts: ChannelFacts;
}

/** The channel the command was typed in. */
export function placeOf({ person, channel }: Context): Place {
  if (channel === undefined) throw new UserError('Type this in the channel it is meant for.');
  return { team: person.team, channel };
}

const invite = 'Type /invite @Bellows here, then try again.';

/** The channel as Slack describes it; refused where nothing could be posted. */
export async function here(context: Context): Promise<Here> {
  const place = placeOf(context);
  const facts = await factsOf(context, place);
  if (!facts) throw new UserError(`Bellows cannot see this channel. ${invite}`);
  if (facts.archived) throw new UserError('This channel is archived. Use another one, or unarchive it first.');
  if (!facts.member) throw new UserError(`Bellows is not in this channel and could not post here. ${invite}`);
  return { place, facts };
}

/** What was known a minute ago may be older than the invitation. */
async function factsOf({ slack, store }: Context, place: Place): Promise<ChannelFacts | undefined> {
  const known = await slack.channel(place.channel);
  if (known?.member && !known.archived) return known;
  await store.channels.forgetFacts(place);
  return slack.channel(place.channel);
}

/** The words of the refusal where these repositories must not be shown here. */
export function refusal(
  { target, name, repositories }: Found,
  { facts }: Here,
  policy: Context['exposure'],
): string | undefined {
  const hidden = repositories.filter((each) => each.private || each.internal);
  const verdict = exposure({ private: hidden.length > 0 }, facts, policy);
  if (verdict.allowed) return undefined;
  if (verdict.reason !== 'private-in-public' || target.kind !== 'owner') return `${name}: ${verdict.words}`;
  const names = hidden.slice(0, 3).map((each) => each.name);
  const more = hidden.length > names.length ? ` and ${hidden.length - names.length} more` : '';
  return `${name}/${target.pattern}: ${names.join(', ')}${more} ${hidden.length === 1 ? 'is' : 'are'} private and everyone can read this channel. Name the public repositories one by one, use a private channel, or let an admin allow it with exposure.privateToPublic.`;
}
