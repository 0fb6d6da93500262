import type { OpType } from '../forge/schemas/activity.js';
import type { Kind } from './kind.js';

/** Every activity the forge has, and our kind for it; a branch's first push is recognized by its content. */
export const kindOfOp = {
  create_repo: 'repos:created',
  rename_repo: 'repos:renamed',
  star_repo: 'repos:starred',
  watch_repo: 'repos:watched',
  commit_repo: 'commits:pushed',
  create_issue: 'issues:opened',
  create_pull_request: 'pulls:opened',
  transfer_repo: 'repos:transferred',
  push_tag: 'tags:created',
  comment_issue: 'comments:issue',
  merge_pull_request: 'pulls:merged',
  close_issue: 'issues:closed',
  reopen_issue: 'issues:reopened',
  close_pull_request: 'pulls:closed',
  reopen_pull_request: 'pulls:reopened',
  delete_tag: 'tags:deleted',
  delete_branch: 'branches:deleted',
  mirror_sync_push: 'mirrors:pushed',
  mirror_sync_create: 'mirrors:created',
  mirror_sync_delete: 'mirrors:deleted',
  approve_pull_request: 'reviews:approved',
  reject_pull_request: 'reviews:rejected',
  comment_pull: 'comments:pull',
  publish_release: 'releases:published',
  pull_review_dismissed: 'reviews:dismissed',
  pull_request_ready_for_review: 'pulls:ready',
  auto_merge_pull_request: 'pulls:merged',
} as const satisfies Record<OpType, Kind>;
