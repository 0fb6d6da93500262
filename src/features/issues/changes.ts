import { formButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { explanation } from '../../chat/explain.js';
import { printOf } from '../../chat/fields.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { type Request, request, sendAll } from '../../chat/request.js';
import { ApiError } from '../../forge/index.js';
import { isAbsent, possible, soon } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { type Message, message, say } from '../../view/message.js';
import { join, link, md } from '../../view/text.js';
import { day } from '../../view/when.js';
import { itemMessage } from './card.js';
import { refuseIssue } from './close.js';
import {
  endOfDay,
  labelIds,
  leftOut,
  leftOutSentence,
  milestoneId,
  refuseStrangers,
  type ValueName,
  type Values,
  valueNames,
  valuesOf,
  type WantedValues,
  words,
} from './values.js';

type Kind = 'issue' | 'pull';

interface EditBody {
  title?: string;
  body?: string;
  assignees?: string[];
  milestone?: number;
  due_date?: string;
  unset_due_date?: true;
  content_version?: number | undefined;
}

/** The differences from the current item, as they would be sent. */
interface Changes {
  readonly present: Issue | undefined;
  readonly names: readonly ValueName[];
  readonly requests: readonly Request[];
}

async function changesOf(kind: Kind, ref: ItemRef, wanted: WantedValues, context: Context): Promise<Changes> {
  const present = await possible(context.api.issues.get(ref));
  if (present && kind === 'pull') refuseIssue(ref, present);
  const now = present && valuesOf(present);
  const names = valueNames.filter((name) => {
    const print = printOf(wanted[name]);
    const left = wanted.seen?.[name] === print || (now !== undefined && printOf(now[name]) === print);
    return wanted[name] !== undefined && !left;
  });
  if (now && names.some((name) => isOvertaken(name, wanted, now))) throw overtakenError(kind);
  const requests = await requestsFor(kind, ref, names, wanted, present, context);
  if (present && requests.length > 0) await refuseChanged(kind, ref, names, present, context);
  return { present, names, requests };
}

/** A server without versions would overwrite what someone changed while names were looked up: it is read once more. */
async function refuseChanged(
  kind: Kind,
  ref: ItemRef,
  names: readonly ValueName[],
  before: Issue,
  { api }: Context,
): Promise<void> {
  if (before.content_version !== undefined) return;
  const [was, is] = [valuesOf(before), valuesOf(await api.issues.get(ref))];
  if (names.some((name) => printOf(was[name]) !== printOf(is[name]))) throw overtakenError(kind);
}

/** Someone else changed the same value after the form had shown it. */
function isOvertaken(name: ValueName, { seen }: WantedValues, now: Values): boolean {
  return seen?.[name] !== undefined && seen[name] !== printOf(now[name]);
}

function overtakenError(kind: Kind): ApiError {
  const operation = kind === 'issue' ? 'issues.edit' : 'pulls.edit';
  return new ApiError({
    kind: 'conflict',
    operation,
    hint: 'Check its current state, then try again.',
    neverSent: true,
  });
}

async function requestsFor(
  kind: Kind,
  ref: ItemRef,
  names: readonly ValueName[],
  wanted: WantedValues,
  present: Issue | undefined,
  context: Context,
): Promise<Request[]> {
  const body = await bodyOf(ref, names, wanted, context);
  const labels = names.includes('labels')
    ? await labelIds(ref, wanted.labels ?? [], context, present?.labels)
    : undefined;
  return editRequests(kind, ref, { ...body, content_version: wanted.version ?? present?.content_version }, labels);
}

/** One request cannot change everything: labels have their own, and so does clearing a pull request's milestone. */
function editRequests(kind: Kind, ref: ItemRef, { content_version, ...body }: EditBody, labels?: readonly number[]) {
  const { milestone, ...rest } = body;
  // Zero clears an issue's milestone; on the pull request route it is ignored.
  const clears = kind === 'pull' && milestone === 0;
  const main = clears ? rest : body;
  const known = content_version === undefined ? {} : { content_version };
  const requests: Request[] = [];
  if (Object.keys(main).length > 0) requests.push(editRequest(kind, ref, { ...main, ...known }));
  if (clears) requests.push(request('issues.edit', { ...ref, body: { milestone } }));
  if (labels) requests.push(request('issues.setLabels', { ...ref, body: { labels: [...labels] } }));
  return requests;
}

function editRequest(kind: Kind, ref: ItemRef, body: EditBody): Request {
  return kind === 'issue' ? request('issues.edit', { ...ref, body }) : request('pulls.edit', { ...ref, body });
}

async function bodyOf(
  ref: ItemRef,
  names: readonly ValueName[],
  wanted: WantedValues,
  context: Context,
): Promise<EditBody> {
  const body: EditBody = {};
  const { title, assignees, milestone, due } = wanted;
  if (names.includes('title') && title !== undefined) body.title = title;
  if (names.includes('body')) body.body = wanted.body ?? '';
  if (names.includes('assignees')) {
    body.assignees = [...(assignees ?? [])];
    await refuseStrangers(ref, body.assignees, context);
  }
  if (names.includes('milestone')) body.milestone = milestone ? await milestoneId(ref, milestone, context) : 0;
  if (names.includes('due') && due) body.due_date = endOfDay(due);
  if (names.includes('due') && !due) body.unset_due_date = true;
  return body;
}

/** Restores the old values. */
function backRequests(kind: Kind, ref: ItemRef, names: readonly ValueName[], before: Issue): Request[] {
  const body: EditBody = {};
  if (names.includes('title')) body.title = before.title;
  if (names.includes('body')) body.body = before.body;
  if (names.includes('assignees')) body.assignees = before.assignees.map(({ login }) => login);
  if (names.includes('milestone')) body.milestone = before.milestone?.id ?? 0;
  const due = day(before.due_date);
  if (names.includes('due') && due) body.due_date = endOfDay(due);
  if (names.includes('due') && !due) body.unset_due_date = true;
  const labels = names.includes('labels') ? before.labels.map(({ id }) => id) : undefined;
  return editRequests(kind, ref, body, labels);
}

interface Edited {
  readonly kind: Kind;
  readonly ref: ItemRef;
  readonly item: Issue | undefined;
  readonly changed: readonly ValueName[];
  /** What exactly the forge refused or left unchanged. */
  readonly but: readonly string[];
}

export const planEdit = async (kind: Kind, ref: ItemRef, wanted: WantedValues, context: Context) =>
  (await changesOf(kind, ref, wanted, context)).requests;

/** Sends the differences one after the other; failures after the first are reported beside what worked. */
export async function edit(kind: Kind, ref: ItemRef, wanted: WantedValues, context: Context): Promise<Edited> {
  const changes = await changesOf(kind, ref, wanted, context);
  // Only these two have a request of their own.
  const refused = new Map<ValueName, string>(
    (await sendAll(context.api, changes.requests)).map(({ request: { operation }, error }) => [
      operation === 'issues.setLabels' ? 'labels' : 'milestone',
      explainRefusal(error, context),
    ]),
  );
  const item = changes.requests.length === 0 ? changes.present : await soon(context.api.issues.get(ref));
  const changed = item ? changes.names.filter((name) => differs(name, changes.present, item)) : changes.names;
  if (item && changed.length > 0) offerBack(kind, ref, changes, changed, item, context);
  return { kind, ref, item, changed, but: whatStayed(refused, changes.names, wanted, item) };
}

function explainRefusal(error: ApiError, context: Context): string {
  if (isAbsent(error))
    return error.operation === 'issues.setLabels' ? 'One of them no longer exists.' : 'It no longer exists.';
  const { says, next } = explanation(error, context);
  return [says, next].join(' ').replaceAll('\n', ' ');
}

/** A request without an answer may still have worked: the item tells. */
function whatStayed(
  refused: ReadonlyMap<ValueName, string>,
  names: readonly ValueName[],
  wanted: WantedValues,
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
