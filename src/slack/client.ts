import { ErrorCode, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { fetch } from 'undici';
import type { Config } from '../config.js';
import { platformError } from './platform-error.js';

/** `ok`, Slack's error code, or what happened to the connection. */
export type OnCall = (method: string, result: string) => void;

// This library already serves the forge client; Node's own copy would cost ten more megabytes. Same shape, other names.
const sameFetch = fetch as unknown as NonNullable<WebClientOptions['fetch']>;

/** A fresh object each time: Bolt modifies the options it is given. */
export function clientOptions(slack: Config['slack']) {
  return {
    fetch: sameFetch,
    ...(slack.apiUrl === undefined ? {} : { slackApiUrl: slack.apiUrl }),
    allowAbsoluteUrls: false,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    timeout: 10_000,
  };
}

/** Reports each call's result; never retries. */
export function createClient(slack: Config['slack'], onCall: OnCall = () => {}): WebClient {
  return new CountedClient(slack, onCall);
}

// Every failure is thrown and logged by our own caller; the library would log it a second time.
const silent: NonNullable<WebClientOptions['logger']> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

class CountedClient extends WebClient {
  readonly #onCall: OnCall;

  constructor(slack: Config['slack'], onCall: OnCall) {
    super(slack.botToken, { ...clientOptions(slack), logger: silent });
    this.#onCall = onCall;
  }

  override async apiCall(...call: Parameters<WebClient['apiCall']>) {
    try {
      const answer = await super.apiCall(...call);
      this.#onCall(call[0], 'ok');
      return answer;
    } catch (error) {
      this.#onCall(call[0], resultOf(error));
      throw error;
    }
  }
}

const results = new Map<unknown, string>([
  [ErrorCode.RateLimitedError, 'ratelimited'],
  [ErrorCode.HTTPError, 'http_error'],
  [ErrorCode.RequestError, 'no_answer'],
]);

function resultOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return platformError(error) ?? results.get(code) ?? 'failed';
}
