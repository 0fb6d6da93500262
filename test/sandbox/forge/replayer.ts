import type { Flavor, SandboxForge } from '@bellows/sandbox/forge';
import { bareForge, type Exchange, password, recording, type Sent, send, shapeDifference } from './replay.js';

const forgejoRun = /"workflow_runs":\[\{"id":(\d+),"title"/;
const sha = /\b[0-9a-f]{40}\b/g;
const commitPatterns = [/"commit":\{"url":"[^"]*","sha":"(\w{40})"/, /"(?:head|commit)_sha":"(\w{40})"/];

/** The numbers the two servers gave to the same thing. */
class Numbers {
  readonly #pairs = new Map<string, string>();
  /** There the number in an address is not the id. */
  readonly #isForgejo: boolean;
  readonly #shas = new Map<string, string>();
  runner: Readonly<Record<string, string>> = {};
  registration = '';

  constructor(flavor: Flavor) {
    this.#isForgejo = flavor.startsWith('forgejo');
  }

  learn(exchange: Exchange, sent: Sent): void {
    const real = JSON.stringify(exchange.answer);
    const ours = JSON.stringify(sent.answer);
    for (const pattern of [
      /threads\/(\d+)"/,
      /actions\/runs\/(\d+)"/,
      forgejoRun,
      /"runner":\{"id":"(\d+)"/,
      /"task":\{"id":"(\d+)"/,
    ]) {
      const [before, after] = [pattern.exec(real)?.[1], pattern.exec(ours)?.[1]];
      if (before !== undefined && after !== undefined) this.#pairs.set(`${pattern.source} ${before}`, after);
    }
    for (const pattern of commitPatterns) {
      const [before, after] = [pattern.exec(real)?.[1], pattern.exec(ours)?.[1]];
      if (before !== undefined && after !== undefined) this.#shas.set(before, after);
    }
    const token = /"token":"(\w+)"\}$/.exec(ours)?.[1];
    if (exchange.note.startsWith('regToken') && token !== undefined) this.registration = token;
    const [, uuid = '', secret = ''] = /"uuid":"([\w-]+)".*"token":"(\w+)"/.exec(ours) ?? [];
    if (exchange.path.endsWith('/Register')) this.runner = { 'x-runner-uuid': uuid, 'x-runner-token': secret };
  }

  path(path: string): string {
    const swap = (text: string, prefix: string, pattern: RegExp) =>
      text.replace(new RegExp(`(${prefix}/)(\\d+)`), (whole, head: string, id: string) => {
        const ours = this.#pairs.get(`${pattern.source} ${id}`);
        return ours === undefined ? whole : `${head}${ours}`;
      });
    const known = path.replace(sha, (each) => this.#shas.get(each) ?? each);
    const threads = swap(known, 'threads', /threads\/(\d+)"/);
    const runs = swap(threads, 'actions/runs', this.#isForgejo ? forgejoRun : /actions\/runs\/(\d+)"/);
    return swap(runs, 'actions/runners', /"runner":\{"id":"(\d+)"/);
  }

  body(exchange: Exchange): unknown {
    const { body, path } = exchange;
    if (path.endsWith('/Register')) return { ...Object(body), token: this.registration };
    if (body === null) return undefined;
    const known = JSON.stringify(body).replace(sha, (each) => this.#shas.get(each) ?? each);
    if (!path.endsWith('/UpdateTask')) return JSON.parse(known);
    const pattern = /"task":\{"id":"(\d+)"/;
    const text = known.replace(/"id":"(\d+)"/, (whole, id: string) => {
      const ours = this.#pairs.get(`${pattern.source} ${id}`);
      return ours === undefined ? whole : `"id":"${ours}"`;
    });
    return JSON.parse(text);
  }
}

/** What one set of recordings needs besides its exchanges. */
export interface Play {
  readonly flavor: Flavor;
  /** What the recorder did between exchanges without recording it. */
  prepare?(forge: SandboxForge, exchange: Exchange): Promise<void> | void;
  /** Headers instead of the person's password. */
  headers?(forge: SandboxForge, exchange: Exchange): Readonly<Record<string, string>> | undefined;
  /** Differences that mean nothing. */
  passes?(exchange: Exchange, difference: string): boolean;
  /** After each exchange. */
  heard?(exchange: Exchange, sent: Sent): void;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function ask(forge: SandboxForge, play: Play, exchange: Exchange, numbers: Numbers): Promise<Sent> {
  const path = numbers.path(exchange.path);
  const isOutside = /^\/(api|acme)\/|^\/swagger/.test(path);
  const method = methods.find((each) => each === exchange.method);
  if (method === undefined) throw new Error(`unknown method ${exchange.method}`);
  const body = numbers.body(exchange);
  const instead = play.headers?.(forge, exchange);
  const secret = exchange.note === 'userKey bad credential' ? 'wrong' : password;
  const person = exchange.as_user === 'runner' || instead?.['authorization'] !== undefined ? null : exchange.as_user;
  return send(isOutside ? `${forge.url}${path}` : `${forge.apiUrl}${path}`, method, {
    headers: { ...(isOutside ? numbers.runner : {}), ...instead },
    ...(person === null ? {} : { as: `${person}:${secret}` }),
    ...(body === undefined ? {} : { body }),
  });
}

function differences(exchange: Exchange, sent: Sent): string[] {
  const found: string[] = [];
  if (sent.status !== exchange.status) found.push(`status ${exchange.status} became ${sent.status}`);
  for (const name of ['content-type', 'x-total-count']) {
    const [real, ours] = [exchange.headers[name], sent.headers[name]];
    if (real !== undefined && real !== ours) found.push(`${name} ${real} became ${String(ours)}`);
  }
  const hasLink = exchange.headers['link'] !== undefined;
  if (hasLink !== (sent.headers['link'] !== undefined)) found.push(hasLink ? 'no link' : 'a link');
  // The recorder left out most of a task.
  const shape = exchange.path.endsWith('/FetchTask') ? [] : shapeDifference(exchange.answer, sent.answer);
  return [...found, ...shape];
}

/** Replays a recording; returns what differs from the real server. */
export async function replay(
  name: string,
  play: Play,
  use: (forge: SandboxForge) => Promise<void> | void = () => {},
): Promise<string[]> {
  let seconds = Math.floor(Date.now() / 1000);
  const forge = await bareForge(play.flavor, () => seconds * 1000);
  const numbers = new Numbers(play.flavor);
  const found: string[] = [];
  try {
    await use(forge);
    // What the forge itself sent to hooks is not a request to it.
    for (const exchange of recording(name).filter((each) => each.as_user !== 'forge')) {
      seconds += 1;
      await play.prepare?.(forge, exchange);
      const sent = await ask(forge, play, exchange, numbers);
      numbers.learn(exchange, sent);
      play.heard?.(exchange, sent);
      for (const line of differences(exchange, sent)) {
        if (play.passes?.(exchange, line) === true) continue;
        found.push(`${exchange.note || exchange.path} (${exchange.method}): ${line}`);
      }
    }
  } finally {
    await forge.close();
  }
  return found;
}
