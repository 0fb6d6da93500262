import { z } from 'zod';
import { command, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import {
  body,
  date,
  flag,
  hidden,
  labels,
  type Milestone,
  milestone,
  type Needed,
  optional,
  people,
  plainField,
  repository,
  rest,
} from '../../chat/fields.js';
import { fullName } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import type { Issue } from '../../forge/schemas.js';
import { md } from '../../view/text.js';
import { firstOf, isMine, isNew, sameText } from '../find.js';
import { itemMessage } from './card.js';
import { type Filling, type FormAnswers, fillFromTemplate, fromTemplate } from './template.js';
import { endOfDay, labelIds, leftOutSentence, milestoneId, refuseStrangers } from './values.js';

interface NewIssue extends Filling {
  readonly milestone?: Milestone | undefined;
  readonly due?: string | undefined;
}

async function inputOf(given: NewIssue, context: Context) {
  const { repository, title, ...more } = await fillFromTemplate(given, context);
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

const planIssue = async (args: NewIssue, context: Context) => [request('issues.create', await inputOf(args, context))];

const createIssue = async (args: NewIssue, context: Context) => context.api.issues.create(await inputOf(args, context));

function findCreatedIssue({ repository, title }: NewIssue, context: Context, sent: Sent) {
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

function createdIssueMessage(made: Issue, { repository, ...wanted }: NewIssue, context: Context) {
  const notes = leftOutSentence(wanted, made).map((line) => `⚠️ ${line}`);
  return itemMessage(made, { ref: { ...repository, index: made.number }, says: md`Opened`, notes }, context);
}

/** A template of the repository, by file or name. */
function template(): Needed<string> {
  return plainField(
    { hint: 'Choosing one loads its text or its questions.' },
    {
      label: 'Template',
      placeholder: 'bug.yaml',
      input: { kind: 'external', source: 'templates' },
      schema: z.string().min(1).max(150),
      read: (text) => {
        const name = text.trim();
        if (name !== '' && name.length <= 150) return name;
        throw new UserError('Write the template’s file name, such as bug.yaml.');
      },
      show: (name) => name,
    },
  );
}

const Answers = z.record(z.string().min(1).max(100), z.string().max(3_000));

/** The answers to a template's questions; only its form asks them. */
const answers = () =>
  hidden(
    plainField<FormAnswers>(
      {},
      {
        label: 'Answers',
        placeholder: '',
        input: { kind: 'text' },
        schema: Answers,
        read: () => {
          throw new UserError('Answer the questions of a template in its form.');
        },
        show: () => '',
      },
    ),
  );

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
  form: { asks: { into: 'answers', choice: 'template', locks: ['repository'], of: fromTemplate } },
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
    'repos.getIssueConfig',
    'repos.getFile',
  ],
  needs: ['issues.create'],
  plan: planIssue,
  run: createIssue,
  findDone: findCreatedIssue,
  reply: createdIssueMessage,
});
