// How a request ends: done, failed, in progress, or with unknown outcome.
import type { Button, KnownBlock } from '@slack/types';
import { actions, type Blocks, context, fields, type Pair, richText, section } from '../blocks.js';
import { code, codeText, type Mrkdwn, md, type Value } from '../text.js';
import { describeElapsed } from '../when.js';

function present(blocks: Blocks): KnownBlock[] {
  return blocks.filter((block) => block !== undefined);
}

export interface Done {
  /** `Closed #12 Leaking pipe.` */
  readonly says: Mrkdwn;
  readonly facts?: readonly (Value | undefined)[];
  /** Parts that failed, each stated exactly. */
  readonly but?: readonly Value[];
  readonly details?: readonly Pair[];
  /** Undo, open, … */
  readonly buttons?: readonly (Button | undefined)[];
}

export function doneCard(done: Done): KnownBlock[] {
  const but = (done.but ?? []).map((line) => section(md`⚠️ ${line}`));
  return present([
    section(md`${but.length > 0 ? '☑️' : '✅'} ${done.says}`),
    ...but,
    ...fields(done.details ?? []),
    context(done.facts ?? []),
    actions(...(done.buttons ?? [])),
  ]);
}

export interface Failure {
  readonly says: string | Mrkdwn;
  /** What to do next, as text. */
  readonly next?: string | Mrkdwn | undefined;
  /** What to type next: `/forge signin`. */
  readonly attempt?: string | undefined;
  /** Where to find it in the log; only for defects. */
  readonly reference?: string | undefined;
  readonly buttons?: readonly (Button | undefined)[];
}

export function failureCard(failure: Failure): KnownBlock[] {
  const says = typeof failure.says === 'string' ? codeText(failure.says) : failure.says;
  return present([
    section(md`⚠️ ${says}`),
    context([
      failure.next,
      failure.attempt === undefined ? undefined : md`Try: ${code(failure.attempt)}`,
      failure.reference === undefined ? undefined : md`Reference ${code(failure.reference)}`,
    ]),
    actions(...(failure.buttons ?? [])),
  ]);
}

export interface Progress {
  readonly says: Mrkdwn;
  readonly since?: Date | undefined;
  readonly buttons?: readonly (Button | undefined)[];
}

export function progressCard(progress: Progress, now: Date): KnownBlock[] {
  const passed = progress.since === undefined ? undefined : describeElapsed(now.getTime() - progress.since.getTime());
  return present([
    section(md`⏳ ${progress.says}`),
    context([passed === undefined ? undefined : `${passed} so far`]),
    actions(...(progress.buttons ?? [])),
  ]);
}

export interface Unknown {
  /** The command: `issue create`. */
  readonly asked: Mrkdwn;
  /** Where the person can check whether it happened. */
  readonly look: Mrkdwn;
}

/** A request that was sent but never answered; it is not sent again. */
export function unknownCard(unknown: Unknown): KnownBlock[] {
  return present([
    section(md`❓ The forge did not confirm ${unknown.asked}.`),
    context([md`Check ${unknown.look} before trying again.`]),
  ]);
}

const secretBlock = 'secret';

/** Shown once, only to the requester, verbatim. */
export function secretCard(says: Mrkdwn, secret: string, facts: readonly (Value | undefined)[] = []): KnownBlock[] {
  return present([
    section(md`🔑 ${says}`),
    { ...richText([{ type: 'text', text: secret, style: { code: true } }]), block_id: secretBlock },
    context(['Shown only to you, and not again: copy it now.', ...facts]),
  ]);
}

/** In a conversation the secret would stay: people cannot delete a message of an app, so a button does. */
export function withDelete(blocks: readonly KnownBlock[], remove: Button): KnownBlock[] {
  if (!blocks.some(({ block_id }) => block_id === secretBlock)) return [...blocks];
  return present([...blocks, section(md`Delete this message after copying it.`), actions(remove)]);
}
