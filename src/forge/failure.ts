import { property } from '../property.js';
import type { Broken } from './broken.js';
import type { OperationName } from './catalog.js';
import { ApiError } from './errors.js';
import { scrub } from './log-excerpt.js';
import type { FailureKind, Operation } from './operation.js';
import { remedy, type ServerWords, serverName } from './product.js';
import type { Reply } from './transport.js';

type Hints = Partial<Record<OperationName, Readonly<Record<number, string>>>>;

const state = 'It may have open dependencies or be merged already: check it on the forge.';
const actor = 'Check the person: the forge may not have a user with that name.';

/** Answers whose own text does not help: several caller mistakes come back as an empty 500. */
const hints: Hints = {
  'runs.list': { 500: actor },
  'admin.listRuns': { 500: actor },
  'issues.comment': { 500: 'Check the number: the issue may not exist.' },
  'issues.edit': { 500: 'Check the assignees and the milestone: the forge may not know one of them.', 412: state },
  'issues.block': { 500: 'These issues may already block each other.' },
  'issues.unblock': { 500: 'The first issue may not be blocking the second.' },
  'issues.addTime': { 400: 'Time tracking may be turned off in this repository.' },
  'pulls.edit': {
    500: 'Check the milestone, the assignees and the due date: the forge may not know one of them.',
    412: state,
  },
  'pulls.requestReviewers': {
    422: 'Check the reviewers: each must have access to the repository and not be the author.',
  },
  'pulls.merge': { 405: 'It cannot be merged yet: check its reviews, checks and conflicts on the forge.' },
  'notifications.markThread': { 500: 'The notification may belong to someone else.' },
  'repos.createInOrg': {
    500: 'A SHA-256 repository needs git 2.42 or newer on the server. Without it, leave the format out.',
  },
  'repos.search': { 500: 'Check the sort order and the filters.' },
  'repos.listCommits': { 409: 'The repository has no commits yet.' },
  'repos.listTeams': { 405: 'Only organization repositories have teams.' },
  'runs.forceCancel': { 409: 'The run has already finished.' },
  'runs.cancel': { 409: 'The run has already finished.' },
};

const generic: Readonly<Record<number, string>> = {
  413: 'This is too large for the forge: send less.',
  423: 'The repository is archived. Unarchive it to make changes.',
  429: 'The forge is rate limiting requests: try again later.',
};

function hintFor(operation: string, status: number): string | undefined {
  const known: Readonly<Record<string, Readonly<Record<number, string>> | undefined>> = hints;
  return known[operation]?.[status] ?? generic[status];
}

interface FailedCall {
  readonly name: string;
  readonly entry: Pick<Operation, 'failures' | 'since' | 'forgejo'>;
  /** Values that must not appear in messages. */
  readonly secrets: readonly string[];
}

const byStatus: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  405: 'rejected',
  408: 'timeout',
  412: 'blocked',
  423: 'archived',
  429: 'unavailable',
  504: 'timeout',
};

/** One status with several meanings: the entry says which one applies. */
const conflicts: readonly FailureKind[] = ['conflict', 'exists', 'empty', 'rejected'];

export async function explainRefusal(
  asked: FailedCall,
  reply: Reply,
  now: number,
  server: () => Promise<ServerWords>,
): Promise<ApiError> {
  const { status } = reply;
  if (isRouteMissing(reply)) return lacking(asked, await server(), status);
  const text = reply.body.toString();
  const hint = hintFor(asked.name, status);
  return new ApiError({
    kind: kindOf(status, asked.entry.failures, hint),
    operation: asked.name,
    status,
    // a 401 may repeat the token in some form, and its text helps nobody
    serverMessage: status === 401 ? '' : short(scrub(serverMessage(text), asked.secrets)),
    hint:
      hint ?? (isHtml(text) && status < 500 ? 'The forge returned a web page: check the forge address.' : undefined),
    retryAfter: retryAfter(reply, now),
  });
}

function kindOf(status: number, failures: readonly FailureKind[], hint: string | undefined): FailureKind {
  if (status === 409) return conflicts.find((kind) => failures.includes(kind)) ?? 'conflict';
  // a 500 we have a hint for is the caller's mistake, not the forge's
  if (status === 500 && hint !== undefined) return 'rejected';
  if (status >= 300 && status < 400) return 'unavailable';
  return byStatus[status] ?? (status < 500 ? 'invalid' : 'unavailable');
}

/**
 * Only Gitea's router answers like this, for an unknown route; a missing item is a JSON 404. For a known path without the
 * method it answers 405 with an empty body; a merge that is not allowed has a message.
 */
export function isRouteMissing({ status, headers, body }: Reply): boolean {
  if (status === 405) return body.length === 0;
  return (
    status === 404 &&
    String(headers['content-type']).startsWith('text/plain') &&
    /^404 page not found\s*$/i.test(body.toString())
  );
}

export function lacking({ name, entry }: FailedCall, server: ServerWords, status?: number): ApiError {
  return new ApiError({
    kind: 'notFound',
    operation: name,
    status,
    hint: `The server runs ${serverName(server)}; ${remedy(entry, server)}.`,
    neverSent: status === undefined,
    unsupported: true,
  });
}

function serverMessage(text: string): string {
  const body = text.trim();
  if (body === '') return '';
  if (isHtml(body)) return /<title[^>]*>([^<]*)</i.exec(body)?.[1] ?? '';
  try {
    return fromJson(JSON.parse(body));
  } catch {
    // a truncated object is noise to people, plain text is not
    return /^[[{]/.test(body) ? '' : body;
  }
}

function fromJson(value: unknown): string {
  if (typeof value === 'string') return value;
  for (const key of ['message', 'error']) {
    const found = property(value, key);
    if (typeof found === 'string' && found !== '') return found;
  }
  const errors = property(value, 'errors');
  return Array.isArray(errors) ? errors.filter((item) => typeof item === 'string').join('; ') : '';
}

/** Only after removing secrets: half of one would no longer be recognized. */
function short(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text);
}

function retryAfter({ headers }: Reply, now: number): number | undefined {
  const value = String(headers['retry-after'] ?? '');
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

const words: Readonly<Record<Broken['how'], { kind: FailureKind; hint: string }>> = {
  refused: {
    kind: 'unavailable',
    hint: 'Could not reach the forge: check that it is running and that its address is right.',
  },
  lost: { kind: 'unavailable', hint: 'The connection to the forge broke before the answer was complete.' },
  timeout: { kind: 'timeout', hint: 'The forge took too long to respond.' },
  aborted: { kind: 'timeout', hint: 'The request was stopped before the forge responded.' },
  tooLarge: { kind: 'unavailable', hint: 'The response is too large: request less at once.' },
  redirect: {
    kind: 'unavailable',
    hint: 'The forge redirects to another address. Set FORGE_URL to that address.',
  },
  plain: {
    kind: 'unavailable',
    hint: 'The forge does not speak TLS at this address: set FORGE_URL to http:// or to its https port.',
  },
  certificate: {
    kind: 'unavailable',
    hint: "The forge's certificate is not trusted: set FORGE_CA_FILE to its certificate authority.",
  },
};

export function explainSilence(operation: string, problem: Broken, neverSent: boolean): ApiError {
  const { kind, hint } = words[problem.how];
  const place = problem.how === 'redirect' ? ` (${problem.detail})` : '';
  return new ApiError({ kind, operation, hint: hint + place, code: problem.detail, neverSent });
}
