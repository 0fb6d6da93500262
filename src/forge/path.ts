import { integerParams, type Route } from './operation.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A parsed route: `literals` surround `params`, so there is one more of them. */
export interface Template {
  readonly method: Method;
  readonly path: string;
  readonly literals: readonly string[];
  readonly params: readonly string[];
}

/** Which path value was refused, and why; never the value itself. */
export class PathProblem extends Error {
  override readonly name = 'PathProblem';
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const integers: ReadonlySet<string> = new Set(integerParams);

export function template(route: Route): Template {
  const space = route.indexOf(' ');
  const method = methods.find((known) => known === route.slice(0, space)) ?? 'GET';
  const path = route.slice(space + 1);
  const parts = path.split(/\{([^}]+)\}/);
  return {
    method,
    path,
    literals: parts.filter((_, position) => position % 2 === 0),
    params: parts.filter((_, position) => position % 2 === 1),
  };
}

export function fillPath(route: Template, values: Readonly<Record<string, unknown>>): string {
  let path = route.literals[0] ?? '';
  route.params.forEach((name, position) => {
    path += fillPart(name, values[name]) + (route.literals[position + 1] ?? '');
  });
  return path;
}

/** A file path keeps its slashes; each segment is checked like any other. */
function fillPart(name: string, value: unknown): string {
  if (name !== 'filepath' || typeof value !== 'string') return segment(name, value);
  return value
    .split('/')
    .map((part) => segment(name, part))
    .join('/');
}

function segment(name: string, value: unknown): string {
  if (integers.has(name)) {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw new PathProblem(`${name}: write a whole number`);
    }
    return String(value);
  }
  if (typeof value !== 'string' || value === '') throw new PathProblem(`${name}: must not be empty`);
  // a server would read these as this folder and its parent, and answer for another path
  if (value === '.' || value === '..') throw new PathProblem(`${name}: must not be "." or ".."`);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new PathProblem(`${name}: holds half a character`);
  }
}
