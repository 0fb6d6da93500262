import type { Context } from '../../chat/context.js';
import { printOf } from '../../chat/fields/seen.js';
import type { ItemRef } from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { ApiError } from '../../forge/index.js';
import { possible } from '../../forge/possible.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { day } from '../../view/when.js';
import { endOfDay } from './due-date.js';
import { labelIds, milestoneId, refuseStrangers } from './names.js';
import { refuseIssue } from './state.js';
import { type ValueName, type Values, valueNames, valuesOf, type Wanted } from './values.js';

export type Kind = 'issue' | 'pull';

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
export interface Changes {
  readonly present: Issue | undefined;
  readonly names: readonly ValueName[];
  readonly requests: readonly Request[];
}

export async function changesOf(kind: Kind, ref: ItemRef, wanted: Wanted, context: Context): Promise<Changes> {
  const present = await possible(context.api.issues.get(ref));
  if (present && kind === 'pull') refuseIssue(ref, present);
  const now = present && valuesOf(present);
  const names = valueNames.filter((name) => {
    const print = printOf(wanted[name]);
    const left = wanted.seen?.[name] === print || (now !== undefined && printOf(now[name]) === print);
    return wanted[name] !== undefined && !left;
  });
  if (now && names.some((name) => isOvertaken(name, wanted, now))) throw overtaken(kind);
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
  if (names.some((name) => printOf(was[name]) !== printOf(is[name]))) throw overtaken(kind);
}

/** Someone else changed the same value after the form had shown it. */
function isOvertaken(name: ValueName, { seen }: Wanted, now: Values): boolean {
  return seen?.[name] !== undefined && seen[name] !== printOf(now[name]);
}

function overtaken(kind: Kind): ApiError {
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
  wanted: Wanted,
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

async function bodyOf(ref: ItemRef, names: readonly ValueName[], wanted: Wanted, context: Context): Promise<EditBody> {
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
export function backRequests(kind: Kind, ref: ItemRef, names: readonly ValueName[], before: Issue): Request[] {
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
