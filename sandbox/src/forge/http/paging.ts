import { type Answer, ok } from './answer.js';
import type { Call } from './call.js';

const usualSize = 30;

interface Window {
  readonly page: number;
  /** As requested, even if too much. */
  readonly asked: number;
  /** As served: silently capped at the server's maximum. */
  readonly size: number;
}

/** Everything paging needs, so that any route's call fits. */
export type Paged = Pick<Call, 'state' | 'query' | 'path'>;

export function windowOf(call: Paged): Window {
  const page = Math.max(1, call.query.number('page') ?? 1);
  const limit = call.query.number('limit') ?? 0;
  const max = call.state.site.pageMax;
  const asked = limit > 0 ? limit : Math.min(usualSize, max);
  return { page, asked, size: Math.min(asked, max) };
}

export function slice<T>(call: Paged, all: readonly T[]): readonly T[] {
  const { page, size } = windowOf(call);
  return all.slice((page - 1) * size, page * size);
}

/** Made from the address the server believes it has, whatever the client used. */
export function linkHeader(call: Paged, total: number, size: number): string {
  const { page } = windowOf(call);
  const last = Math.max(1, Math.ceil(total / size));
  const to = (target: number, rel: string): string =>
    `<${call.state.site.url}/api/v1${call.path}?${call.query.withPage(target)}>; rel="${rel}"`;
  const links: string[] = [];
  if (page < last) links.push(to(page + 1, 'next'), to(last, 'last'));
  if (page > 1) links.push(to(1, 'first'), to(page - 1, 'prev'));
  return links.join(',');
}

export interface ListStyle {
  readonly link?: boolean;
  readonly total?: boolean;
  /** Puts the array under this name, with the count beside it. */
  readonly wrap?: (items: readonly unknown[], total: number) => unknown;
  /** The issue search computes its links from the limit as sent. */
  readonly rawLimit?: boolean;
}

export function list<T>(call: Paged, all: readonly T[], draw: (item: T) => unknown, style: ListStyle = {}): Answer {
  const { asked, size } = windowOf(call);
  const items = slice(call, all).map(draw);
  const headers: Record<string, string> = {};
  if (style.total !== false) headers['x-total-count'] = String(all.length);
  const link = style.link === false ? '' : linkHeader(call, all.length, style.rawLimit === true ? asked : size);
  if (link !== '') headers['link'] = link;
  return ok(style.wrap === undefined ? items : style.wrap(items, all.length), headers);
}
