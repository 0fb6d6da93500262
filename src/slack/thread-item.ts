import { z } from 'zod';
import { among, withRepoIds } from '../chat/repo-ids.js';
import { Filter, settingOf } from '../feed/filter.js';
import { matches } from '../feed/glob.js';
import { SourceAbout, sourceKey } from '../feed/sources/source.js';
import { splitFullName } from '../full-name.js';
import type { Place, Store } from '../store/index.js';

const Repo = z.object({ id: z.int(), fullName: z.string().max(300), hidden: z.boolean().default(true) });
const About = z.looseObject({
  event: z.looseObject({ item: z.looseObject({ url: z.url().max(2_000) }), repo: Repo.optional().catch(undefined) }),
});

interface ThreadItem {
  /** The item's key in the store. */
  readonly item: string;
  readonly url: string;
  readonly repo: z.infer<typeof Repo> | undefined;
}

type SyncedItem = ThreadItem & { readonly repo: z.infer<typeof Repo> };

/** What this thread's card is about; its record names its message. */
export async function itemOfThread({ threads }: Store, place: Place, ts: string): Promise<ThreadItem | undefined> {
  const item = await threads.itemOf(place, ts);
  const card = item === undefined ? undefined : await threads.get(place, item);
  const about = card?.ts === ts ? About.safeParse(card.about).data : undefined;
  return item === undefined || !about ? undefined : { item, url: about.event.item.url, repo: about.event.repo };
}

/** The values with the id of the repository that the thread's card is about. */
export const boundToThread = (values: Readonly<Record<string, unknown>>, { repo }: ThreadItem) =>
  withRepoIds(values, among(repo ? [{ ...splitFullName(repo.fullName), repoId: repo.id }] : []));

/** The same, if a subscription of this channel turns replies into comments. */
export async function syncedItem(store: Store, place: Place, ts: string): Promise<SyncedItem | undefined> {
  const card = await itemOfThread(store, place, ts);
  if (!card?.repo) return undefined;
  const found = { ...card, repo: card.repo };
  const { id, fullName } = card.repo;
  const { repo: name } = splitFullName(fullName);
  for (const { target, filter, paused } of await store.subscriptions.inChannel(place)) {
    const wanted = Filter.safeParse(filter).data;
    if (paused || !wanted || settingOf(wanted, 'thread') !== 'sync') continue;
    if (target.kind === 'repo' && target.id === id) return found;
    if (target.kind === 'owner' && matches(target.pattern, name) && (await ownerOf(store, id)) === target.id)
      return found;
  }
  return undefined;
}

/** By the signed id in the repository's polling record: names in the store are for display only. */
async function ownerOf({ sources }: Store, id: number): Promise<number | undefined> {
  const state = await sources.get(sourceKey({ kind: 'repo', id }));
  return SourceAbout.safeParse(state?.about).data?.ownerId;
}
