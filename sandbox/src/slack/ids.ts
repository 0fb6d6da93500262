import { randomBytes } from 'node:crypto';

/** Identifiers shaped like Slack's; unique within one sandbox. */
export class Ids {
  #count = 0;
  #lastMicro = 0;

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}0${(0x1000000 + this.#count).toString(36).toUpperCase().padStart(8, '0')}`;
  }

  secret(): string {
    return randomBytes(16).toString('hex');
  }

  /** Message times double as ids, so two in one instant still differ. */
  ts(now: number): string {
    this.#lastMicro = Math.max(Math.floor(now * 1000), this.#lastMicro + 1);
    const seconds = Math.floor(this.#lastMicro / 1_000_000);
    return `${seconds}.${String(this.#lastMicro % 1_000_000).padStart(6, '0')}`;
  }
}
