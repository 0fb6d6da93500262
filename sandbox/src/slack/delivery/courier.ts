import { setTimeout as wait } from 'node:timers/promises';
import { asObj, asText, copy, type Obj } from '../json.js';
import type { Log } from '../log.js';
import type { Ack, Delivery, EnvelopeType, Failures } from '../records.js';
import type { Forgery, Road } from './road.js';

interface Settings {
  failures: Failures;
  deliveries: Log<Delivery>;
  eventRetryMs: readonly number[];
  onOutcome: () => void;
}

const reasons = { operation_timeout: 'http_timeout', dispatch_failed: 'connection_failed', http_error: 'http_error' };

/** Delivers everything to the app, records what was not acknowledged, and retries events like Slack. */
export class Courier {
  readonly #road: Road;
  readonly #settings: Settings;
  readonly #closing = new AbortController();

  constructor(road: Road, settings: Settings) {
    this.#road = road;
    this.#settings = settings;
  }

  deliver(type: EnvelopeType, payload: Obj, acceptsPayload = true): Promise<Ack> {
    return this.#try(type, payload, { acceptsPayload, attempt: 0, reason: '' });
  }

  /** The first attempt's outcome; retries continue in the background. */
  async event(payload: Obj): Promise<Ack> {
    const first = await this.#try('events_api', payload, { acceptsPayload: false, attempt: 0, reason: '' });
    if (shouldRetry(first)) void this.#retry(payload, first);
    return first;
  }

  /** The same delivery once more, as after a lost acknowledgement. */
  again({ type, payload, attempt }: Delivery): Promise<Ack> {
    const acceptsPayload = type !== 'events_api';
    return this.#try(type, payload, { acceptsPayload, attempt: attempt + 1, reason: 'http_timeout' });
  }

  /** A request that Slack did not send; it never counts as a missed acknowledgement. */
  forge(type: EnvelopeType, payload: Obj, forged: Forgery): Promise<Ack> {
    return this.#road.send({ type, payload, acceptsPayload: true, attempt: 0, reason: '', forged });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#road.close();
  }

  async #retry(payload: Obj, first: Ack): Promise<void> {
    let last = first;
    for (const [index, ms] of this.#settings.eventRetryMs.entries()) {
      await wait(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
      if (this.#closing.signal.aborted || last.outcome === 'acked') return;
      last = await this.#try('events_api', payload, {
        acceptsPayload: false,
        attempt: index + 1,
        reason: reasons[last.outcome],
      });
      if (!shouldRetry(last)) return;
    }
  }

  async #try(
    type: EnvelopeType,
    payload: Obj,
    how: { acceptsPayload: boolean; attempt: number; reason: string },
  ): Promise<Ack> {
    const delivery: Delivery = { type, payload: copy(payload), attempt: how.attempt, ack: undefined };
    this.#settings.deliveries.add(delivery);
    const ack = await this.#road.send({ type, payload, ...how });
    delivery.ack = ack;
    if (ack.outcome === 'operation_timeout') this.#settings.failures.note('missed_ack', named(type, payload));
    if (ack.outcome === 'http_error' && !ack.noRetry) {
      this.#settings.failures.note('missed_ack', `${named(type, payload)}: HTTP ${ack.status}`);
    }
    this.#settings.onOutcome();
    return ack;
  }
}

const shouldRetry = (ack: Ack): boolean => ack.outcome !== 'acked' && !(ack.outcome === 'http_error' && ack.noRetry);

const named = (type: EnvelopeType, payload: Obj): string =>
  [
    type,
    asText(payload['command']),
    asText(payload['text']),
    asText(payload['type']),
    asText(asObj(payload['event'])['type']),
  ]
    .filter((part) => part !== '')
    .join(' ');
