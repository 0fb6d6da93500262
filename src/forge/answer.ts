import { hash } from 'node:crypto';
import type { Compiled } from './compile.js';
import { ApiError } from './errors.js';
import { isHtml } from './failure.js';
import type { Page } from './operation.js';
import { linkedNext } from './pages.js';
import { problems } from './prepare.js';
import type { Reply } from './transport.js';

export interface Asked {
  readonly page: number;
  /** As requested, or the server's default. */
  readonly limit: number;
  /** False: this is the whole list. */
  readonly paged: boolean;
  readonly note: string | undefined;
  readonly strange?: ((why: string) => void) | undefined;
}

export const emptyPage: Page<never> = { items: [], total: undefined, hasMore: false };

/** Equal for byte-identical answers. */
export const printOf = ({ body, headers }: Reply): string =>
  `${hash('sha1', body, 'base64')} ${headers['x-total-count']} ${headers['link']}`;

/** One validated answer; a list becomes a Page. */
export function readAnswer(compiled: Compiled, reply: Reply, asked: Asked): unknown {
  if (compiled.items) return readPage(compiled, reply, asked);
  const { answer, effect, tail } = compiled.entry;
  if (!answer) return undefined;
  if (tail !== undefined) return answer.parse({ text: reply.body.toString('utf8'), whole: !reply.cut });
  const empty = isEmpty(reply);
  const result = answer.safeParse(empty ? undefined : parsed(compiled, reply));
  if (result.success) return result.data;
  if (!empty)
    throw unreadable(compiled, reply, `It has an unexpected format: ${problems('answer', result.error)}.`, true);
  const done = effect === 'read' ? '' : ' It was done; look at it on the forge.';
  throw unreadable(compiled, reply, `It is empty.${done}`);
}

function readPage(compiled: Compiled, reply: Reply, asked: Asked): Page<unknown> {
  const value = isEmpty(reply) ? [] : parsed(compiled, reply);
  const { list, total: inBody } = unwrap(value, compiled.entry.list?.in);
  const items = rowsOf(compiled, reply, list, asked.strange);
  const wrong = compiled.entry.list?.countsPage;
  const total = (wrong === 'body' ? undefined : inBody) ?? (wrong === 'header' ? undefined : headerTotal(reply));
  const hasMore = asked.paged && more(reply, asked, Array.isArray(list) ? list.length : 0, total);
  const { note } = asked;
  return { items, total, hasMore, ...(note && { note }) };
}

/** If the list defines a fallback, or the caller can do without, a row of unknown shape does not fail the others. */
function rowsOf(compiled: Compiled, reply: Reply, list: unknown, strange: Asked['strange']): unknown[] {
  const result = compiled.items?.safeParse(list);
  if (result?.success) return result.data;
  const items: unknown[] = [];
  const { item, poorer } = compiled.entry.list ?? {};
  for (const row of (poorer || strange) && Array.isArray(list) ? list : []) {
    const read = item?.safeParse(row);
    if (read?.success) items.push(read.data);
    if (!read || read.success) continue;
    strange?.(problems('row', read.error));
    const part = poorer?.safeParse(row);
    if (part?.success) items.push(part.data);
  }
  if (items.length > 0 || (strange && Array.isArray(list))) return items;
  const words = result ? problems('list', result.error) : 'no list';
  throw unreadable(compiled, reply, `It has an unexpected format: ${words}.`);
}

function more(reply: Reply, { page, limit }: Asked, count: number, total: number | undefined): boolean {
  const { link } = reply.headers;
  if (link !== undefined) return linkedNext(String(link)) !== undefined;
  if (count === 0) return false;
  return total === undefined ? count >= limit : (page - 1) * limit + count < total;
}

function unwrap(value: unknown, name: string | undefined): { list: unknown; total: number | undefined } {
  if (value === null) return { list: [], total: undefined };
  if (Array.isArray(value) || typeof value !== 'object' || name === undefined) return { list: value, total: undefined };
  const total: unknown = Reflect.get(value, 'total_count');
  return { list: Reflect.get(value, name) ?? [], total: typeof total === 'number' ? total : undefined };
}

function headerTotal({ headers }: Reply): number | undefined {
  const value = headers['x-total-count'];
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

function isEmpty({ body }: Reply): boolean {
  return body.length < 8 && body.toString().trim() === '';
}

function parsed(compiled: Compiled, reply: Reply): unknown {
  try {
    return JSON.parse(reply.body.toString());
  } catch {
    const words = isHtml(reply.body.toString())
      ? 'It is a web page: check the forge address.'
      : 'It is incomplete or not JSON.';
    throw unreadable(compiled, reply, words);
  }
}

function unreadable({ name }: Compiled, { status }: Reply, why: string, strange = false): ApiError {
  const hint = `Bellows could not read the forge’s response. ${why}`;
  return new ApiError({ kind: 'unavailable', operation: name, status, hint, strange });
}
