import { refuseRole } from '../../chat/admit.js';
import { explain } from '../../chat/explain.js';
import { readItem } from '../../chat/references.js';
import { unwrap } from '../../chat/slack-text.js';
import { within } from '../../deadline.js';
import type { Message } from '../../view/message.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import type { Shortcut } from '../payloads.js';
import { boundToThread, itemOfThread } from '../thread-item.js';
import { openForm, runInView } from './form.js';

/** callback id in the manifest → the command whose form opens, or which runs at once. */
export const shortcuts = {
  create_issue: { command: 'issue create', name: 'Create issue', type: 'message' },
  comment_on_item: { command: 'issue comment', name: 'Add to issue as comment', type: 'message' },
  new_issue: { command: 'issue create', name: 'New issue', type: 'global' },
  search_issues: { command: 'issue search', name: 'Search issues', type: 'global' },
  open_inbox: { command: 'inbox', name: 'Open my inbox', type: 'global', atOnce: true },
} as const;

const byId: ReadonlyMap<string, { readonly command: string; readonly atOnce?: boolean }> = new Map(
  Object.entries(shortcuts),
);

export async function onShortcut(deps: DoorDeps, payload: Shortcut): Promise<Message | undefined> {
  const known = byId.get(payload.callback_id);
  const command = known && deps.catalog.get(known.command);
  if (!command) {
    deps.services.log.warn({ shortcut: payload.callback_id.slice(0, 80) }, 'refused an unknown shortcut');
    return undefined;
  }
  try {
    refuseRole(command, deps.services.roles.of(personOf(deps, payload.user.id)));
    if (known.atOnce) {
      await runInView(deps, { command, args: {}, user: payload.user.id }, { title: 'Forge' }, (loading) =>
        deps.client.views.open({ trigger_id: payload.trigger_id, view: loading }),
      );
      return undefined;
    }
    const { message, channel } = payload;
    const title = message && command.fields['title'] ? titleOf(message.text) : '';
    const [body, about] =
      message && channel
        ? await Promise.all([
            quoteMessage(deps, channel.id, message),
            command.fields['issue'] && aboutItem(deps, channel.id, message),
          ])
        : [];
    await openForm(deps, {
      command,
      user: payload.user.id,
      triggerId: payload.trigger_id,
      args: { ...(body !== undefined && { body }), ...(title !== '' && { title }), ...about },
      meta: {
        ...(channel ? { channel: channel.id } : {}),
        ...(message ? { thread: message.thread_ts ?? message.ts } : {}),
        ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
      },
    });
    return undefined;
  } catch (error) {
    return explain(error, deps.services);
  }
}

/** In a card's thread, its item is meant. */
async function aboutItem(deps: DoorDeps, channel: string, { ts, thread_ts }: NonNullable<Shortcut['message']>) {
  const { store, forge } = deps.services;
  const finding = itemOfThread(store, { team: deps.team, channel }, thread_ts ?? ts);
  const found = await within(factsMs, finding, 'too slow').catch(() => undefined);
  const issue = found && readItem(found.url, forge.web);
  return found && issue && boundToThread({ issue }, found);
}

/** How long to wait for details from Slack; the quote goes without the rest. */
const factsMs = 700;
const longestQuote = 2_500;
const longestTitle = 120;

/** The first line, as an issue title. */
function titleOf(text: string): string {
  const line =
    unwrap(text, 'plain')
      .split('\n')
      .find((each) => each.trim() !== '') ?? '';
  const words = line.trim();
  return words.length > longestTitle ? `${words.slice(0, longestTitle - 1).trimEnd()}…` : words;
}

/** The message as a Markdown quote with its permalink, ready to be edited. */
async function quoteMessage(
  deps: DoorDeps,
  channel: string,
  message: { ts: string; text: string; user?: string | undefined },
): Promise<string> {
  const inTime = <T>(work: Promise<T>) => within(factsMs, work, 'too slow').catch(() => undefined);
  const people = [...new Set(Array.from(message.text.matchAll(/<@(\w+)>/g), ([, user = '']) => user))].slice(0, 10);
  const [link, author, ...users] = await Promise.all([
    inTime(deps.services.slack.permalink(channel, message.ts)),
    message.user === undefined ? undefined : inTime(deps.services.slack.user(message.user)),
    ...people.map((user) => inTime(deps.services.slack.user(user))),
  ]);
  const names = new Map(users.flatMap((user) => (user ? [[user.id, user.name] as const] : [])));
  const named = message.text.replace(/<@(\w+)>/g, (as, user: string) =>
    names.has(user) ? `<@${user}|${names.get(user)}>` : as,
  );
  const words = unwrap(named, 'plain');
  const cut = words.length > longestQuote ? `${words.slice(0, longestQuote)}…` : words;
  const quote = cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  const from = author ? `${plainName(author.name)} on Slack` : 'From Slack';
  return link === undefined ? quote : `${quote}\n\n[${from}](${link})`;
}

/** A name must not end its link or mention anyone on the forge. */
const plainName = (name: string) => name.replaceAll(/[[\]()@\\]/g, '').slice(0, 80) || 'Someone';
