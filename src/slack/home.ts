import type { HomeView, KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { formButton, runButton } from '../chat/actions.js';
import { atLeast } from '../chat/admit.js';
import type { Catalog } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { bindButtons, fitBlocks } from '../chat/fitted.js';
import { readOnlySession, type Services } from '../chat/session.js';
import { onWords } from '../features/accounts/notification-settings.js';
import { signOutButton } from '../features/accounts/sign-out.js';
import { isLost, lostNote, withoutLost } from '../features/inbox/inbox.js';
import { byReview, type Waiting, waitingForOthers, waitingRow } from '../features/inbox/todo.js';
import { itemRow } from '../features/issues/card.js';
import { type Queued, queuedBy, queuedRow } from '../features/queue/entry.js';
import { dueWords, leftFor } from '../features/reviews/clock.js';
import { runnerRow } from '../features/runners/runner.js';
import type { Api, Page } from '../forge/index.js';
import { ifAnswered } from '../forge/possible.js';
import type { Issue, NotificationThread, Runner } from '../forge/schemas.js';
import type { Account, Person, Settings } from '../store/index.js';
import { actions, type Blocks, divider, heading, context as quiet, section } from '../view/blocks.js';
import { notificationRow } from '../view/cards/notification.js';
import { limits } from '../view/limits.js';
import { count } from '../view/look.js';
import { type Message, whatFits } from '../view/message.js';
import { bold, join, md, type Value } from '../view/text.js';
import { date } from '../view/when.js';
import { platformError } from './platform-error.js';

/** @internal Tested on its own. */
export function home(blocks: Blocks): HomeView {
  return { type: 'home', blocks: whatFits(blocks, limits.view.blocks, limits.view.bytes / 5) };
}

const mostNotifications = 8;
/** The most urgent of these are shown. */
const mostRanked = 50;

/** What the forge returned; undefined if it did not, which is shown as such. */
interface Present {
  readonly inbox: Page<NotificationThread> | undefined;
  readonly reviews: Page<Issue> | undefined;
  readonly assigned: Page<Issue> | undefined;
  readonly queued: readonly Queued[];
  /** By item: what is left of the time for a first review. */
  readonly left: ReadonlyMap<number, number>;
  readonly waiting: Page<Waiting> | undefined;
  /** Only read for admins. */
  readonly runners: Page<Runner> | undefined;
  readonly settings: Settings;
  /** `Forgejo`, for texts. */
  readonly server: string;
  readonly followed: number;
}

async function readThreads(api: Api): Promise<Page<NotificationThread>> {
  const page = await api.notifications.list({
    query: { 'status-types': ['unread', 'pinned'], limit: mostNotifications },
  });
  return { ...page, items: await withoutLost(page.items, api) };
}

/** Reads everything at once, as the Home's owner. */
async function readHome(context: Context): Promise<Present> {
  const { api, forge, store, person, role } = context;
  const paging = { limit: mostNotifications };
  const [inbox, reviews, assigned, waiting, runners, settings, owned, server, queues] = await Promise.all([
    ifAnswered(readThreads(api)),
    ifAnswered(
      api.issues.search({ query: { state: 'open', type: 'pulls', review_requested: true, limit: mostRanked } }),
    ),
    ifAnswered(api.issues.search({ query: { state: 'open', type: 'issues', assigned: true, limit: mostRanked } })),
    ifAnswered(waitingForOthers(context)),
    atLeast(role, 'admin') ? ifAnswered(api.admin.listRunners({ query: paging })) : undefined,
    store.settings.get(person),
    store.subscriptions.ownedBy(person),
    forge.capabilities.server(),
    store.queues.list(),
  ]);
  return {
    inbox,
    reviews,
    assigned,
    queued: queues.flatMap((queue) => queuedBy(person, queue)),
    left: await leftFor(reviews?.items ?? [], context.login, context),
    waiting: waiting && { items: waiting, total: waiting.length, hasMore: false },
    runners,
    settings,
    server: server.product,
    followed: owned.length,
  };
}

function homeBlocks(present: Present, account: Account, context: Context, catalog: Catalog): Blocks {
  const { now, role } = context;
  const row = (item: Issue) => {
    const left = present.left.get(item.id);
    return itemRow(item, { now, notes: left === undefined ? [] : [md`⏰ Review ${dueWords(left)}`] });
  };
  const rank = (page: Page<Issue> | undefined) =>
    page && { ...page, items: page.items.toSorted(byReview(present.left, now)) };
  return [
    section(
      join(
        [
          md`You are ${bold(account.login)} on ${present.server}.`,
          role === 'everyone' ? undefined : md`Your role here is ${role}.`,
        ],
        ' ',
      ),
    ),
    actions(
      runButton({ text: 'To do', command: 'todo' }),
      formButton({ text: 'New issue', command: 'issue create' }),
      formButton({ text: 'Search issues', command: 'issue search' }),
    ),
    ...part('Notifications', present.inbox, (thread) => threadRow(thread, now), 'No unread notifications.'),
    quiet([lostNote(present.inbox?.items ?? [])]),
    present.inbox?.items.some(({ unread }) => unread)
      ? actions(runButton({ text: 'All notifications', command: 'inbox' }), clearButton(present.inbox))
      : undefined,
    ...part('Waiting for your review', rank(present.reviews), row, 'No reviews requested from you.'),
    ...(present.queued.length === 0
      ? []
      : part(
          'In the merge queue',
          { items: present.queued, total: present.queued.length, hasMore: false },
          (each) => queuedRow(each, context),
          '',
        )),
    ...part('Assigned to you', rank(present.assigned), row, 'No issues assigned to you.'),
    ...part(
      'Waiting for others',
      present.waiting,
      (each) => waitingRow(each, now),
      'Nobody’s review is holding you up.',
    ),
    ...(atLeast(role, 'admin')
      ? part('Runners', present.runners, (runner) => runnerRow(runner, now), 'No runners yet.')
      : []),
    divider(),
    section(md`${bold('Your settings')}`),
    quiet(settingWords(present, now)),
    actions(
      catalog.get('settings') ? formButton({ text: 'Change settings', command: 'settings' }) : undefined,
      runButton({ text: 'Show linked account', command: 'whoami' }),
      signOutButton(),
    ),
  ];
}

/** A Home for people who are not linked yet, or no longer. */
function strangerBlocks(account: Account | undefined): Blocks {
  return [
    section(
      account
        ? md`Your forge token no longer works. Link again to see your work here.`
        : md`Link your forge account to see your notifications, review requests and issues here.`,
    ),
    actions(formButton({ text: account ? 'Link again' : 'Link account', command: 'signin', style: 'primary' })),
  ];
}

function part<T>(
  title: string,
  page: Page<T> | undefined,
  row: (item: T) => readonly KnownBlock[],
  none: string,
): Blocks {
  const shown = page?.items.slice(0, mostNotifications) ?? [];
  const more = page && (page.total ?? shown.length) - shown.length;
  return [
    divider(),
    heading(page?.total ? `${title} (${page.total})` : title),
    ...shown.flatMap(row),
    page === undefined ? quiet(['Could not load this. Open Home again to retry.']) : undefined,
    page && shown.length === 0 ? quiet([none]) : undefined,
    more ? quiet([`and ${more} more`]) : undefined,
  ];
}

function threadRow(thread: NotificationThread, now: Date): readonly KnownBlock[] {
  if (isLost(thread)) return [];
  const args = { thread: { thread: thread.id }, as: 'read' };
  return notificationRow(thread, {
    now,
    style: 'row',
    buttons: [runButton({ text: 'Mark as done', command: 'inbox mark', args })],
  });
}

/** What arrived after this was drawn stays unread. */
function clearButton({ items }: Page<NotificationThread>) {
  const latest = new Date(Math.max(...items.map(({ updated_at }) => updated_at.getTime())));
  return runButton({ text: 'Mark all as done', command: 'inbox clear', args: { before: latest.toISOString() } });
}

function settingWords({ settings, followed }: Present, now: Date): Value[] {
  return [
    ...((settings.away ?? 0) > now.getTime() ? [md`Away until ${date(settings.away ?? 0, now)}`] : []),
    settings.quiet ? `Quiet from ${settings.quiet.from} to ${settings.quiet.to}` : 'No quiet hours',
    `Direct messages: ${onWords(settings.kinds)}`,
    `You own ${count(followed, 'subscription')}`,
  ];
}

interface HomeOptions {
  readonly services: Services;
  readonly client: WebClient;
  readonly catalog: Catalog;
}

export type Home = ReturnType<typeof createHome>;

/** Each person's App Home, drawn as that person and published when they open it or act. */
export function createHome({ services, client, catalog }: HomeOptions) {
  async function draw(person: Person, notice: Message | undefined): Promise<HomeView> {
    const account = await services.store.accounts.get(person);
    const active = account?.state === 'active' ? account : undefined;
    const context = await readOnlySession(services, { person, channel: undefined, account: active });
    const said: Blocks = notice ? [...notice.blocks, divider()] : [];
    const body = active ? homeBlocks(await readHome(context), active, context, catalog) : strangerBlocks(account);
    const fit = await bindButtons(await fitBlocks(body, catalog, services.forge), catalog, context.repoId);
    return home([...said, ...fit, quiet([md`Last updated: ${date(context.now, context.now, '')}`])]);
  }

  /** `hash` is of the Home that was seen: a newer one is not overwritten. */
  const publish = async (person: Person, hash?: string, notice?: Message): Promise<boolean> => {
    const view = await draw(person, notice);
    try {
      await client.views.publish({ user_id: person.user, view, ...(hash ? { hash } : {}) });
      return true;
    } catch (error) {
      if (platformError(error) === 'hash_conflict') return false;
      throw error;
    }
  };

  return {
    /** The person opened it. If it was redrawn in between, that is just as good. */
    async opened(person: Person, hash: string | undefined): Promise<void> {
      await publish(person, hash);
    },

    /** Shows the answer to a click on top of the fresh Home. */
    async answer(person: Person, hash: string, notice: Message): Promise<void> {
      if (!(await publish(person, hash, notice))) await publish(person, undefined, notice);
    },
  };
}
