import type { Changes } from './changes.js';
import type { Ids } from './ids.js';
import type { Message } from './model.js';
import { stamp } from './stamp.js';
import { trim } from './trim.js';

const kept = 10_000;

export type Draft = Pick<Message, 'channel' | 'user' | 'text'> & Partial<Message>;

/** Every message of every channel, including those only one person sees. */
export class Timeline {
  readonly #channels = new Map<string, Map<string, Message>>();
  readonly #private = new Map<string, Map<string, Message>>();
  readonly #threads = new Map<string, string[]>();
  readonly #ids: Ids;
  readonly #changes: Changes;
  readonly #now: () => number;

  constructor(ids: Ids, changes: Changes, now: () => number) {
    this.#ids = ids;
    this.#changes = changes;
    this.#now = now;
  }

  add(draft: Draft): Message {
    const message: Message = {
      byBot: false,
      attachments: [],
      threadTs: undefined,
      broadcast: false,
      metadata: undefined,
      edited: undefined,
      onlyFor: undefined,
      unfurls: {},
      ...draft,
      blocks: stamp(draft.blocks ?? [], this.#ids),
      ts: this.#ids.ts(this.#now()),
    };
    if (message.threadTs !== undefined && message.onlyFor === undefined) this.#repliesTo(message).push(message.ts);
    const shelf = this.#shelf(message);
    shelf.set(message.ts, message);
    trim(shelf, kept);
    this.#tell(message);
    return message;
  }

  change(message: Message, change: Partial<Message>): Message {
    const blocks = change.blocks === undefined ? message.blocks : stamp(change.blocks, this.#ids);
    const changed = { ...message, ...change, blocks };
    this.#shelf(message).set(message.ts, changed);
    this.#tell(changed);
    return changed;
  }

  remove(message: Message): void {
    this.#shelf(message).delete(message.ts);
    this.#tell(message);
  }

  /** The times of a thread's remaining replies. */
  replies(channel: string, ts: string): string[] {
    return (this.#threads.get(`${channel} ${ts}`) ?? []).filter((reply) => this.find(channel, reply) !== undefined);
  }

  find(channel: string, ts: string): Message | undefined {
    return this.#channels.get(channel)?.get(ts);
  }

  findOnlyFor(user: string, ts: string): Message | undefined {
    return this.#private.get(user)?.get(ts);
  }

  in(channel: string): Message[] {
    return [...(this.#channels.get(channel)?.values() ?? [])];
  }

  onlyFor(user: string): Message[] {
    return [...(this.#private.get(user)?.values() ?? [])];
  }

  #repliesTo({ channel, threadTs }: Message): string[] {
    const key = `${channel} ${threadTs}`;
    const replies = this.#threads.get(key) ?? [];
    this.#threads.set(key, replies);
    trim(this.#threads, kept);
    return replies;
  }

  #shelf(message: Message): Map<string, Message> {
    const shelves = message.onlyFor === undefined ? this.#channels : this.#private;
    const key = message.onlyFor ?? message.channel;
    const shelf = shelves.get(key) ?? new Map<string, Message>();
    shelves.set(key, shelf);
    return shelf;
  }

  #tell({ channel, ts, onlyFor }: Message): void {
    this.#changes.tell({ kind: onlyFor === undefined ? 'message' : 'ephemeral', channel, ts });
  }
}
