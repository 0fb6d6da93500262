import type { Polled } from '../../src/feed/sources/source.js';
import type { Page } from '../../src/forge/operation.js';
import { Activity, Issue, NotificationThread, WorkflowRun } from '../../src/forge/schemas.js';

/** Acts as the forge for a poll's steps. */
export function answer<Request, Item>(
  steps: Generator<Request, Polled, Page<Item>>,
  reply: (request: Request) => Page<Item>,
): Polled & { requests: Request[] } {
  const requests: Request[] = [];
  let step = steps.next();
  while (!step.done) {
    requests.push(step.value);
    step = steps.next(reply(step.value));
  }
  return { ...step.value, requests };
}

/** One page of a list read by offset, like the forge's. */
export function pageOf<Item>(
  all: readonly Item[],
  { page, limit }: { page: number; limit: number },
  total?: number,
): Page<Item> {
  const items = all.slice((page - 1) * limit, page * limit);
  return { items, total: total ?? all.length, hasMore: page * limit < all.length };
}

const user = (login: string) => ({ id: login.length + login.charCodeAt(0), login });
const repository = (name = 'acme/engine', id = 12) => ({
  id,
  name: name.split('/')[1],
  full_name: name,
  html_url: `https://git.example.org/${name}`,
  private: false,
});

export function activity(
  id: number,
  created: string,
  fields: Record<string, unknown> = {},
  who: string | null = 'ada',
): Activity {
  return Activity.parse({
    id,
    created,
    op_type: 'create_issue',
    content: `${id}|Issue ${id}`,
    act_user: who === null ? null : user(who),
    act_user_id: who === null ? -2 : user(who).id,
    repo_id: 12,
    repo: repository(),
    ...fields,
  });
}

export const run = (id: number, fields: Record<string, unknown> = {}): WorkflowRun =>
  WorkflowRun.parse({
    id,
    run_number: id,
    run_attempt: 1,
    display_title: `Run ${id}`,
    path: 'ci.yml@refs/heads/main',
    head_branch: 'main',
    head_sha: 'abc',
    html_url: `https://git.example.org/acme/engine/actions/runs/${id}`,
    event: 'push',
    status: 'completed',
    conclusion: 'success',
    actor: user('ada'),
    created_at: minute(id),
    updated_at: minute(id),
    started_at: minute(id),
    completed_at: minute(id, 30),
    ...fields,
  });

export const minute = (minutes: number, seconds = 0): string =>
  new Date(Date.parse('2026-11-10T09:00:00Z') + minutes * 60_000 + seconds * 1_000).toISOString();

export const thread = (id: number, updated: string, fields: Record<string, unknown> = {}): NotificationThread =>
  NotificationThread.parse({
    id,
    unread: true,
    updated_at: updated,
    repository: repository(),
    subject: {
      type: 'Issue',
      title: `Issue ${id}`,
      state: 'open',
      html_url: `https://git.example.org/acme/engine/issues/${id}`,
    },
    ...fields,
  });

export const issue = (number: number, updated: string, fields: Record<string, unknown> = {}): Issue =>
  Issue.parse({
    id: 1_000 + number,
    number,
    title: `Issue ${number}`,
    state: 'open',
    html_url: `https://git.example.org/acme/engine/issues/${number}`,
    user: user('ada'),
    updated_at: updated,
    repository: { id: 12, name: 'engine', owner: 'acme', full_name: 'acme/engine' },
    ...fields,
  });

export const labels = (...names: readonly string[]) => ({ labels: names.map((name, id) => ({ id, name })) });
