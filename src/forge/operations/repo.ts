import { z } from 'zod';
import { Name } from './input.js';

const RepoName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/, 'use letters, digits, dash, underscore and dot, at most 100');

const Description = z.string().max(2048);

export const CreateRepo = z.strictObject({
  name: RepoName,
  auto_init: z.boolean().optional(),
  default_branch: z.string().optional(),
  description: Description.optional(),
  gitignores: z.string().optional(),
  issue_labels: z.string().optional(),
  license: z.string().optional(),
  object_format_name: z.enum(['', 'sha1', 'sha256']).optional(),
  private: z.boolean().optional(),
  readme: z.string().optional(),
  template: z.boolean().optional(),
  trust_model: z.enum(['default', 'collaborator', 'committer', 'collaboratorcommitter']).optional(),
});

/** A credential in the URL would be stored and shown by the forge. */
const CloneAddress = Name.refine((address) => !/^[a-z+]+:\/\/[^/?#]*@/i.test(address), {
  error: 'leave user and password out of the address; use auth_username with auth_password or auth_token',
});

/** Servers read `aws_*`; the API document says `cloud_*`. */
export const MigrateRepo = z.strictObject({
  clone_addr: CloneAddress,
  repo_name: RepoName,
  repo_owner: z.string().optional(),
  service: z
    .enum(['git', 'github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'codecommit'])
    .optional(),
  description: Description.optional(),
  auth_username: z.string().optional(),
  auth_password: z.string().optional(),
  auth_token: z.string().optional(),
  aws_access_key_id: z.string().optional(),
  aws_secret_access_key: z.string().optional(),
  lfs_endpoint: z.string().optional(),
  mirror_interval: z.string().optional(),
  issues: z.boolean().optional(),
  labels: z.boolean().optional(),
  lfs: z.boolean().optional(),
  milestones: z.boolean().optional(),
  mirror: z.boolean().optional(),
  private: z.boolean().optional(),
  pull_requests: z.boolean().optional(),
  releases: z.boolean().optional(),
  wiki: z.boolean().optional(),
  /** Deprecated in favor of `repo_owner`. */
  uid: z.int().optional(),
});
