import { z } from 'zod';
import type { Commit, Push } from '../event.js';

/** `12|title`: split at the first bar only, since a title may contain more. */
export function splitContent(content: string): { readonly number: number | undefined; readonly text: string } {
  const bar = content.indexOf('|');
  const head = bar === -1 ? content : content.slice(0, bar);
  const number = /^\d{1,15}$/.test(head) ? Number(head) : undefined;
  return { number, text: number === undefined ? content : content.slice(bar === -1 ? content.length : bar + 1) };
}

const text = z.string().catch('');
const PushedCommit = z.object({ Sha1: text, Message: text, AuthorName: text });
const Pushed = z.object({
  Commits: z.array(PushedCommit.nullable().catch(null)).nullish().catch(null),
  HeadCommit: PushedCommit.nullish().catch(null),
  CompareURL: text,
  Len: z.number().catch(0),
});

const commit = ({ Sha1, Message, AuthorName }: z.infer<typeof PushedCommit>): Commit => ({
  sha: Sha1,
  message: (Message.trim().split('\n')[0] ?? '').slice(0, 300),
  author: AuthorName,
});

/** Old rows have other shapes, and one above 64 KiB is cut to `{}`: missing parts stay empty. */
export function readPush(content: string, branch: string, root: string): Push {
  const read = Pushed.safeParse(json(content));
  if (!read.success) return { branch, commits: [], total: 0 };
  const { Commits, HeadCommit, CompareURL, Len } = read.data;
  const listed = (Commits ?? []).filter((entry) => entry !== null);
  const commits = (listed.length > 0 ? listed : HeadCommit ? [HeadCommit] : []).slice(0, 20).map(commit);
  const compareUrl = CompareURL === '' ? undefined : absolute(CompareURL, root);
  return {
    branch,
    commits,
    total: Math.max(Math.trunc(Len), listed.length),
    ...(compareUrl && { compareUrl }),
  };
}

/** The forge writes compare addresses relative to its root. */
function absolute(address: string, root: string): string | undefined {
  if (/^https?:\/\//i.test(address)) return address;
  return root === '' ? undefined : `${root}/${address.replace(/^\/+/, '')}`;
}

function json(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** A branch or tag name inside a URL: slashes stay, the rest is encoded. */
export const refPath = (ref: string): string => ref.split('/').map(encodeURIComponent).join('/');
