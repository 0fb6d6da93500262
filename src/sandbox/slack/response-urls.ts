import { Args } from './args.js';
import { isBlank, readContent } from './content.js';
import type { Core } from './core.js';
import { copy, type Obj } from './json.js';
import type { Message } from './model.js';
import { SlackError } from './slack-error.js';
import { trim } from './trim.js';

const lifeMs = 30 * 60_000;
const uses = 5;
const kept = 5000;

interface ResponseUrl {
  channel: string;
  user: string;
  threadTs: string | undefined;
  /** The message whose control was used; only that one can be replaced or deleted. */
  original: { ts: string; onlyFor: string | undefined } | undefined;
  at: number;
  left: number;
}

type Answered = Omit<ResponseUrl, 'at' | 'left'>;

type Origin = Pick<ResponseUrl, 'channel' | 'user'> & Partial<Answered>;

/** Addresses through which an app answers one interaction: five times within half an hour. */
export class ResponseUrls {
  readonly #urls = new Map<string, ResponseUrl>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(core: Core, door: 'commands' | 'actions', origin: Origin): string {
    const path = `/${door}/${core.space.team.id}/${core.ids.secret()}`;
    this.#urls.set(path, { threadTs: undefined, original: undefined, ...origin, at: this.#now(), left: uses });
    trim(this.#urls, kept);
    return `${core.url}${path}`;
  }

  knows(path: string): boolean {
    return this.#urls.has(path);
  }

  use(core: Core, path: string, body: Obj): Obj {
    const url = this.#urls.get(path);
    if (url === undefined) throw new SlackError('invalid_url');
    if (this.#now() - url.at > lifeMs) throw new SlackError('expired_url');
    if (url.left === 0) throw new SlackError('used_url');
    answer(core, url, copy(body));
    url.left -= 1;
    return { ok: true };
  }
}

function originalOf(core: Core, { channel, original }: Answered): Message {
  const { timeline } = core.space;
  const found =
    original?.onlyFor === undefined
      ? timeline.find(channel, original?.ts ?? '')
      : timeline.findOnlyFor(original.onlyFor, original.ts);
  if (found === undefined) throw new SlackError('message_not_found');
  return found;
}

/** Also how the body of an acknowledgement is shown. */
export function answer(core: Core, url: Answered, body: Obj): void {
  const args = new Args(body);
  const { timeline, bot } = core.space;
  if (args.flag('delete_original')) {
    timeline.remove(originalOf(core, url));
    return;
  }
  const { blocks, ...content } = readContent(core, args, 'response_url');
  if (isBlank({ blocks, ...content })) throw new SlackError('no_text');
  const attachments = content.attachments ?? [];
  if (args.flag('replace_original')) {
    const edited = core.ids.ts(core.now());
    timeline.change(originalOf(core, url), { text: content.text, blocks: blocks ?? [], attachments, edited });
    return;
  }
  timeline.add({
    channel: url.channel,
    user: bot.id,
    byBot: true,
    text: content.text,
    blocks: blocks ?? [],
    attachments,
    metadata: content.metadata,
    threadTs: args.text('thread_ts') ?? url.threadTs,
    onlyFor: args.text('response_type') === 'in_channel' ? undefined : url.user,
  });
}
