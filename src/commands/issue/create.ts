import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { body, date, flag, labels, milestone, optional, people, repository, rest } from '../../chat/fields/index.js';
import type { Milestone } from '../../chat/fields/tags.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { itemMessage } from '../../domain/issues/card.js';
import { endOfDay } from '../../domain/issues/due-date.js';
import { leftOutSentence } from '../../domain/issues/left-out.js';
import { labelIds, milestoneId, refuseStrangers } from '../../domain/issues/names.js';
import { type Filling, filled, fromTemplate } from '../../domain/issues/template/fill.js';
import { firstOf, isMine, isNew, sameText } from '../../domain/look-for.js';
import { md } from '../../view/text.js';
import { answers, template } from './template/field.js';

interface New extends Filling {
  readonly milestone?: Milestone | undefined;
  readonly due?: string | undefined;
}

async function inputOf(given: New, context: Context) {
  const { repository, title, ...more } = await filled(given, context);
  const { owner, repo } = repository;
  const { body, assignees, due } = more;
  if (assignees) await refuseStrangers({ owner, repo }, assignees, context);
  const labels = more.labels && (await labelIds({ owner, repo }, more.labels, context));
  const milestone = more.milestone && (await milestoneId({ owner, repo }, more.milestone, context));
  return {
    owner,
    repo,
    body: {
      title,
      ...(body === undefined ? {} : { body }),
      ...(assignees === undefined ? {} : { assignees: [...assignees] }),
      ...(labels === undefined ? {} : { labels }),
      ...(milestone === undefined ? {} : { milestone }),
      ...(due === undefined ? {} : { due_date: endOfDay(due) }),
    },
  };
}

export const issueCreate = command({
  name: 'issue create',
  aliases: ['open', 'issue new'],
  summary: 'Open an issue',
  examples: [
    'issue create acme/engine Leaking pipe',
    'issue create acme/engine "Leaking pipe" --labels bug --assignees me --due fri',
  ],
  fields: {
    repository: repository(),
    template: flag(template()),
    title: rest({ label: 'Title' }),
    body: optional(body({ label: 'Text', hint: 'Markdown.' })),
    assignees: flag(people({ label: 'Assignees' })),
    labels: flag(labels()),
    milestone: flag(milestone()),
    due: flag(date({ label: 'Due date' })),
    answers: answers(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: [
    'issues.create',
    'issues.search',
    'repos.listAssignees',
    'repos.listLabels',
    'orgs.listLabels',
    'repos.listMilestones',
    'repos.listIssueTemplates',
    'repos.getFile',
  ],
  needs: ['issues.create'],
  asks: { into: 'answers', choice: 'template', locks: ['repository'], of: fromTemplate },
  plan: async (args, context) => [request('issues.create', await inputOf(args, context))],
  run: async (args, context) => context.api.issues.create(await inputOf(args, context)),
  findDone({ repository, title }, context, sent) {
    const query = {
      type: 'issues',
      state: 'all',
      created: true,
      owner: repository.owner,
      since: sent.since.toISOString(),
    } as const;
    const here = fullName(repository).toLowerCase();
    return firstOf(
      context.api.issues.search.each({ query }, { max: 500 }),
      (each) =>
        each.repository?.full_name.toLowerCase() === here &&
        isMine(each.user, context) &&
        isNew(each.created_at, sent) &&
        sameText(each.title, title),
    );
  },
  reply(made, { repository, ...wanted }, context) {
    const notes = leftOutSentence(wanted, made).map((line) => `⚠️ ${line}`);
    return itemMessage(made, { ref: { ...repository, index: made.number }, says: md`Opened`, notes }, context);
  },
});
