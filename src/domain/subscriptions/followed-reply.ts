import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { Filter } from '../../feed/filter.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message } from '../../view/message.js';
import { code, join, md, mention } from '../../view/text.js';
import { featureNames } from './announce.js';
import { filterWords } from './filters.js';
import { mostOfOwner } from './find-target.js';
import { linked, type Named } from './titles.js';

/** The channel's default repository, if it has one. */
type Own = { readonly id: number; readonly owner: string; readonly name: string } | undefined;

export interface Followed extends Named {
  readonly filter: Filter;
  /** How many repositories it currently includes. */
  readonly count: number;
}

/** This channel's subscriptions. */
export function followedReply(
  { all, but, own }: { readonly all: readonly Followed[]; readonly but: readonly string[]; readonly own?: Own },
  { forge, person }: Context,
): Message {
  const titles = join(
    all.map((each) => linked(each, forge.web)),
    ', ',
  );
  const [only] = all;
  const same = new Set(all.map(({ filter }) => filterWords(filter))).size === 1;
  const words = only && same ? md`: ${featureNames(only.filter)}` : md``;
  const details = same ? [] : all.map((each) => [each.title, featureNames(each.filter)] as const);
  const owned = all.find(({ sub }) => sub.owner !== person.user);
  const single = all.length === 1 ? only : undefined;
  return message({
    blocks: doneCard({
      says: md`Subscribed this channel to ${titles}${words}`,
      but,
      details,
      facts: [
        ...all.filter(({ sub }) => sub.target.kind === 'owner').map((each) => md`${each.title}: ${reach(each.count)}`),
        owned ? md`owned by ${mention(owned.sub.owner)}` : undefined,
        own && single?.sub.target.id === own.id ? md`${code('#12')} here means ${own.owner}/${own.name}#12` : undefined,
      ],
      buttons: single
        ? [
            formButton({ text: 'Edit', command: 'subscribe edit', args: { subscription: single.title } }),
            runButton({
              text: 'Preview',
              command: 'subscribe',
              args: { repositories: [single.title], preview: true },
            }),
            runButton({ text: 'Unsubscribe', command: 'unsubscribe', args: { repositories: [single.title] } }),
          ]
        : [runButton({ text: 'Show all', command: 'subscribe list' })],
    }),
  });
}

function reach(now: number): string {
  if (now === 0) return 'no repositories match yet; new ones are added automatically';
  if (now >= mostOfOwner) return `${now} repositories, the most that one subscription covers`;
  return `${now === 1 ? '1 repository' : `${now} repositories`}; new ones are added automatically`;
}
