import { z } from 'zod';
import { contentWithBars } from '../forgejo/activity.js';
import { CommentRef } from './comment.js';
import { RepositoryRef } from './repository.js';
import { Count, Flag, Id, maybe, Text, Time } from './scalar.js';
import { User } from './user.js';

/** All types in the API document; some never occur, and newer servers may send others. */
export const opTypes = [
  'create_repo',
  'rename_repo',
  'star_repo',
  'watch_repo',
  'commit_repo',
  'create_issue',
  'create_pull_request',
  'transfer_repo',
  'push_tag',
  'comment_issue',
  'merge_pull_request',
  'close_issue',
  'reopen_issue',
  'close_pull_request',
  'reopen_pull_request',
  'delete_tag',
  'delete_branch',
  'mirror_sync_push',
  'mirror_sync_create',
  'mirror_sync_delete',
  'approve_pull_request',
  'reject_pull_request',
  'comment_pull',
  'publish_release',
  'pull_review_dismissed',
  'pull_request_ready_for_review',
  'auto_merge_pull_request',
] as const;
export type OpType = (typeof opTypes)[number];

/** Their content is one free text, whatever it looks like. */
const titled: ReadonlySet<string> = new Set(['publish_release', 'rename_repo', 'transfer_repo'] satisfies OpType[]);

const Row = z.object({
  id: Id,
  op_type: z.string(),
  created: Time,
  content: Text,
  ref_name: Text,
  is_private: Flag,
  user_id: Count,
  act_user_id: Count,
  act_user: maybe(User),
  repo_id: Count,
  repo: maybe(RepositoryRef),
  comment_id: Count,
  comment: maybe(CommentRef),
});

/** Normalizes `content` for all servers: a number, then its texts, separated by bars. */
const inOneForm = <R extends { readonly op_type: string; readonly content: string }>(row: R): R =>
  titled.has(row.op_type) ? row : { ...row, content: contentWithBars(row.content) };

export const Activity = Row.transform(inOneForm);
export type Activity = z.infer<typeof Activity>;

const unknownPart = z.unknown().transform(() => undefined);

/** A row of unknown shape: the least it needs to be posted plainly. Without a visibility it counts as private. */
export const PoorerActivity = Row.extend({
  content: Text.catch(''),
  ref_name: Text.catch(''),
  is_private: z.boolean().catch(true),
  user_id: Count.catch(0),
  act_user_id: Count.catch(0),
  act_user: maybe(User).or(unknownPart),
  repo_id: Count.catch(0),
  comment_id: Count.catch(0),
  comment: maybe(CommentRef).or(unknownPart),
}).transform(inOneForm);
