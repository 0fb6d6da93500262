import type { EntityMetadata, KnownBlock } from '@slack/types';
import type { Catalog } from '../chat/command.js';
import type { Context } from '../chat/context.js';
import { bindButtons, fitBlocks } from '../chat/fitted.js';
import { fullName, type ItemRef, type RunRef } from '../chat/references.js';
import { itemMessage } from '../features/issues/card.js';
import { pullMessage } from '../features/pulls/card.js';
import { runAt, runBlocks, workflowOf } from '../features/runs/read.js';
import { itemThread, runThread } from '../feed/item.js';
import { withOpenRequests } from '../forge/review-requests.js';
import type { Repository } from '../forge/schemas.js';
import { prettyBody } from '../view/body.js';
import { buttonsIn, type EntityFacts, entity } from '../view/entity.js';
import { issueState, pullState, runState } from '../view/state.js';
import type { Page } from './unfurl-card.js';

type Drawable = Extract<Page, { kind: 'issue' | 'pull' | 'run' }>;

export const isDrawable = (page: Page): page is Drawable =>
  page.kind === 'issue' || page.kind === 'pull' || page.kind === 'run';

type Facts = Omit<EntityFacts, 'product' | 'posted' | 'buttons'> & { readonly blocks: readonly KnownBlock[] };

const names = (all: readonly { readonly login: string }[]) => all.map(({ login }) => login);
const labelsOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(', ');

async function issueFacts(ref: ItemRef, { id }: Repository, context: Context): Promise<Facts> {
  const issue = await context.api.issues.get(ref);
  const pull = issue.pull_request;
  return {
    ref: { id: itemThread(id, issue.number), type: pull ? 'pull' : 'issue' },
    url: issue.html_url,
    kind: pull ? 'Pull request' : 'Issue',
    name: `#${issue.number}`,
    title: issue.title,
    status: pull ? pullState({ state: issue.state, merged: pull.merged, draft: pull.draft }) : issueState(issue.state),
    author: issue.user?.login,
    assignees: names(issue.assignees),
    description: prettyBody(issue.body, 1_500),
    created: issue.created_at,
    updated: issue.updated_at,
    due: issue.due_date,
    more: [
      ['repository', 'Repository', fullName(ref)],
      ['labels', 'Labels', labelsOf(issue.labels)],
      ['milestone', 'Milestone', issue.milestone?.title],
    ],
    blocks: itemMessage(issue, { ref }, context).blocks,
  };
}

async function pullFacts(ref: ItemRef, { id }: Repository, context: Context): Promise<Facts> {
  const { api } = context;
  const pull = await withOpenRequests(api, ref, await api.pulls.get(ref));
  const asked = [...names(pull.requested_reviewers), ...pull.requested_reviewers_teams.map(({ name }) => name)];
  return {
    ref: { id: itemThread(id, pull.number), type: 'pull' },
    url: pull.html_url,
    kind: 'Pull request',
    name: `#${pull.number}`,
    title: pull.title,
    status: pullState({ state: pull.state ?? 'open', merged: pull.merged, draft: pull.draft }),
    author: pull.user?.login,
    assignees: names(pull.assignees),
    description: prettyBody(pull.body, 1_500),
    created: pull.created_at,
    updated: pull.updated_at,
    due: pull.due_date,
    more: [
      ['repository', 'Repository', fullName(ref)],
      ['branches', 'Branches', pull.base && pull.head ? `${pull.base.ref} ← ${pull.head.ref}` : undefined],
      ['reviewers', 'Waiting on', asked.join(', ')],
      ['labels', 'Labels', labelsOf(pull.labels)],
    ],
    blocks: pullMessage(pull, { ref }, context).blocks,
  };
}

async function runFacts(ref: RunRef, context: Context): Promise<Facts> {
  const run = await runAt(ref, context);
  return {
    ref: { id: runThread(run.id), type: 'run' },
    url: run.html_url,
    kind: 'Workflow run',
    name: `run ${run.run_number}`,
    title: run.display_title,
    status: runState({ status: run.status, conclusion: run.conclusion }),
    author: run.trigger_actor?.login ?? run.actor?.login,
    created: run.started_at ?? run.created_at,
    updated: run.completed_at ?? run.updated_at,
    more: [
      ['repository', 'Repository', fullName(ref)],
      ['workflow', 'Workflow', workflowOf(run)],
      ['branch', 'Branch', run.head_branch],
      ['event', 'Trigger', run.event],
    ],
    blocks: runBlocks(run, ref, { now: context.now }),
  };
}

function factsOf(page: Drawable, repository: Repository, context: Context): Promise<Facts> {
  switch (page.kind) {
    case 'issue':
      return issueFacts(page.of, repository, context);
    case 'pull':
      return pullFacts(page.of, repository, context);
    case 'run':
      return runFacts(page.of, context);
  }
}

/** As this context's account sees it, with its card's buttons. */
export async function workObject(
  page: Drawable,
  repository: Repository,
  context: Context,
  { catalog, posted }: { readonly catalog: Catalog; readonly posted?: string },
): Promise<EntityMetadata> {
  const { forge } = context;
  const { blocks, ...facts } = await factsOf(page, repository, context);
  const { product } = await forge.capabilities.server();
  const bound = await bindButtons(await fitBlocks(blocks, catalog, forge), catalog, context.repoId);
  return entity({ ...facts, product, posted, buttons: buttonsIn(bound) });
}
