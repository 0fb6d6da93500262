import type { Button } from '@slack/types';
import { formButton, type MenuEntry, moreMenu, runButton } from '../chat/actions.js';
import type { RunRef } from '../chat/references.js';
import type { Event, RunFacts } from '../feed/event.js';
import { type InboxEvent, isInbox, isNamed, isReviewer } from '../feed/inbox-why.js';
import type { ItemState } from '../feed/item.js';
import type { Controls } from '../feed/ports.js';
import type { Standing } from '../feed/standing.js';
import { splitFullName } from '../full-name.js';
import { openButton } from '../view/elements.js';
import { stops } from './runs/read.js';

/** What the person who clicks can do about an event, with their own account. */
export function eventButtons(event: Event, standing: Standing): Controls {
  const { item, state, read, stage } = standing;
  const at = { ...splitFullName(event.repo.fullName), repoId: event.repo.id };
  const { number } = event.item;
  if (isInbox(event) && event.threadId !== undefined) {
    // read, closed or merged: nothing left to do here
    if (read || state === 'closed' || state === 'merged') return {};
    const args = { thread: { thread: event.threadId }, as: 'read' };
    const done = { text: 'Mark as done', command: 'inbox mark', args } as const;
    if (number === undefined) return { buttons: [runButton(done)] };
    const ref = { ...at, index: number };
    const part = partOf(event, item);
    if (part === 'reviewer') return { buttons: reviewerButtons(ref, event.item.url), menu: moreMenu([done]) };
    const close = runButton({ text: 'Close issue', command: 'issue close', args: { issue: ref } });
    const closes = part === 'assignee' && event.item.kind === 'issue';
    return { buttons: [comment(ref), ...(closes ? [close] : []), runButton(done)] };
  }
  if ('run' in event) {
    const ref = { ...at, run: event.run.id, number: event.run.number };
    return { buttons: stage ? openRunButtons(event, ref, stage) : runButtons(event, ref) };
  }
  return number === undefined ? {} : sharedControls(event, { ...at, index: number }, standing);
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

/** For a run that needs approval or looks stuck; once it continues, nothing is left to do here. */
function openRunButtons(event: RunEvent, run: RunRef, stage: NonNullable<Standing['stage']>): Button[] {
  const { approve, cancel, force } = event.run.offers ?? {};
  const buttons = [
    stage === 'waiting' && approve
      ? runButton({ text: 'Approve run', command: 'run approve', args: { run }, style: 'primary' })
      : undefined,
    stage === 'stuck' && cancel
      ? runButton({ text: 'Cancel run', command: 'run cancel', args: { run }, ...stops['run cancel'] })
      : undefined,
    stage === 'stuck' && force
      ? runButton({ text: 'Force-cancel', command: 'run force-cancel', args: { run }, ...stops['run force-cancel'] })
      : undefined,
    openButton(event.item.url),
  ];
  return buttons.filter((button) => button !== undefined);
}

type Ref = { readonly owner: string; readonly repo: string; readonly index: number };

const comment = (ref: Ref) => formButton({ text: 'Comment', command: 'issue comment', args: { issue: ref } });

/** All its updates, even of kinds the channel is not subscribed to. */
const follow = (item: Ref): MenuEntry => ({ text: 'Follow', command: 'follow', args: { item } });

const reviewerButtons = (pull: Ref, url: string) => [
  runButton({ text: 'Approve', command: 'pr approve', args: { pull }, style: 'primary' }),
  formButton({ text: 'Review', command: 'pr diff', args: { pull } }),
  openButton(url),
];

/** The reader's part according to the item; if it could not be read, according to the message. */
function partOf({ kind, reader }: InboxEvent, item: ItemState | undefined): 'reviewer' | 'assignee' | undefined {
  const known = item && reader !== undefined;
  const asked = kind === 'inbox:review_requested';
  if (known ? isReviewer(item, reader, asked) : asked) return 'reviewer';
  return (known ? isNamed(item.assignees, reader) : kind === 'inbox:assigned') ? 'assignee' : undefined;
}

/** Where a team's review is requested, or the card is about the request: one of them takes it. */
function claimButton(event: Event, pull: Ref, { item, reviewing }: Standing): Button | undefined {
  const { teams = [], reviewers = [] } = item ?? {};
  const isOffered = teams.length > 0 || (event.kind === 'reviews:requested' && reviewers.length > 0);
  if (reviewing) return runButton({ text: 'Hand back', command: 'review hand-back', args: { pull } });
  if (!isOffered) return undefined;
  return runButton({ text: 'Take it', command: 'review take', args: { pull }, style: 'primary' });
}

/** In a channel everyone sees the same card; people without permission get an explanation. */
function sharedControls(event: Event, ref: Ref, standing: Standing): Controls {
  const { item } = standing;
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
        follow(ref),
      ]),
    };
  }
  if (kind !== 'pull' || !open) return {};
  const args = { pull: ref };
  const claim = claimButton(event, ref, standing);
  const merge = { text: 'Merge', command: 'pr merge', args } as const;
  return {
    buttons: [
      ...(claim ? [claim] : []),
      runButton({ text: 'Approve', command: 'pr approve', args }),
      formButton({ text: 'Review', command: 'pr diff', args }),
      ...(claim ? [] : [formButton(merge)]),
    ],
    menu: moreMenu([
      claim ? { ...merge, form: true } : { text: 'Show details', command: 'pr show', args },
      { text: 'Comment…', command: 'issue comment', args: { issue: ref }, form: true },
      { text: 'Request reviews…', command: 'pr review', args, form: true },
      { text: 'Add to queue', command: 'queue', args },
      follow(ref),
    ]),
  };
}
