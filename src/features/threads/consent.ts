import { turnButton, turnButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type ItemRef, type RepositoryRef, refOf, webAddress } from '../../chat/references.js';
import type { KnownRepository } from '../../chat/repo-ids.js';
import { UserError } from '../../errors.js';
import { isHidden } from '../../forge/index.js';
import type { Repository } from '../../forge/schemas.js';
import type { Settings } from '../../store/index.js';
import { actions, section } from '../../view/blocks.js';
import { type Message, message, say } from '../../view/message.js';
import { bold, link, md } from '../../view/text.js';

/** Who could read the comments when the person was asked. */
export const readers = ['public', 'hidden'] as const;
type Readers = (typeof readers)[number];
type Answer = Readers | 'off';

export const readersOf = (isNotPublic: boolean): Readers => (isNotPublic ? 'hidden' : 'public');

const keyOf = (repoId: number) => `r${repoId}`;

/** What this person said about replies in threads about this repository. */
export const answerFor = ({ repliesIn }: Settings, repoId: number) => repliesIn?.[keyOf(repoId)];

/** Whether someone who agreed wrote this reply after that. */
export const isWrittenSince = ({ repliesSince }: Settings, repoId: number, ts: string) =>
  Number(ts) * 1_000 >= (repliesSince?.[keyOf(repoId)] ?? 0);

export const withAnswer = (settings: Settings, repoId: number, answer: Answer | 'asked'): Settings => ({
  ...settings,
  repliesIn: { ...settings.repliesIn, [keyOf(repoId)]: answer },
});

interface Asked {
  readonly item: ItemRef & KnownRepository;
  readonly url: string;
  readonly readers: Readers;
  readonly login: string;
  /** The reply, as `thread comment` takes it. */
  readonly unposted: Unposted | undefined;
}

interface Unposted {
  readonly issue: unknown;
  readonly body: string;
  readonly reply: string;
  readonly thread?: string | undefined;
}

const whoReads: Readonly<Record<Readers, string>> = {
  public: 'is public, so everyone can read them',
  hidden: 'is not public: everyone who can see it on the forge can read them',
};

export function question({ item, url, readers: who, login, unposted }: Asked): Message {
  const { owner, repo, repoId } = item;
  const repository = { owner, repo, repoId };
  const yes = { text: 'Post my replies', command: 'thread agree', style: 'primary' } as const;
  const args = { repository, answer: who };
  return message({
    blocks: [
      section(
        md`Replies in threads about ${fullName(item)} can be posted as comments with your account, ${bold(login)}. The repository ${whoReads[who]}. This reply was not posted on ${link(url, refOf(item))}.`,
      ),
      actions(
        turnButtonIfFits({ ...yes, args: { ...args, ...unposted } }) ?? turnButton({ ...yes, args }),
        turnButton({ text: 'Keep them in Slack', command: 'thread agree', args: { repository, answer: 'off' } }),
      ),
    ],
  });
}

const isCovered = (answer: string | undefined, who: Readers) => answer === 'public' || answer === who;

/** An edit reaches the same readers as a comment, and nobody is asked twice for one reply. */
export async function refuseUnagreedEdit(repository: Repository, { store, person }: Context): Promise<void> {
  const who = readersOf(isHidden(repository));
  if (isCovered(answerFor(await store.settings.get(person), repository.id), who)) return;
  const is = who === 'public' ? 'is public' : 'is not public';
  throw new UserError(
    `Your edit stays in Slack: ${repository.full_name} ${is}, and you haven’t agreed to post replies there.`,
  );
}

/** Someone who agreed while fewer people could read it is asked again. */
export async function refuseUnagreed(
  unposted: Unposted & { readonly issue: ItemRef },
  repository: Repository,
  context: Context,
): Promise<void> {
  const { issue: item } = unposted;
  const { store, person, login, forge } = context;
  const settings = await store.settings.get(person);
  const who = readersOf(isHidden(repository));
  const answer = answerFor(settings, repository.id);
  if (isCovered(answer, who)) return;
  await store.settings.put(person, withAnswer(settings, repository.id, answer === 'off' ? 'off' : 'asked'));
  const url = webAddress(forge.web, { kind: 'issue', of: item });
  throw new MessageError(question({ item: { ...item, repoId: repository.id }, url, readers: who, login, unposted }));
}

interface Agreed {
  readonly repository: RepositoryRef;
  readonly answer: Answer;
  readonly issue?: ItemRef | undefined;
  readonly body?: string | undefined;
  readonly reply?: string | undefined;
  readonly thread?: string | undefined;
}

export async function agree({ repository, answer }: Agreed, context: Context): Promise<void> {
  const { api, store, person, now, acceptedAt = now.getTime() } = context;
  const { id } = await api.repos.get(repository);
  const settings = withAnswer(await store.settings.get(person), id, answer);
  await store.settings.put(person, {
    ...settings,
    repliesSince: { ...settings.repliesSince, [keyOf(id)]: acceptedAt },
  });
}

/** It stands in place of the question. */
export function agreedMessage(_result: unknown, { repository, answer, ...unposted }: Agreed): Message {
  const where = md`in threads about ${fullName(repository)}`;
  if (answer === 'off') return say(md`Your replies ${where} stay in Slack.`);
  const { issue, body } = unposted;
  const too =
    issue && body !== undefined
      ? turnButtonIfFits({ text: 'Post this one too', command: 'thread comment', args: unposted })
      : undefined;
  return say(md`Your replies ${where} now become comments.`, too);
}
