import type { Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import type { Milestone } from '../../chat/fields/tags.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import type { Issue } from '../../forge/schemas/issue.js';
import { md } from '../../view/text.js';
import { firstOf, isMine, isNew, sameText } from '../find-sent.js';
import { itemMessage } from './card.js';
import { endOfDay } from './due-date.js';
import { leftOutSentence } from './left-out.js';
import { labelIds, milestoneId, refuseStrangers } from './names.js';
import { type Filling, filled } from './template/fill.js';

interface NewIssue extends Filling {
  readonly milestone?: Milestone | undefined;
  readonly due?: string | undefined;
}

async function inputOf(given: NewIssue, context: Context) {
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

export const planIssue = async (args: NewIssue, context: Context) => [
  request('issues.create', await inputOf(args, context)),
];

export const createIssue = async (args: NewIssue, context: Context) =>
  context.api.issues.create(await inputOf(args, context));

export function findCreatedIssue({ repository, title }: NewIssue, context: Context, sent: Sent) {
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
}

export function createdIssueMessage(made: Issue, { repository, ...wanted }: NewIssue, context: Context) {
  const notes = leftOutSentence(wanted, made).map((line) => `⚠️ ${line}`);
  return itemMessage(made, { ref: { ...repository, index: made.number }, says: md`Opened`, notes }, context);
}
