/** A handler's result; an undefined body means no body at all. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged instead of JSON. */
  readonly text?: { readonly type: string; readonly content: string };
  /** Sent piece by piece, never held as a whole. */
  readonly pieces?: { readonly size: number; readonly all: Iterable<Buffer> };
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});
export const created = (body: unknown): Answer => ({ status: 201, body });
/** 205, but with a body. */
export const reset = (body: unknown): Answer => ({ status: 205, body });
export const nothing: Answer = { status: 204 };

/** `page`: an HTML page where JSON was due. */
type RefusalKind = 'usual' | 'empty' | 'bare' | 'page';

/** Thrown when the request cannot be served. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly kind: RefusalKind;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly location: string | undefined;

  constructor(
    status: number,
    message: string,
    more: {
      kind?: RefusalKind;
      detail?: Readonly<Record<string, unknown>>;
      location?: string;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.kind = more.kind ?? 'usual';
    this.detail = more.detail ?? {};
    this.location = more.location;
  }
}

export const refuse = (status: number, message: string): Refusal => new Refusal(status, message);
export const notFound = (message = 'not found'): Refusal => new Refusal(404, message);
export const invalid = (message: string): Refusal => new Refusal(422, message);
export const forbidden = (message: string): Refusal => new Refusal(403, message);
/** Some refusals have no body at all. */
export const silent = (status: number): Refusal => new Refusal(status, '', { kind: 'empty' });
/** The server fails after it has set the status. */
export const crashed = new Refusal(403, 'Internal server error', { kind: 'page' });
/** A client mistake that causes a server error without a message. */
export const broken = (): Refusal => new Refusal(500, '');
export const moved = (status: 301 | 307, location: string): Refusal => new Refusal(status, '', { location });
