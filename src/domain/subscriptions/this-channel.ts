import type { ChannelFacts, Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { exposure } from '../../feed/exposure.js';
import { isHidden } from '../../forge/index.js';
import type { Place } from '../../store/index.js';
import { some } from '../../view/look.js';
import type { Found } from './find-target.js';
import { titleOf } from './titles.js';

export interface Here {
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
export function showable(found: Found, { facts }: Here, policy: Context['exposure']): Showable {
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
    const shown = facts && showable(found, { place, facts }, context.exposure);
    return shown && 'found' in shown ? shown : { found };
  };
}

function leftOut(title: string, left: readonly string[]): string {
  const they = left.length === 1 ? 'it is' : 'they are';
  return `${title} leaves out ${some(left).plain}: ${they} private and everyone can read this channel.`;
}
