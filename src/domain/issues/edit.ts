import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import { printOf } from '../../chat/fields/seen.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request, sendAll } from '../../chat/request.js';
import type { ApiError } from '../../forge/index.js';
import { soon } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message, say } from '../../view/message.js';
import { join, link, md } from '../../view/text.js';
import { itemMessage } from './card.js';
import { backRequests, type Changes, changesOf, type Kind } from './changes.js';
import { leftOut, leftOutSentence } from './left-out.js';
import { type ValueName, valuesOf, type Wanted, words } from './values.js';

interface Edited {
  readonly kind: Kind;
  readonly ref: ItemRef;
  readonly item: Issue | undefined;
  readonly changed: readonly ValueName[];
  /** What exactly the forge refused or left unchanged. */
  readonly but: readonly string[];
}

export const planEdit = async (kind: Kind, ref: ItemRef, wanted: Wanted, context: Context) =>
  (await changesOf(kind, ref, wanted, context)).requests;

/** Sends the differences one after the other; failures after the first are reported beside what worked. */
export async function edit(kind: Kind, ref: ItemRef, wanted: Wanted, context: Context): Promise<Edited> {
  const changes = await changesOf(kind, ref, wanted, context);
  // Only these two have a request of their own.
  const refused = new Map<ValueName, string>(
    (await sendAll(context.api, changes.requests)).map(({ request: { operation }, error }) => [
      operation === 'issues.setLabels' ? 'labels' : 'milestone',
      explained(error, context),
    ]),
  );
  const item = changes.requests.length === 0 ? changes.present : await soon(context.api.issues.get(ref));
  const changed = item ? changes.names.filter((name) => differs(name, changes.present, item)) : changes.names;
  if (item && changed.length > 0) offerBack(kind, ref, changes, changed, item, context);
  return { kind, ref, item, changed, but: whatStayed(refused, changes.names, wanted, item) };
}

function explained(error: ApiError, context: Context): string {
  const { says, next } = explanation(error, context);
  return [says, next].join(' ').replaceAll('\n', ' ');
}

/** A request without an answer may still have worked: the item tells. */
function whatStayed(
  refused: ReadonlyMap<ValueName, string>,
  names: readonly ValueName[],
  wanted: Wanted,
  item: Issue | undefined,
): string[] {
  const stayed = [...refused].filter(([name]) => !item || leftOut(wanted, item, [name]).length > 0);
  const silently = names.filter((name) => !refused.has(name));
  return [
    ...stayed.map(([name, why]) => `The ${words[name]} did not change. ${why}`),
    ...(item ? leftOutSentence(wanted, item, silently) : []),
  ];
}

const differs = (name: ValueName, before: Issue | undefined, after: Issue) =>
  before === undefined || printOf(valuesOf(before)[name]) !== printOf(valuesOf(after)[name]);

function offerBack(
  kind: Kind,
  ref: ItemRef,
  { present }: Changes,
  changed: readonly ValueName[],
  item: Issue,
  context: Context,
): void {
  if (!present) return;
  const { title, body, assignees, milestone, due_date, labels } = item;
  const held = { title, body, assignees, milestone, due: due_date, labels };
  const key = (name: ValueName) => (name === 'due' ? 'due_date' : name);
  context.offerUndo({
    says: `${refOf(ref)} is as it was before.`,
    request: backRequests(kind, ref, changed, present),
    guard: {
      request: request('issues.get', ref),
      expect: { id: present.id, ...Object.fromEntries(changed.map((name) => [key(name), held[name]])) },
    },
  });
}

export function editReply({ kind, ref, item, changed, but }: Edited, context: Context): Message {
  const what = join(
    changed.map((name) => words[name]),
    ', ',
  );
  const page = webAddress(context.forge.web, { kind, of: ref });
  if (changed.length === 0 && but.length === 0) {
    const again =
      kind === 'issue'
        ? formButton({ text: 'Edit', command: 'issue edit', args: { issue: ref } })
        : formButton({ text: 'Edit', command: 'pr edit', args: { pull: ref } });
    const button = item && again;
    return say(md`No changes: ${link(page, refOf(ref))} already has these values.`, button);
  }
  if (item) {
    const says = changed.length === 0 ? md`Not changed:` : md`Changed ${what} of`;
    return itemMessage(item, { ref, says, notes: but.map((line) => `⚠️ ${line}`) }, context);
  }
  return message({ blocks: doneCard({ says: md`Changed ${what} of ${link(page, refOf(ref))}.`, but }) });
}
