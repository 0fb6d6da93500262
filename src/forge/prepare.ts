import type { z } from 'zod';
import type { Place } from './capabilities.js';
import type { Compiled } from './compile.js';
import { speak, speakBody } from './dialect.js';
import { ApiError } from './errors.js';
import { fillPath, PathProblem } from './path.js';
import { maskFields, secretValues } from './redact.js';

export type LooseInput = Readonly<Record<string, unknown>>;

/** A validated request that was not sent. */
export interface Prepared {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly secrets: readonly string[];
}

export function prepare({ name, entry, route }: Compiled, input: LooseInput): Prepared {
  const { query: given, body: sent } = input;
  const query = entry.query ? checked(name, 'query', entry.query, given ?? {}) : {};
  const body = entry.body && checked(name, 'body', entry.body, sent);
  const secrets = entry.secrets ? secretValues(body, entry.secrets) : [];
  try {
    fillPath(route, input);
    return { query, body, secrets };
  } catch (problem) {
    if (problem instanceof PathProblem) throw unusable(name, problem.message);
    throw problem;
  }
}

function checked(name: string, part: string, schema: z.ZodObject, value: unknown): Record<string, unknown> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw unusable(name, problems(part, result.error));
}

function unusable(operation: string, words: string): ApiError {
  return new ApiError({ kind: 'invalid', operation, hint: `Nothing was sent. Check ${words}.`, neverSent: true });
}

/** Paths and rules only; the value may be a secret. */
export function problems(part: string, error: z.ZodError): string {
  const lines = error.issues.slice(0, 5).map((issue) => `${[part, ...issue.path].join('.')}: ${issue.message}`);
  return lines.join('; ');
}

export function queryString(query: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      const written = one instanceof Date ? one.toISOString() : String(one);
      text += `${text === '' ? '?' : '&'}${encodeURIComponent(key)}=${encodeURIComponent(written)}`;
    }
  }
  return text;
}

export interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Shown by dry runs and approval cards: the request as it would be sent, with secrets masked. */
export function requestLine(compiled: Compiled, input: LooseInput, place: Place): RequestLine {
  const { query, body } = prepare(compiled, input);
  const secrets = compiled.entry.secrets ?? [];
  return {
    method: place.route.method,
    path: fillPath(place.route, input),
    query: maskFields(speak(compiled, place, query).query, secrets) as typeof query,
    body: maskFields(speakBody(compiled, place.product, body), secrets),
  };
}
