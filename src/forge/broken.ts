import { property } from '../property.js';

type How = 'refused' | 'lost' | 'timeout' | 'aborted' | 'tooLarge' | 'redirect' | 'certificate' | 'plain';

/** There is no complete answer. `detail` is a system code or a location, never anything that was sent. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly how: How;
  readonly detail: string;
  readonly neverSent: boolean;

  constructor(how: How, detail: string, neverSent = false) {
    super(`${how}: ${detail}`);
    this.how = how;
    this.detail = detail;
    this.neverSent = neverSent;
  }
}

const beforeConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Translates an undici error, which is not kept, because it may hold the request. */
export function toBroken(error: unknown, signal: AbortSignal | undefined): Broken {
  if (error instanceof Broken) return error;
  if (signal?.aborted) return new Broken('aborted', 'aborted');
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return new Broken('timeout', 'connect', true);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return new Broken('timeout', 'headers');
  if (code === 'UND_ERR_BODY_TIMEOUT') return new Broken('timeout', 'body');
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new Broken('tooLarge', code);
  if (/^EPROTO$|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code)) return new Broken('plain', code, true);
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS_|^ERR_SSL_|^UND_ERR_PRX_TLS/.test(code)) {
    return new Broken('certificate', code, true);
  }
  const connecting = beforeConnected.has(code) || (code === 'ETIMEDOUT' && property(error, 'syscall') === 'connect');
  // undici reports "aborted" if the proxy refuses the tunnel
  if (connecting || code === 'UND_ERR_ABORTED') return new Broken('refused', code, true);
  return new Broken('lost', code);
}

function codeOf(error: unknown): string {
  const code = property(error, 'code');
  return typeof code === 'string' ? code : 'UNKNOWN';
}
