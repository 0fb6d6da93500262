import type { Core } from './core.js';
import type { HttpRoad } from './delivery/http.js';
import type { Forgery } from './delivery/road.js';
import type { SocketRoad } from './delivery/socket.js';
import { emit } from './events.js';
import type { Faults } from './faults.js';
import { Happenings } from './happenings.js';
import type { Obj } from './json.js';
import type { Log } from './log.js';
import type { Change } from './model.js';
import { Actor } from './people/actor.js';
import type { Ack, Calls, Delivery, EnvelopeType, Failures } from './records.js';
import type { Workspace } from './workspace.js';

interface Parts {
  appToken: string;
  signingSecret: string;
  socket: SocketRoad;
  http: HttpRoad;
  deliveries: Log<Delivery>;
  close: () => Promise<void>;
}

/** What tests and the sandbox's web page use. */
export class SandboxSlack {
  /** For SLACK_API_URL and clientOptions.slackApiUrl. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly botUserId: string;
  readonly state: Workspace;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly failures: Failures;
  readonly deliveries: Log<Delivery>;
  readonly socket: Pick<SocketRoad, 'connections' | 'disconnect' | 'drop'>;
  /** Changes of channels and people; each notifies the app by its event. */
  readonly happens: Happenings;
  readonly #core: Core;
  readonly #http: HttpRoad;
  readonly #stop: () => Promise<void>;
  readonly #actors = new Map<string, Actor>();

  constructor(core: Core, parts: Parts) {
    this.#core = core;
    this.#http = parts.http;
    this.#stop = async () => {
      await Promise.all([core.courier.close(), parts.socket.close(), parts.http.close()]);
      await parts.close();
      core.changes.close();
    };
    this.apiUrl = `${core.url}/api/`;
    this.botToken = core.app.botToken;
    this.appToken = parts.appToken;
    this.signingSecret = parts.signingSecret;
    this.teamId = core.space.team.id;
    this.botUserId = core.space.bot.id;
    this.state = core.space;
    this.faults = core.faults;
    this.calls = core.calls;
    this.failures = core.failures;
    this.deliveries = parts.deliveries;
    this.socket = parts.socket;
    this.happens = new Happenings(core);
  }

  /** A person, by id or name. */
  as(user: string): Actor {
    const found = this.#core.space.user(user);
    const actor = this.#actors.get(found.id) ?? new Actor(this.#core, found);
    this.#actors.set(found.id, actor);
    return actor;
  }

  /** HTTP mode: where deliveries go from now on; false if the address does not answer the challenge. */
  deliverTo(requestUrl: string): Promise<boolean> {
    this.#http.requestUrl = requestUrl;
    return this.#http.verify();
  }

  emit(event: Obj): Promise<Ack> {
    return emit(this.#core, event);
  }

  /** The same delivery once more, as after a lost acknowledgement. */
  redeliver(delivery: Delivery): Promise<Ack> {
    return this.#core.courier.again(delivery);
  }

  /** Sends what Slack would not: wrong signatures, old timestamps, made-up payloads. */
  forge(type: EnvelopeType, payload: Obj, forgery: Forgery = {}): Promise<Ack> {
    return this.#core.courier.forge(type, payload, forgery);
  }

  /** A code as from the consent page, for oauth.v2.access. */
  grantCode(): string {
    const code = this.#core.ids.secret();
    this.#core.oauthCodes.set(code, false);
    return code;
  }

  /** Where an app answers, as it comes with a slash command. */
  responseUrl(channel: string, user: string): string {
    return this.#core.responseUrls.issue('commands', { channel, user });
  }

  revokeToken(token = this.botToken): void {
    this.#core.tokens.revoke(token);
  }

  onChange(listener: (change: Change) => void): () => void {
    return this.#core.changes.listen(listener);
  }

  /** Waits for a condition by listening, not by polling. */
  until<T>(predicate: (slack: this) => T | undefined | false | null, timeoutMs = 120_000): Promise<T> {
    return this.#core.changes.until(() => predicate(this), timeoutMs, predicate.toString());
  }

  close(): Promise<void> {
    return this.#stop();
  }
}
