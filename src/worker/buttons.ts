import type { Button } from '@slack/types';
import { formButton, runButton } from '../chat/actions.js';
import type { RunRef } from '../chat/references.js';
import type { Event, RunFacts } from '../feed/event.js';
import type { ItemState } from '../feed/item.js';
import type { Standing } from '../feed/standing.js';
import { openButton } from '../view/elements.js';

/** What the person who clicks can do about an event, as themselves. */
export function eventButtons(event: Event, { item, state, read }: Standing): readonly Button[] {
  const [owner = '', repo = ''] = event.repo.fullName.split('/');
  const { number } = event.item;
  if ('threadId' in event && event.threadId !== undefined) {
    // read, closed or merged: there is nothing left to answer here
    if (read || state === 'closed' || state === 'merged') return [];
    const done = runButton({
      text: 'Mark read',
      command: 'inbox mark',
      args: { thread: { thread: event.threadId }, as: 'read' },
    });
    return number === undefined ? [done] : [done, ...itemButtons(event, { owner, repo, index: number }, item)];
  }
  if ('run' in event) {
    return runButtons(event, { owner, repo, run: event.run.id });
  }
  return number === undefined ? [] : itemButtons(event, { owner, repo, index: number }, item);
}

function runButtons(event: Event & { readonly run: RunFacts }, run: RunRef): Button[] {
  const { rerun, log } = event.run.offers ?? {};
  const again = rerun && runButton({ text: 'Rerun failed jobs', command: 'run rerun', args: { run, failed: true } });
  const why = log
    ? runButton({ text: 'Show log', command: 'run log', args: { run } })
    : runButton({ text: 'Show run', command: 'run show', args: { run } });
  return [again, why, openButton(event.item.url)].filter((button) => button !== undefined);
}

type Ref = { readonly owner: string; readonly repo: string; readonly index: number };

function itemButtons(event: Event, ref: Ref, item: ItemState | undefined): Button[] {
  const kind = item?.kind ?? event.item.kind;
  const open =
    item === undefined ? !event.kind.endsWith(':closed') && !event.kind.endsWith(':merged') : item.state === 'open';
  if (kind === 'issue') {
    const comment = formButton({ text: 'Comment', command: 'issue comment', args: { issue: ref } });
    return open
      ? [runButton({ text: 'Close', command: 'issue close', args: { issue: ref } }), comment]
      : [runButton({ text: 'Reopen', command: 'issue reopen', args: { issue: ref } }), comment];
  }
  if (kind !== 'pull' || !open) return [];
  return [
    formButton({ text: 'Request review', command: 'pr review', args: { pull: ref } }),
    runButton({ text: 'Show', command: 'pr show', args: { pull: ref } }),
  ];
}
