import { z } from 'zod';
import { Count, Flag, listOf, maybe, Text, TimeOrUnset } from './scalar.js';
import { User } from './user.js';

const Signature = z.object({ name: Text, email: Text, date: TimeOrUnset });
const ShaRef = z.object({ sha: z.string() });

export const RepoCommit = z.object({
  sha: z.string(),
  html_url: Text,
  created: TimeOrUnset,
  /** Accounts, if the email address belongs to one. */
  author: maybe(User),
  committer: maybe(User),
  commit: maybe(
    z.object({
      message: Text,
      author: maybe(Signature),
      committer: maybe(Signature),
      verification: maybe(z.object({ verified: Flag, reason: Text })),
    }),
  ),
  parents: listOf(ShaRef),
  files: listOf(z.object({ filename: Text, status: Text })),
  stats: maybe(z.object({ additions: Count, deletions: Count, total: Count })),
});
export type RepoCommit = z.infer<typeof RepoCommit>;

/** status: pending, success, error, failure, warning or skipped. */
export const CommitStatus = z.object({ context: Text, status: Text, description: Text, target_url: Text });
export type CommitStatus = z.infer<typeof CommitStatus>;
