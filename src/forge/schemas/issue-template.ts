import { z } from 'zod';
import { listOf, maybe, Text } from './scalar.js';

const Loose = maybe(z.record(z.string(), z.unknown()));

/** Attributes and validations are whatever the file says. */
export const IssueFormField = z.object({
  type: Text,
  id: Text,
  attributes: Loose,
  validations: Loose,
  visible: listOf(z.string()),
});
export type IssueFormField = z.infer<typeof IssueFormField>;

/** From config.yaml beside the templates; a server that finds none allows blank issues. */
export const IssueConfig = z.object({ blank_issues_enabled: z.boolean() });

/** `body` is empty for a Markdown template, `content` for a form. */
export const IssueTemplate = z.object({
  name: Text,
  title: Text,
  about: Text,
  labels: listOf(z.string()),
  assignees: listOf(z.string()),
  content: Text,
  file_name: Text,
  body: listOf(IssueFormField),
});
export type IssueTemplate = z.infer<typeof IssueTemplate>;
