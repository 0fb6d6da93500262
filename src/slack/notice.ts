import type { WebClient } from '@slack/web-api';
import type { Notice } from '../chat/approval/desk.js';
import type { Store } from '../store/index.js';

export interface NoticeOptions {
  readonly client: WebClient;
  readonly store: Store;
  readonly team: string;
}

/** A lasting card: posted once under its key, changed afterwards. One after the other for each card. */
export function createNotices({ client, store, team }: NoticeOptions) {
  const turns = new Map<string, Promise<void>>();

  async function put({ key, channel, message: { text, blocks } }: Notice): Promise<void> {
    const place = { team, channel };
    const known = await store.threads.get(place, key);
    if (known) {
      await client.chat.update({ channel, ts: known.ts, text, blocks });
      return;
    }
    const { ts } = await client.chat.postMessage({ channel, text, blocks, unfurl_links: false });
    if (ts) await store.threads.put(place, { item: key, ts });
  }

  return async (notice: Notice): Promise<void> => {
    const before = turns.get(notice.key) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => put(notice));
    turns.set(notice.key, turn);
    try {
      await turn;
    } finally {
      if (turns.get(notice.key) === turn) turns.delete(notice.key);
    }
  };
}
