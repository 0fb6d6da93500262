import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issue, labels } from '../../chat/fields/index.js';
import type { ItemRef } from '../../chat/references.js';
import { edit, editReply, planEdit } from '../../domain/issues/edit.js';

/** Its current labels, plus the named ones, minus those with a leading minus. */
async function labeled(ref: ItemRef, named: readonly string[], { api }: Context) {
  const { labels: present } = await api.issues.get(ref);
  const removed = new Set(named.flatMap((name) => (name.startsWith('-') ? [name.slice(1).toLowerCase()] : [])));
  const added = named.filter((name) => !name.startsWith('-'));
  const left = present.map(({ name }) => name).filter((name) => !removed.has(name.toLowerCase()));
  const all = [...new Set([...left, ...added])];
  return { labels: all.length === 0 ? null : all };
}

export const issueLabel = command({
  name: 'issue label',
  aliases: ['label'],
  title: 'Add labels',
  summary: 'Add labels to an issue or pull request, or remove them with a minus',
  examples: ['issue label acme/engine#12 bug', 'issue label #12 bug,urgent,-wip'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    labels: labels({ hint: 'Write a minus before a label to remove it.' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  forPulls: 'pr edit',
  operations: ['issues.get', 'issues.edit', 'issues.setLabels', 'repos.listLabels', 'orgs.listLabels'],
  needs: ['issues.get'],
  plan: async ({ issue: ref, labels: named }, context) =>
    planEdit('issue', ref, await labeled(ref, named, context), context),
  run: async ({ issue: ref, labels: named }, context) =>
    edit('issue', ref, await labeled(ref, named, context), context),
  reply: (result, _args, context) => editReply(result, context),
});
