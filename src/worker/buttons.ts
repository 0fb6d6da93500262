import type { Button } from '@slack/types';
import { formButton, moreMenu, runButton } from '../chat/actions.js';
import type { RunRef } from '../chat/references.js';
import type { Event, RunFacts } from '../feed/event.js';
import type { ItemState } from '../feed/item.js';
import type { Controls } from '../feed/ports.js';
import type { Standing } from '../feed/standing.js';
import { splitFullName } from '../forge/full-name.js';
import { openButton } from '../view/elements.js';

/** What the person who clicks can do about an event, as themselves. */
export function eventButtons(event: Event, { item, state, read, stage }: Standing): Controls {
  const { owner, repo } = splitFullName(event.repo.fullName);
  const { number } = event.item;
  if ('threadId' in event && event.threadId !== undefined) {
    // read, closed or merged: there is nothing left to answer here
    if (read || state === 'closed' || state === 'merged') return {};
    const done = runButton({
      text: 'Mark as done',
      command: 'inbox mark',
      args: { thread: { thread: event.threadId }, as: 'read' },
    });
    const part = number === undefined ? [] : personal(event, { owner, repo, index: number });
    return { buttons: [...part, done] };
  }
  if ('run' in event) {
    const ref = { owner, repo, run: event.run.id };
    return { buttons: stage ? openRunButtons(event, ref, stage) : runButtons(event, ref) };
  }
  return number === undefined ? {} : shared(event, { owner, repo, index: number }, item);
}

type RunEvent = Event & { readonly run: RunFacts };

function runButtons(event: RunEvent, run: RunRef): Button[] {
  const { rerun, log } = event.run.offers ?? {};
  const again = rerun && runButton({ text: 'Rerun failed jobs', command: 'run rerun', args: { run, failed: true } });
  const why = log
    ? runButton({ text: 'Show log', command: 'run log', args: { run } })
    : runButton({ text: 'Show run', command: 'run show', args: { run } });
  return [again, why, openButton(event.item.url)].filter((button) => button !== undefined);
}

const stopping = {
  title: 'Cancel this run?',
  text: 'Its jobs will stop.',
  confirm: 'Cancel run',
  deny: 'Keep running',
};

/** Of a run that waits for approval or looks stuck; once it goes on there is nothing left to do about it here. */
function openRunButtons(event: RunEvent, run: RunRef, stage: NonNullable<Standing['stage']>): Button[] {
  const { approve, cancel, force } = event.run.offers ?? {};
  const buttons = [
    stage === 'waiting' && approve
      ? runButton({ text: 'Approve run', command: 'run approve', args: { run }, style: 'primary' })
      : undefined,
    stage === 'stuck' && cancel
      ? runButton({ text: 'Cancel run', command: 'run cancel', args: { run }, confirm: stopping })
      : undefined,
    stage === 'stuck' && force
      ? runButton({ text: 'Force-cancel', command: 'run force-cancel', args: { run }, style: 'danger' })
      : undefined,
    openButton(event.item.url),
  ];
  return buttons.filter((button) => button !== undefined);
}

type Ref = { readonly owner: string; readonly repo: string; readonly index: number };

const comment = (ref: Ref) => formButton({ text: 'Comment', command: 'issue comment', args: { issue: ref } });

/** By the reader's part: reviewers decide, assignees answer and close. */
function personal({ kind, item }: Event, ref: Ref): Button[] {
  if (kind === 'inbox:review_requested') {
    const args = { pull: ref };
    return [
      runButton({ text: 'Approve', command: 'pr approve', args, style: 'primary' }),
      formButton({ text: 'Request changes', command: 'pr request-changes', args }),
    ];
  }
  const close = runButton({ text: 'Close issue', command: 'issue close', args: { issue: ref } });
  return kind === 'inbox:assigned' && item.kind === 'issue' ? [comment(ref), close] : [comment(ref)];
}

/** In a channel everybody reads the same card; who may not is told why. */
function shared(event: Event, ref: Ref, item: ItemState | undefined): Controls {
  const kind = item?.kind ?? event.item.kind;
  const open =
    item === undefined ? !event.kind.endsWith(':closed') && !event.kind.endsWith(':merged') : item.state === 'open';
  if (kind === 'issue') {
    const args = { issue: ref };
    if (!open) return { buttons: [comment(ref), runButton({ text: 'Reopen', command: 'issue reopen', args })] };
    return {
      buttons: [comment(ref), runButton({ text: 'Close', command: 'issue close', args })],
      menu: moreMenu([
        { text: 'Assign…', command: 'issue assign', args, form: true },
        { text: 'Edit…', command: 'issue edit', args, form: true },
        { text: 'Set due date…', command: 'issue due', args, form: true },
      ]),
    };
  }
  if (kind !== 'pull' || !open) return {};
  const args = { pull: ref };
  return {
    buttons: [
      runButton({ text: 'Approve', command: 'pr approve', args }),
      comment(ref),
      formButton({ text: 'Merge', command: 'pr merge', args }),
    ],
    menu: moreMenu([
      { text: 'Show details', command: 'pr show', args },
      { text: 'Request changes…', command: 'pr request-changes', args, form: true },
      { text: 'Request reviews…', command: 'pr review', args, form: true },
      { text: 'Edit…', command: 'pr edit', args, form: true },
    ]),
  };
}
