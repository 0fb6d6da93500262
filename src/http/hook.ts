import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Announcement } from '../feed/ports.js';
import type { Log } from '../log.js';
import { parseBody } from './server.js';

const mostPeople = 50;
const mostLetters = 65_536;

/** Missing or invalid values name nobody; a hook is never refused for them. */
const Login = z
  .object({ login: z.string() })
  .transform(({ login }) => [login])
  .catch([]);
const Logins = z
  .array(Login)
  .transform((each) => each.flat())
  .catch([]);
const Mentioned = z
  .string()
  .transform((text) =>
    [...text.slice(0, mostLetters).matchAll(/@([\w.-]{1,40})/g)].map(([, login = '']) => login.replace(/[.-]+$/, '')),
  )
  .catch([]);
const Subject = z
  .object({
    user: Login,
    assignee: Login,
    assignees: Logins,
    requested_reviewers: Logins,
    body: Mentioned,
  })
  .transform((subject) => Object.values(subject).flat())
  .catch([]);
const PeoplePayload = z
  .object({
    issue: Subject,
    pull_request: Subject,
    comment: z
      .object({ body: Mentioned })
      .transform(({ body }) => body)
      .catch([]),
    review: z
      .object({ content: Mentioned })
      .transform(({ content }) => content)
      .catch([]),
    requested_reviewer: Login,
  })
  .transform((payload) => Object.values(payload).flat())
  .catch([]);

/** The logins a hook names; untrusted data, so few and short. */
const peopleIn = (payload: unknown): readonly string[] =>
  [...new Set(PeoplePayload.parse(payload).filter((login) => /^[\w.-]{1,40}$/.test(login)))].slice(0, mostPeople);

interface HookOptions {
  /** FORGE_WEBHOOK_SECRET, the same as in the hook at the forge. */
  readonly secret: string;
  readonly log: Log;
  /** Activity in this repository: poll at once. Polling decides what happened. */
  wake(repoId: number, announced: Announcement): Promise<void>;
}

const id = z.int().min(1);
const Repository = z.object({ id, owner: z.object({ id }).optional() });
const sha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .optional()
  .catch(undefined);
/** Only where to look, and the checked commit; what happened is read from the forge itself. */
const Payload = z.object({
  repository: Repository.optional(),
  // for a finished run, only the run says where it happened
  run: z.object({ repository: Repository.optional(), commit_sha: sha }).optional(),
  workflow_run: z.object({ head_sha: sha }).optional().catch(undefined),
  sha,
  issue: z.unknown().optional(),
  pull_request: z.unknown().optional(),
  action: z.string().optional().catch(undefined),
});

const requestActions: ReadonlySet<string> = new Set(['review_requested', 'review_request_removed']);
/** The same value under both; a server may send only one. */
const signatures = ['x-forgejo-signature', 'x-gitea-signature'];

export function mountHook(app: Hono, { secret, log, wake }: HookOptions): void {
  app.post('/hooks/forge', async (context) => {
    const body = Buffer.from(await context.req.arrayBuffer());
    const given = signatures.flatMap((name) => context.req.header(name) ?? [])[0];
    if (!isSigned(body, given, secret)) {
      log.warn({ from: eventOf(context) }, 'refused a hook: wrong signature');
      return context.text('wrong signature\n', 401);
    }
    const payload = parseBody(body);
    const read = Payload.safeParse(payload);
    if (!read.success) return context.text('not understood\n', 400);
    const { run, workflow_run, sha: status } = read.data;
    const repository = read.data.repository ?? run?.repository;
    const checked = status ?? workflow_run?.head_sha ?? run?.commit_sha;
    const hasItem = Boolean(read.data.issue ?? read.data.pull_request);
    const isRequest = requestActions.has(read.data.action ?? '');
    const people = peopleIn(payload);
    if (repository) await wake(repository.id, { ownerId: repository.owner?.id, people, checked, hasItem, isRequest });
    return context.body(null, 204);
  });
}

const eventOf = ({ req }: Context) =>
  (req.header('x-forgejo-event-type') ?? req.header('x-gitea-event-type'))?.slice(0, 40);

/** Constant-time, over the raw body. */
function isSigned(body: Buffer, given: string | undefined, secret: string): boolean {
  if (given === undefined || !/^[0-9a-f]{64}$/i.test(given)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'));
}
