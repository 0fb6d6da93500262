export interface RateOptions {
  /** Calls per minute for single methods, instead of their tier. */
  perMinute?: Readonly<Record<string, number>>;
  postsPerSecond?: number;
  postBurst?: number;
}

const tiers = { one: 1, two: 20, three: 50, four: 100, special: 300 } as const;

export type Tier = keyof typeof tiers;

const minute = 60_000;

/** Slack's rate limits: a minute's allowance per method, and about one post a second per channel. */
export class Rate {
  readonly #options: RateOptions | undefined;
  readonly #now: () => number;
  readonly #recent = new Map<string, number[]>();
  readonly #posts = new Map<string, { tokens: number; at: number }>();

  constructor(limits: boolean | RateOptions, now: () => number) {
    this.#options = limits === true ? {} : limits === false ? undefined : limits;
    this.#now = now;
  }

  /** Seconds to wait before the next attempt, or undefined if the call may pass. */
  take(method: string, tier: Tier, channel: string | undefined): number | undefined {
    if (this.#options === undefined) return undefined;
    const now = this.#now();
    const max = this.#options.perMinute?.[method] ?? tiers[tier];
    const recent = (this.#recent.get(method) ?? []).filter((at) => at > now - minute);
    this.#recent.set(method, recent);
    const oldest = recent[0];
    if (recent.length >= max && oldest !== undefined) return Math.max(1, Math.ceil((oldest + minute - now) / 1000));
    const wait = method === 'chat.postMessage' && channel !== undefined ? this.#post(channel, now) : undefined;
    if (wait === undefined) recent.push(now);
    return wait;
  }

  #post(channel: string, now: number): number | undefined {
    const { postsPerSecond = 1, postBurst = 3 } = this.#options ?? {};
    const last = this.#posts.get(channel) ?? { tokens: postBurst, at: now };
    const tokens = Math.min(postBurst, last.tokens + ((now - last.at) / 1000) * postsPerSecond);
    if (tokens < 1) {
      this.#posts.set(channel, { tokens, at: now });
      return Math.max(1, Math.ceil((1 - tokens) / postsPerSecond));
    }
    this.#posts.set(channel, { tokens: tokens - 1, at: now });
    return undefined;
  }
}
