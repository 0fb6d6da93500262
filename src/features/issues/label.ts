import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { issue, labels } from '../../chat/fields.js';
import type { ItemRef } from '../../chat/references.js';
import { edit, editReply, planEdit } from './changes.js';
import { labelsFor, mostNames, unknownLabels } from './values.js';

/** Labels may be separated by spaces too: the longest name that exists counts, each with its own sign. */
function readChanges(typed: readonly string[], isKnown: (name: string) => boolean) {
  const [add, remove]: [string[], string[]] = [[], []];
  for (const entry of typed) {
    const words = entry.split(/\s+/);
    for (let from = 0; from < words.length; ) {
      const sign = /^[+-]/.exec(words[from] ?? '')?.[0] ?? '';
      const upTo = (end: number) => words.slice(from, end).join(' ').slice(sign.length);
      const ends = words.map((_, at) => words.length - at).filter((end) => end > from);
      const end = ends.find((each) => isKnown(upTo(each))) ?? from + 1;
      if (upTo(end) !== '') (sign === '-' ? remove : add).push(upTo(end));
      from = end;
    }
  }
  return { add, remove };
}

/** Its current labels, plus the named ones, minus those with a leading minus. */
async function setLabels(ref: ItemRef, typed: readonly string[], context: Context) {
  const [{ labels: present }, offered] = await Promise.all([
    context.api.issues.get(ref),
    labelsFor(context.api, ref, { max: mostNames }),
  ]);
  const fold = (name: string) => name.toLowerCase();
  const known = new Set([...present, ...offered].map(({ name }) => fold(name)));
  const { add, remove } = readChanges(typed, (name) => known.has(fold(name)));
  const unknown = remove.filter((name) => !known.has(fold(name)));
  if (unknown.length > 0) throw unknownLabels(ref, unknown, offered);
  const gone = new Set(remove.map(fold));
  const left = present.map(({ name }) => name).filter((name) => !gone.has(fold(name)));
  const more = add.filter((name) => !left.some((each) => fold(each) === fold(name)));
  const all = [...new Set([...left, ...more])];
  return { labels: all.length === 0 ? null : all };
}

export const issueLabel = command({
  name: 'issue label',
  aliases: ['label'],
  title: 'Add labels',
  summary: 'Add labels to an issue or pull request, or remove them with a minus',
  examples: ['issue label acme/engine#12 bug', 'issue label #12 bug,urgent,-wip', 'issue label #12 +bug -docs'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    labels: labels({ hint: 'Write a minus before a label to remove it.' }),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  approval: { forPulls: 'pr edit' },
  operations: ['issues.get', 'issues.edit', 'issues.setLabels', 'repos.listLabels', 'orgs.listLabels'],
  needs: ['issues.get'],
  plan: async ({ issue: ref, labels: named }, context) =>
    planEdit('issue', ref, await setLabels(ref, named, context), context),
  run: async ({ issue: ref, labels: named }, context) =>
    edit('issue', ref, await setLabels(ref, named, context), context),
  reply: (result, _args, context) => editReply(result, context),
});
