import { z } from 'zod';
import { Count, maybe, Text } from './scalar.js';

export const Workflow = z.object({
  /** The file name, which every other call takes. */
  id: z.string(),
  /** From the file, or its file name. */
  name: Text,
  path: Text,
  /** `active`, or `disabled_…` with the reason. */
  state: Text,
  html_url: Text,
});
export type Workflow = z.infer<typeof Workflow>;

/** Which run a dispatch started: `workflow_run_id` at Gitea, `id` at Forgejo; older servers do not say. */
export const Dispatched = maybe(
  z
    .object({ workflow_run_id: maybe(z.int()), id: maybe(z.int()) })
    .transform(({ workflow_run_id, id }) => ({ run: workflow_run_id ?? id })),
);

const folder = { type: 'dir', size: 0, encoding: '', content: '' };

/** A folder is answered with a list of what is in it. */
export const FileContent = z
  .array(z.unknown())
  .transform(() => folder)
  .or(z.object({ type: Text, size: Count, encoding: Text, content: Text }));
export type FileContent = z.infer<typeof FileContent>;
