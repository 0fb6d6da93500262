import { SlackError } from './slack-error.js';
import { trim } from './trim.js';

const lifeMs = 30 * 60_000;
const uses = 5;
const kept = 5000;

/** Who an answer reaches, and where. */
export interface Answered {
  channel: string;
  user: string;
  threadTs: string | undefined;
  /** The message whose control was used: only that can be replaced or deleted; a slash command has none. */
  original: { ts: string; onlyFor: string | undefined } | undefined;
}

type Origin = Pick<Answered, 'channel' | 'user'> & Partial<Answered>;

/** Addresses through which an app answers one interaction: five times within half an hour. */
export class ResponseUrls {
  readonly #urls = new Map<string, Answered & { at: number; left: number }>();
  readonly #base: string;
  readonly #now: () => number;
  readonly #secret: () => string;

  constructor(base: string, now: () => number, secret: () => string) {
    this.#base = base;
    this.#now = now;
    this.#secret = secret;
  }

  issue(door: 'commands' | 'actions', origin: Origin): string {
    const path = `/${door}/${this.#secret()}`;
    this.#urls.set(path, { threadTs: undefined, original: undefined, ...origin, at: this.#now(), left: uses });
    trim(this.#urls, kept);
    return this.#base + path;
  }

  knows(path: string): boolean {
    return this.#urls.has(path);
  }

  /** A refused answer does not count as a use. */
  use(path: string, answer: (to: Answered) => unknown): void {
    const url = this.#urls.get(path);
    if (url === undefined) throw new SlackError('invalid_url');
    if (this.#now() - url.at > lifeMs) throw new SlackError('expired_url');
    if (url.left === 0) throw new SlackError('used_url');
    answer(url);
    url.left -= 1;
  }
}
