import { Readable } from 'node:stream';
import { ErrorCode, type WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Address } from '../chat/act-job.js';
import { removeButton } from '../chat/actions.js';
import type { AnswerOptions, Answers } from '../chat/runtime.js';
import type { Services } from '../chat/session.js';
import { reasonOf } from '../errors.js';
import { PostError } from '../feed/ports.js';
import type { Stands } from '../store/index.js';
import { withDelete } from '../view/cards/outcome.js';
import { resultModal } from '../view/form.js';
import type { Message } from '../view/message.js';
import type { Home } from './home.js';
import { platformError, transientCodes } from './platform-error.js';
import { createPoster } from './post.js';
import { remembering } from './whereabouts.js';

/** Slack's own hosts, for all workspaces and for GovSlack. */
const slackHosts = /^(?:[a-z0-9-]+\.)*(?:slack\.com|slack-gov\.com)$/;

/** @internal Answers are only sent to Slack, or to SLACK_API_URL: any other address is refused. */
export function isSlackAddress(address: string, apiUrl: string | undefined): boolean {
  const url = readAddress(address);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:' && url.port === '' && slackHosts.test(url.hostname)) return true;
  const api = readAddress(apiUrl ?? '');
  return api !== undefined && url.origin === api.origin;
}

const readAddress = (address: string): URL | undefined => (URL.canParse(address) ? new URL(address) : undefined);

/** A slash command's address: only Bellows' own messages there can be replaced. A button's would replace its card. */
const isCommandAddress = (address: string): boolean => readAddress(address)?.pathname.startsWith('/commands/') ?? false;

const timeoutMs = 10_000;

/** Slack did not take it now; it may later. */
class Away extends Error {
  override readonly name = 'Away';
}

/** Answers at the address that came with a command or click; `left` is called once Slack has all of it, whatever happens here then. */
const byUrl = (url: string, message: Message, replace: boolean, left?: () => void): Promise<void> =>
  send(url, { ...message, replace_original: replace, response_type: 'ephemeral' }, left);

async function send(url: string, content: object, left: () => void = () => {}): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(content));
  async function* body() {
    yield bytes;
    left();
  }
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const response = await request(url, { method: 'POST', headers, body: Readable.from(body()), ...timeouts }).catch(
    (error: unknown) => {
      throw new Away(String(error));
    },
  );
  await response.body.dump();
  const { statusCode } = response;
  if (statusCode >= 500 || statusCode === 429) throw new Away(`status ${statusCode}`);
  if (statusCode >= 300) throw new Error(`status ${statusCode}`);
}

const awayCodes: ReadonlySet<unknown> = new Set([
  ErrorCode.RateLimitedError,
  ErrorCode.HTTPError,
  ErrorCode.RequestError,
]);

function isAway(error: unknown): boolean {
  if (error instanceof Away) return true;
  if (error instanceof PostError) return error.kind === 'unknown' || error.kind === 'limited';
  const said = platformError(error);
  if (said !== undefined) return transientCodes.has(said);
  return error instanceof Error && 'code' in error && awayCodes.has(error.code);
}

interface AnswersPorts {
  readonly client: WebClient;
  readonly services: Pick<Services, 'slack' | 'log' | 'now'>;
  readonly home: Pick<Home, 'answer'>;
  /** SLACK_API_URL, if set. */
  readonly apiUrl: string | undefined;
}

type Asker = Pick<Address, 'person' | 'acceptedAt'>;
interface Placing extends Pick<AnswerOptions, 'id' | 'isDoubtful'> {
  readonly thread?: string | undefined;
}

/** How long Slack accepts answers at a response_url. */
const addressLifeMs = 30 * 60_000;

/** A secret in a direct message can be deleted there. */
const staying = ({ text, blocks }: Message): Message => ({ text, blocks: withDelete(blocks, removeButton()) });

/** Answers to one person: the form or response_url while they are valid, then an ephemeral message, then a direct one. */
export function createAnswers({ client, services, home, apiUrl }: AnswersPorts) {
  const { slack, log } = services;
  const now = () => services.now().getTime();
  const poster = createPoster(client, slack);
  /** Cards of long work by their answer; only a posted message can be updated repeatedly. */
  const cards = new WeakMap<object, Stands>();

  /** Waiting lines by their answer, which must not overtake them. */
  const lines = new WeakMap<object, Promise<Stands | undefined>>();

  /** Where an earlier try may have reached Slack, its message is looked for first. */
  async function post(
    { person, acceptedAt }: Asker,
    channel: string,
    message: Message,
    how: Placing = {},
  ): Promise<Stands> {
    const { id = '', isDoubtful, thread } = how;
    const spot = { team: person.team, channel };
    const found = isDoubtful ? await poster.find(spot, { id, since: acceptedAt, thread }) : 'absent';
    const { ts } = typeof found === 'object' ? found : await poster.post(spot, { message, id, thread });
    return { channel, ts };
  }

  const postDirectly = async (to: Asker, message: Message, how?: AnswerOptions): Promise<Stands> =>
    post(to, await slack.directMessage(to.person.user), staying(message), how);

  const progress = async (job: Address, message: Message) => {
    const { viewId } = job.answer;
    if (viewId && (await works('view', () => intoView(viewId, message, job.channel)))) return;
    const card = cards.get(job.answer);
    if (card) await works('card', () => client.chat.update({ ...card, ...message }));
    else await works('card', async () => cards.set(job.answer, await postDirectly(job, message)));
  };

  const wait: Answers['wait'] = async (job, line, { first, keep }) => {
    const { answer } = job;
    const send = lineFor(job);
    if (!send) return;
    const logFailure = (error: unknown) => {
      log.debug({ reason: reasonOf(error) }, 'a waiting line was not shown');
      return undefined;
    };
    const posting = first().then(async (isFirst) => (isFirst ? await send(line) : undefined));
    const known = posting.catch(logFailure);
    lines.set(answer, known);
    const at = await known;
    if (at) await keep(at).catch(logFailure);
  };

  /** A waiting line under a written command can become the answer; after a slash command it stays. */
  function lineFor(job: Address): ((line: Message) => Promise<Stands | undefined>) | undefined {
    const { channel } = job;
    const { viewId, home: hash, responseUrl, posted, threadTs: thread } = job.answer;
    if (viewId || hash !== undefined) return undefined;
    if (posted && channel) return (line) => post(job, channel, line, { thread });
    if (!responseUrl || !isCommandAddress(responseUrl)) return undefined;
    return async (line) => {
      await byUrl(ours(responseUrl), line, false);
      return undefined;
    };
  }

  const answer: Answers['answer'] = async (to, message, how = {}) => {
    const { stands, confidential } = how;
    const line = (await lines.get(to.answer)) ?? how.line;
    const card = stands ?? cards.get(to.answer);
    const placed = card && (await works('card', () => client.chat.update({ ...card, ...staying(message) })));
    if (stands && placed) return stands;
    if (line && !confidential && (await works('line', () => client.chat.update({ ...line, ...message })))) return line;
    const at = await anew(to, message, how);
    const logKept = (error: unknown) => log.debug({ reason: reasonOf(error) }, 'a waiting line was not removed');
    if (line) await client.chat.delete(line).catch(logKept);
    return at;
  };

  async function anew(to: Address, message: Message, how: AnswerOptions): Promise<Stands | undefined> {
    const { lasting, confidential } = how;
    const { viewId, home: hash, responseUrl, replace, threadTs, posted } = to.answer;
    if (lasting) return direct(to, message, how);
    if (viewId && (await works('view', () => intoView(viewId, message, to.channel)))) return undefined;
    if (hash !== undefined && (await works('home', () => home.answer(to.person, hash, message)))) return undefined;
    const { channel } = to;
    const inPublic = posted && !confidential;
    const here = { ...how, thread: threadTs };
    if (inPublic && channel && (await works('thread', () => post(to, channel, message, here)))) return undefined;
    const lives = now() - to.acceptedAt < addressLifeMs;
    if (responseUrl && lives) {
      const send = (isReplacing: boolean) =>
        leaving(how, (left) => byUrl(ours(responseUrl), message, isReplacing, left));
      if (replace && (await works('replacing', () => send(true), how.again))) return undefined;
      if (await works('response_url', () => send(false), how.again)) return undefined;
    }
    if (channel && lives && (await ephemeral(channel, to.person.user, message, threadTs))) return undefined;
    return direct(to, message, how);
  }

  /** A process that ends before Slack's answer leaves a note that the message is out: it cannot be looked up. */
  async function leaving({ sent }: AnswerOptions, send: (left: () => void) => Promise<void>): Promise<void> {
    let noted: Promise<void> | undefined;
    const note = (isSent: boolean) =>
      sent?.(isSent).catch((error: unknown) =>
        log.debug({ reason: reasonOf(error) }, 'an answer was not noted as sent'),
      );
    try {
      await send(() => {
        noted = note(true);
      });
    } catch (error) {
      await noted;
      await note(false);
      throw error;
    }
  }

  async function direct(to: Address, message: Message, how: AnswerOptions): Promise<Stands | undefined> {
    let at: Stands | undefined;
    const delivered = await works('direct message', async () => {
      at = await postDirectly(to, message, how);
    });
    if (!delivered) log.error({ user: to.person.user }, 'could not deliver an answer: no way to reach this person');
    return at;
  }

  /** Throws for any other address, so that the next way is tried. */
  const ours = (url: string): string => {
    if (isSlackAddress(url, apiUrl)) return url;
    log.error(
      { host: URL.canParse(url) ? new URL(url).host : '' },
      'refused to answer at an address that is not Slack’s',
    );
    throw new Error('not an address of Slack');
  };

  const intoView = (view: string, message: Message, channel: string | undefined) =>
    client.views.update({
      view_id: view,
      view: resultModal({ title: 'Forge', blocks: message.blocks, ...remembering(channel) }),
    });

  const ephemeral = (channel: string, user: string, message: Message, thread: string | undefined) =>
    works('ephemeral', () =>
      client.chat.postEphemeral({ channel, user, ...message, ...(thread === undefined ? {} : { thread_ts: thread }) }),
    );

  /** False if this way is closed, so that the next one is tried; throws if Slack is down, unless only this way fails. */
  async function works(way: string, send: () => Promise<unknown>, isAlone = false): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      if (isAway(error) && !isAlone) throw new Away(`${way}: ${reason}`);
      log.debug({ way, reason }, 'answer goes another way');
      return false;
    }
  }

  return {
    answer,
    wait,
    progress: (job: Address, message: Message) =>
      progress(job, message).catch((error: unknown) =>
        log.debug({ reason: reasonOf(error) }, 'progress was not shown'),
      ),
    say: async (to: Omit<Address, 'acceptedAt'>, message: Message): Promise<void> => {
      await answer({ ...to, acceptedAt: now() }, message);
    },
  };
}
