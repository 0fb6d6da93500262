import { LRUCache } from 'lru-cache';
import { type AnswerTo, replyJobId } from '../../chat/act-job.js';
import { commandJob } from '../../chat/command-job.js';
import { explain } from '../../chat/explain.js';
import { readItem } from '../../chat/references.js';
import { unwrap } from '../../chat/slack-text.js';
import { answerFor, isWrittenSince, question, readersOf, withAnswer } from '../../features/threads/consent.js';
import { splitFullName } from '../../full-name.js';
import { growTo } from '../../memory.js';
import type { Person } from '../../store/index.js';
import { personOf, refusalOf } from '../door-deps.js';
import { boundToThread, syncedItem } from '../thread-item.js';
import { byPerson, type Changed, type WrittenOptions } from './written.js';

/** How long edits and deletions are followed. */
const followMs = 5 * 60_000;
const remembered = 5_000;

interface Where {
  readonly person: Person;
  readonly channel: string;
  readonly answer: AnswerTo;
}

/** Replies in a card's thread become comments if the subscription says so and the person agreed. */
export function createReplyDoor({ deps, bot, say }: WrittenOptions) {
  const { services } = deps;
  const { store } = services;
  const taken = new LRUCache<string, true>(growTo(remembered));

  async function accept(where: Where, name: string, args: Record<string, unknown>, id: string): Promise<void> {
    const command = deps.catalog.get(name);
    if (!command) return;
    const job = commandJob(services, command, { args, source: 'written', ...where });
    const refused = refusalOf(await deps.accept(job, id));
    if (refused) await say(where, refused);
  }

  function readBody(command: string, text: string): string | undefined {
    const field = deps.catalog.get(command)?.fields['body'];
    const reading = { now: services.now(), webUrl: services.forge.web, slash: services.slash };
    const read = field?.read(unwrap(text, 'people'), reading);
    return typeof read === 'string' ? read : undefined;
  }

  /** Undefined for a reply that cannot become a comment: its person has not asked for one yet. */
  function acceptableBody(text: string): string | undefined {
    try {
      return readBody('thread comment', text);
    } catch {
      return undefined;
    }
  }

  /** The text as typed, or an error shown to the person. */
  async function bodyOf(where: Where, command: string, text: string): Promise<string | undefined> {
    try {
      return readBody(command, text);
    } catch (error) {
      await say(where, explain(error, services));
      return undefined;
    }
  }

  async function handlePost(written: Changed): Promise<void> {
    const by = byPerson(written, bot, deps.team);
    const { channel, ts, thread_ts: thread, text } = written;
    if (!by || thread === undefined || thread === ts || text.trim() === '' || text.includes(`<@${bot}>`)) return;
    const found = await syncedItem(store, { team: deps.team, channel }, thread);
    const issue = found && readItem(found.url, services.forge.web);
    if (!found || !issue) return;
    const person = personOf(deps, by.user);
    const account = await store.accounts.get(person);
    if (account?.state !== 'active') return;
    const where = { person, channel, answer: { threadTs: thread } };
    const settings = await store.settings.get(person);
    if (settings.replies === 'off') return;
    const { id: repoId, fullName, hidden } = found.repo;
    const answer = answerFor(settings, repoId);
    if (answer === undefined) {
      await store.settings.put(person, withAnswer(settings, repoId, 'asked'));
      const item = { ...splitFullName(fullName), repoId, index: issue.index };
      const body = acceptableBody(text);
      const unposted =
        body === undefined ? undefined : { issue: { ...issue, ...item }, body, reply: ts, thread: found.item };
      return say(where, question({ item, url: found.url, readers: readersOf(hidden), login: account.login, unposted }));
    }
    const isAgreed = answer !== 'off' && answer !== 'asked' && isWrittenSince(settings, repoId, ts);
    const body = isAgreed ? await bodyOf(where, 'thread comment', text) : undefined;
    if (body === undefined) return;
    taken.set(`${channel} ${ts}`, true);
    const args = boundToThread({ issue, body, reply: ts, thread: found.item }, found);
    await accept(where, 'thread comment', args, replyJobId(channel, ts));
  }

  /** Only replies that became comments, and only for a while. */
  async function findFollowed(
    channel: string,
    before: NonNullable<Changed['previous_message']>,
  ): Promise<Where | undefined> {
    const { ts, user, thread_ts: thread } = before;
    if (user === undefined || thread === undefined || before.bot_id !== undefined) return undefined;
    if (services.now().getTime() - Number(ts) * 1_000 > followMs) return undefined;
    const place = { team: deps.team, channel };
    const person = personOf(deps, user);
    const isOurs =
      taken.has(`${channel} ${ts}`) ||
      (await store.replies.get(place, ts)) !== undefined ||
      // another bot may have got the reply
      (await store.turns.isAccepted({ person, id: replyJobId(channel, ts) }));
    return isOurs ? { person, channel, answer: { threadTs: thread } } : undefined;
  }

  async function handleChange({ channel, message: now, previous_message: before }: Changed): Promise<void> {
    // unfurling a link changes the message but not its text
    if (!now || !before || now.text === before.text) return;
    const where = await findFollowed(channel, before);
    const body = where && (await bodyOf(where, 'thread edit', now.text));
    if (!where || body === undefined) return;
    const id = replyJobId(channel, before.ts, 'e', now.edited?.ts ?? '');
    await accept(where, 'thread edit', { body, reply: before.ts }, id);
  }

  async function handleDeletion({ channel, previous_message: before }: Changed): Promise<void> {
    const where = before && (await findFollowed(channel, before));
    if (!where) return;
    await accept(where, 'thread delete', { reply: before.ts }, replyJobId(channel, before.ts, 'd'));
  }

  return async (written: Changed): Promise<void> => {
    if (written.channel_type === 'im' || written.channel.startsWith('D')) return;
    if (written.subtype === 'message_changed') return handleChange(written);
    if (written.subtype === 'message_deleted') return handleDeletion(written);
    return handlePost(written);
  };
}
