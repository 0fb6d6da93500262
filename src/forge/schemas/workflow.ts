import { z } from 'zod';
import { Count, maybe, Text } from './scalar.js';

export const Workflow = z.object({
  /** The file's name, which is what every other call takes. */
  id: z.string(),
  /** As the file says, or the file's name. */
  name: Text,
  path: Text,
  /** `active`, or `disabled_…` with the reason. */
  state: Text,
  html_url: Text,
});
export type Workflow = z.infer<typeof Workflow>;

/** Which run a dispatch started: Gitea says `workflow_run_id`, Forgejo `id`; older servers say nothing. */
export const Dispatched = maybe(
  z
    .object({ workflow_run_id: maybe(z.int()), id: maybe(z.int()) })
    .transform(({ workflow_run_id, id }) => ({ run: workflow_run_id ?? id })),
);

export const FileContent = z.object({
  type: Text,
  size: Count,
  encoding: Text,
  content: Text,
});
export type FileContent = z.infer<typeof FileContent>;
