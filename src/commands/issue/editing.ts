import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { send } from '../../chat/send.js';
import { ApiError } from '../../forge/index.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message, say } from '../../view/message.js';
import { join, link, md } from '../../view/text.js';
import { possible } from '../possible.js';
import { printOf } from '../seen.js';
import { itemMessage } from './card.js';
import { backRequest, type Changes, changesOf, type Kind } from './changes.js';
import { type ValueName, valuesOf, type Wanted, words } from './values.js';

interface Edited {
  readonly kind: Kind;
  readonly ref: ItemRef;
  readonly item: Issue | undefined;
  readonly changed: readonly ValueName[];
  /** Each told exactly: what the forge refused or left as it was. */
  readonly but: readonly string[];
}

export const planEdit = async (kind: Kind, ref: ItemRef, wanted: Wanted, context: Context) =>
  (await changesOf(kind, ref, wanted, context)).requests;

/** Sends what differs, one request after the other; what fails after the first is told beside what worked. */
export async function edit(kind: Kind, ref: ItemRef, wanted: Wanted, context: Context): Promise<Edited> {
  const changes = await changesOf(kind, ref, wanted, context);
  const but: string[] = [];
  for (const [at, each] of changes.requests.entries()) {
    try {
      await send(context.api, each);
    } catch (error) {
      if (at === 0 || !(error instanceof ApiError)) throw error;
      const what = each.operation === 'issues.setLabels' ? 'The labels' : 'The milestone';
      but.push(`${what} stayed as they were: ${error.serverMessage || error.hint || error.kind}`);
    }
  }
  const item = changes.requests.length === 0 ? changes.present : await possible(context.api.issues.get(ref));
  const left = item ? changes.names.flatMap((name) => leftOut(name, wanted, item) ?? []) : [];
  if (but.length === 0 && left.length > 0) {
    but.push(`The forge did not take over ${left.join('; ')}. You may lack the right, or there is no such thing.`);
  }
  const changed = item ? changes.names.filter((name) => differs(name, changes.present, item)) : changes.names;
  if (item && changed.length > 0) offerBack(kind, ref, changes, changed, item, context);
  return { kind, ref, item, changed, but };
}

const differs = (name: ValueName, before: Issue | undefined, after: Issue) =>
  before === undefined || printOf(valuesOf(before)[name]) !== printOf(valuesOf(after)[name]);

const fold = (text: string | undefined) => text?.toLowerCase();

/** Without the right to write, or with an unknown name, the forge says yes and changes nothing. */
function leftOut(name: ValueName, wanted: Wanted, item: Issue): string | undefined {
  const now = valuesOf(item);
  if (name === 'assignees' || name === 'labels') {
    const held = (now[name] ?? []).map(fold);
    const missing = (wanted[name] ?? []).filter((each) => !held.includes(fold(each)));
    if (missing.length > 0) return `${words[name]} ${missing.join(', ')}`;
    return held.length > (wanted[name] ?? []).length ? words[name] : undefined;
  }
  if (name === 'due') return now.due === (wanted.due ?? null) ? undefined : words.due;
  if (name !== 'milestone') return undefined;
  const { milestone } = wanted;
  const asked = milestone && 'id' in milestone ? milestone.id : fold(milestone?.title);
  const held = milestone && 'id' in milestone ? item.milestone?.id : fold(now.milestone?.title);
  return asked === held ? undefined : words.milestone;
}

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
    request: backRequest(kind, ref, changed, present),
    guard: {
      request: request('issues.get', ref),
      expect: Object.fromEntries(changed.map((name) => [key(name), held[name]])),
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
    const [command, name] = kind === 'issue' ? ['issue edit', 'issue'] : ['pr edit', 'pull'];
    const button = item && formButton({ text: 'Edit', command, args: { [name]: ref } });
    return say(md`Nothing to change: ${link(page, refOf(ref))} is like that already.`, button);
  }
  if (item) {
    const says = changed.length === 0 ? md`Not changed:` : md`Changed ${what} of`;
    return itemMessage(item, { ref, says, notes: but.map((line) => `⚠️ ${line}`) }, context);
  }
  return message({ blocks: doneCard({ says: md`Changed ${what} of ${link(page, refOf(ref))}.`, but }) });
}
