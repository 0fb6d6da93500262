// Only for administrators: runners, scheduled tasks, hooks, addresses.
import type { KnownBlock } from '@slack/types';
import { count, frame, type Look, some, when } from '../look.js';
import { runnerState } from '../state.js';
import { bold, code, join, md } from '../text.js';
import type { Instant } from '../when.js';

export interface RunnerLike {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly busy?: boolean | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly ephemeral?: boolean | null | undefined;
  readonly labels?: readonly { readonly name: string }[] | null | undefined;
}

export function runnerCard(runner: RunnerLike, look: Look): KnownBlock[] {
  const labels = (runner.labels ?? []).map((label) => code(label.name));
  return frame(
    {
      state: runnerState(runner),
      subject: bold(runner.name || `runner ${runner.id}`),
      facts: [`id ${runner.id}`, some(labels, 8), runner.ephemeral ? 'one job only' : undefined],
    },
    look,
  );
}

export interface CronLike {
  readonly name: string;
  readonly schedule?: string | null | undefined;
  readonly next?: Instant;
  readonly prev?: Instant;
  readonly exec_times?: number | null | undefined;
}

export function cronRow(task: CronLike, look: Look): KnownBlock[] {
  const last = when(task.prev, look);
  const next = when(task.next, look);
  return frame(
    {
      subject: bold(task.name),
      facts: [
        task.schedule ? code(task.schedule) : undefined,
        last === undefined ? 'has not run yet' : md`ran ${last}`,
        next === undefined ? undefined : md`next ${next}`,
        task.exec_times ? count(task.exec_times, 'time') : undefined,
      ],
    },
    { style: 'row', ...look },
  );
}

export interface HookLike {
  readonly id: number;
  readonly type: string;
  readonly name?: string | null | undefined;
  readonly active?: boolean | null | undefined;
  readonly events?: readonly string[] | null | undefined;
  readonly branch_filter?: string | null | undefined;
  readonly config?: { readonly url?: string | null | undefined } | null | undefined;
  readonly created_at?: Instant;
}

export function hookCard(hook: HookLike, look: Look): KnownBlock[] {
  return frame(
    {
      state: hook.active ? '🟢 Active' : '⏸️ Off',
      subject: join([md`webhook ${bold(hook.name || String(hook.id))}`, hostOf(hook.config?.url)], ' to '),
      facts: [
        `id ${hook.id}`,
        hook.type,
        some((hook.events ?? []).map((event) => code(event))),
        hook.branch_filter ? md`branches ${code(hook.branch_filter)}` : undefined,
        when(hook.created_at, look),
      ],
    },
    look,
  );
}

// For a chat service the address is the credential, and elsewhere it may contain one.
function hostOf(url: string | null | undefined) {
  return url && URL.canParse(url) ? code(new URL(url).host) : undefined;
}

export interface EmailLike {
  readonly email: string;
  readonly verified?: boolean | null | undefined;
  readonly primary?: boolean | null | undefined;
  readonly username?: string | null | undefined;
}

export function emailRow(email: EmailLike, look: Look): KnownBlock[] {
  return frame(
    {
      state: email.verified ? '✅ Verified' : '⚪ Unverified',
      subject: bold(email.email),
      facts: [email.username || undefined, email.primary ? 'primary' : undefined],
    },
    { style: 'line', ...look },
  );
}
