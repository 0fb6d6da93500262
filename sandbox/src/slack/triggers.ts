import { SlackError } from './slack-error.js';
import { trim } from './trim.js';

const kept = 2000;

interface Trigger {
  user: string;
  at: number;
  fromView: boolean;
  used: boolean;
}

/** What an interaction provides for opening a form: once, and soon. */
export class Triggers {
  readonly #triggers = new Map<string, Trigger>();
  readonly #now: () => number;
  readonly #lifeMs: number;
  readonly #secret: () => string;

  constructor(now: () => number, lifeMs: number, secret: () => string) {
    this.#now = now;
    this.#lifeMs = lifeMs;
    this.#secret = secret;
  }

  issue(user: string, fromView = false): string {
    const at = this.#now();
    const id = `${Math.floor(at)}.${this.#triggers.size + 1}.${this.#secret()}`;
    this.#triggers.set(id, { user, at, fromView, used: false });
    trim(this.#triggers, kept);
    return id;
  }

  exchange(id: string): { user: string; fromView: boolean } {
    const trigger = this.#triggers.get(id);
    if (trigger === undefined) throw new SlackError('invalid_trigger_id');
    if (trigger.used) throw new SlackError('exchanged_trigger_id');
    if (this.#now() - trigger.at > this.#lifeMs) throw new SlackError('expired_trigger_id');
    trigger.used = true;
    return trigger;
  }
}
