import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { ActJob } from '../chat/act-job.js';
import type { SlackPort } from '../chat/context.js';
import type { Log } from '../log.js';
import type { Person } from '../store/index.js';
import { resultModal } from '../view/form.js';
import type { Message } from '../view/message.js';
import type { Home } from './home.js';
import { remembering } from './whereabouts.js';

export interface AnswerOptions {
  readonly client: WebClient;
  readonly slack: SlackPort;
  readonly log: Log;
  readonly home: Pick<Home, 'answer'>;
}

const timeoutMs = 10_000;

/** Answers to one person: the form or response_url while they live, then an ephemeral message, then a direct one. */
export function createAnswers({ client, slack, log, home }: AnswerOptions) {
  /** Cards of long work by the answer they belong to; only a posted message can be changed again and again. */
  const cards = new WeakMap<object, { readonly channel: string; readonly ts: string }>();

  const post = async (person: Person, message: Message) => {
    const channel = await slack.directMessage(person.user);
    const { text, blocks } = message;
    const { ts = '' } = await client.chat.postMessage({ channel, text, blocks, unfurl_links: false });
    return { channel, ts };
  };
  const tell = async (person: Person, message: Message): Promise<void> => {
    await post(person, message);
  };

  const progress = async (job: Pick<ActJob, 'person' | 'channel' | 'answer'>, message: Message) => {
    const { viewId } = job.answer;
    if (viewId && (await intoView(viewId, message, job.channel))) return;
    const card = cards.get(job.answer);
    if (card) await works('card', () => client.chat.update({ ...card, ...message }));
    else await works('card', async () => cards.set(job.answer, await post(job.person, message)));
  };

  const answer = async (job: Pick<ActJob, 'person' | 'channel' | 'answer'>, message: Message) => {
    const { viewId, home: hash, responseUrl, replace, threadTs } = job.answer;
    const card = cards.get(job.answer);
    if (card) await works('card', () => client.chat.update({ ...card, ...message }));
    if (viewId && (await intoView(viewId, message, job.channel))) return;
    if (hash !== undefined && (await works('home', () => home.answer(job.person, hash, message)))) return;
    if (responseUrl && (await byResponseUrl(responseUrl, message, replace ?? false))) return;
    if (job.channel && (await ephemeral(job.channel, job.person.user, message, threadTs))) return;
    await tell(job.person, message);
  };

  async function intoView(view: string, message: Message, channel: string | undefined): Promise<boolean> {
    return works('view', () =>
      client.views.update({
        view_id: view,
        view: resultModal({ title: 'Forge', blocks: message.blocks, ...remembering(channel) }),
      }),
    );
  }

  async function byResponseUrl(url: string, message: Message, replace: boolean): Promise<boolean> {
    return works('response_url', async () => {
      const body = JSON.stringify({ ...message, replace_original: replace, response_type: 'ephemeral' });
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`status ${response.statusCode}`);
    });
  }

  async function ephemeral(
    channel: string,
    user: string,
    message: Message,
    thread: string | undefined,
  ): Promise<boolean> {
    return works('ephemeral', () =>
      client.chat.postEphemeral({ channel, user, ...message, ...(thread === undefined ? {} : { thread_ts: thread }) }),
    );
  }

  /** The next way is tried when this one is closed; which one failed is worth a debug line only. */
  async function works(way: string, send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      log.debug({ way, reason: error instanceof Error ? error.message : 'unknown' }, 'answer goes another way');
      return false;
    }
  }

  return { answer, say: answer, progress, tell };
}
