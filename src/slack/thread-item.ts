import { z } from 'zod';
import type { Place, Store } from '../store/index.js';

const About = z.looseObject({ event: z.looseObject({ item: z.looseObject({ url: z.url().max(2_000) }) }) });

/** The address of the issue, pull request or run whose card opens this thread; its record names the message it stands for. */
export async function itemOfThread({ threads }: Store, place: Place, ts: string): Promise<string | undefined> {
  const item = await threads.itemOf(place, ts);
  const card = item === undefined ? undefined : await threads.get(place, item);
  return card?.ts === ts ? About.safeParse(card.about).data?.event.item.url : undefined;
}
