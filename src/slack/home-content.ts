import type { KnownBlock } from '@slack/types';
import { formButton, runButton } from '../chat/actions.js';
import type { Catalog } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { atLeast } from '../chat/roles.js';
import { offWords } from '../domain/accounts/notification-settings.js';
import { signOutButton } from '../domain/accounts/sign-out.js';
import { isLost, lostNote, withoutLost } from '../domain/inbox/list.js';
import { itemRow } from '../domain/issues/card.js';
import { runnerRow } from '../domain/runners/card.js';
import type { Api, Page } from '../forge/index.js';
import { ifAnswered } from '../forge/possible.js';
import type { Issue } from '../forge/schemas/issue.js';
import type { NotificationThread } from '../forge/schemas/notification.js';
import type { Runner } from '../forge/schemas/runner.js';
import type { Account, Settings } from '../store/index.js';
import { actions, type Blocks, divider, heading, context as quiet, section } from '../view/blocks.js';
import { notificationRow } from '../view/cards/notification.js';
import { count } from '../view/look.js';
import { bold, join, md } from '../view/text.js';

const most = 8;

/** What the forge returned; undefined if it did not, which is shown as such. */
export interface Present {
  readonly inbox: Page<NotificationThread> | undefined;
  readonly reviews: Page<Issue> | undefined;
  readonly assigned: Page<Issue> | undefined;
  /** Only read for admins. */
  readonly runners: Page<Runner> | undefined;
  readonly settings: Settings;
  /** `Forgejo`, for texts. */
  readonly server: string;
  readonly followed: number;
}

async function readThreads(api: Api): Promise<Page<NotificationThread>> {
  const page = await api.notifications.list({ query: { 'status-types': ['unread', 'pinned'], limit: most } });
  return { ...page, items: await withoutLost(page.items, api) };
}

/** Reads everything at once, as the Home's owner. */
export async function readHome(context: Context): Promise<Present> {
  const { api, forge, store, person, role } = context;
  const paging = { limit: most };
  const [inbox, reviews, assigned, runners, settings, owned, server] = await Promise.all([
    ifAnswered(readThreads(api)),
    ifAnswered(api.issues.search({ query: { state: 'open', type: 'pulls', review_requested: true, ...paging } })),
    ifAnswered(api.issues.search({ query: { state: 'open', type: 'issues', assigned: true, ...paging } })),
    atLeast(role, 'admin') ? ifAnswered(api.admin.listRunners({ query: paging })) : undefined,
    store.settings.get(person),
    store.subscriptions.ownedBy(person),
    forge.capabilities.server(),
  ]);
  return { inbox, reviews, assigned, runners, settings, server: server.product, followed: owned.length };
}

export function homeBlocks(present: Present, account: Account, context: Context, catalog: Catalog): Blocks {
  const { now, role } = context;
  const row = (item: Issue) => itemRow(item, { now });
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
    ...part('Waiting for your review', present.reviews, row, 'No reviews requested from you.'),
    ...part('Assigned to you', present.assigned, row, 'No issues assigned to you.'),
    ...(atLeast(role, 'admin')
      ? part('Runners', present.runners, (runner) => runnerRow(runner, now), 'No runners yet.')
      : []),
    divider(),
    section(md`${bold('Your settings')}`),
    quiet(settingWords(present)),
    actions(
      catalog.get('settings') ? formButton({ text: 'Change settings', command: 'settings' }) : undefined,
      runButton({ text: 'Show linked account', command: 'whoami' }),
      signOutButton(),
    ),
  ];
}

/** A Home for people who are not linked yet, or no longer. */
export function strangerBlocks(account: Account | undefined): Blocks {
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
  const shown = page?.items.slice(0, most) ?? [];
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

function settingWords({ settings, followed }: Present): string[] {
  const off = offWords(settings.kinds);
  return [
    settings.quiet ? `Quiet from ${settings.quiet.from} to ${settings.quiet.to}` : 'No quiet hours',
    off.length === 0 ? 'all direct messages on' : `direct messages off: ${off.join(', ')}`,
    `you own ${count(followed, 'subscription')}`,
  ];
}
