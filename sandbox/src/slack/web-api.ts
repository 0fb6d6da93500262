import { Args } from './args.js';
import type { Core } from './core.js';
import type { Fault } from './faults.js';
import { asText, copy, type Obj, own } from './json.js';
import { methods } from './methods/index.js';
import { paceOf } from './methods/reach.js';
import type { TokenKind } from './records.js';
import { SlackError } from './slack-error.js';
import { demand, type Token } from './tokens.js';

/** The HTTP response; `none` keeps the caller waiting, `drop` disconnects it. */
export type Outcome =
  | { kind: 'answer'; status: number; body: Obj; headers?: Record<string, string>; delayMs?: number }
  | { kind: 'none' }
  | { kind: 'drop' };

const refused = (error: string, extra: Obj = {}): Obj => ({ ok: false, error, ...extra });

const anyToken: Token = { kind: 'bot', scopes: [], revoked: false };

function attempt(core: Core, name: string, args: Args, tokenValue: string | undefined): Outcome {
  const method = own(methods, name);
  try {
    if (method === undefined) throw new SlackError('unknown_method', { req_method: name });
    const kind = method.token ?? 'bot';
    const token = kind === 'none' ? anyToken : core.tokens.check(tokenValue, kind === 'any' ? ['bot', 'app'] : [kind]);
    if (method.scope !== undefined) demand(token, method.scope);
    const wait = core.rate.take(name, method.tier, paceOf(core, args.text('channel')));
    if (wait !== undefined) return limited(wait);
    const body = copy({ ok: true, ...method.run({ core, args, token }) });
    return { kind: 'answer', status: 200, body, headers: { 'x-oauth-scopes': token.scopes.join(',') } };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    return { kind: 'answer', status: 200, body: refused(error.error, error.extra) };
  }
}

const limited = (seconds: number): Outcome => ({
  kind: 'answer',
  status: 429,
  body: refused('ratelimited'),
  headers: { 'retry-after': String(seconds) },
});

const broken = (status: number): Outcome => ({ kind: 'answer', status, body: refused('internal_error') });

/** Lets a fault replace the answer, or the whole call. */
function withFault(fault: Fault | undefined, run: () => Outcome): Outcome {
  switch (fault?.kind) {
    case undefined:
      return run();
    case 'status':
      return broken(fault.status);
    case 'silence':
      return { kind: 'none' };
    case 'drop':
      return { kind: 'drop' };
    case 'ratelimited':
      return limited(fault.retryAfter);
    case 'error':
      return { kind: 'answer', status: 200, body: refused(fault.error) };
    case 'lost':
      run();
      if (fault.how === 'silence') return { kind: 'none' };
      return fault.how === 'status' ? broken(500) : { kind: 'drop' };
    case 'slow': {
      const outcome = run();
      return outcome.kind === 'answer' ? { ...outcome, delayMs: fault.ms } : outcome;
    }
  }
}

/** Recorded with its arguments and outcome, even if a fault replaced the answer. */
export function recorded(core: Core, method: string, args: Obj, token: TokenKind, run: () => Outcome): Outcome {
  const at = core.now();
  let taken: Obj | undefined;
  const fault = core.faults.take(method, args);
  const outcome = withFault(fault, () => {
    const answered = run();
    if (answered.kind === 'answer') taken = answered.body;
    return answered;
  });
  const result = taken ?? (outcome.kind === 'answer' ? outcome.body : refused(outcome.kind));
  core.calls.add({ method, args, token, at, result, ...(fault && { fault: fault.kind }) });
  return outcome;
}

/** Where a token may be: in the Authorization header, or among the arguments of a body, never in the query. */
interface Credentials {
  header: string | undefined;
  body: Obj;
}

const tokenIn = ({ header, body }: Credentials, headerOnly: boolean): string | undefined =>
  /^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? (headerOnly ? undefined : asText(body['token']) || undefined);

/** One Web API call: recorded with its arguments, never with its token. */
export function callMethod(core: Core, name: string, raw: Obj, credentials: Credentials): Outcome {
  const { token: _token, client_secret: _secret, ...shown } = raw;
  const token = tokenIn(credentials, own(methods, name)?.headerOnly ?? false);
  return recorded(core, name, shown, core.tokens.kindOf(token), () => attempt(core, name, new Args(raw), token));
}
