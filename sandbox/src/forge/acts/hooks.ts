import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'undici';
import { compilePattern } from '../../../../src/pattern.js';
import { forgejoShape } from '../forgejo/shape.js';
import { plainUser } from '../render/people.js';
import { repoJson } from '../render/repos.js';
import type { View } from '../render/view.js';
import type { User } from '../state/people.js';
import type { Hook } from '../state/records.js';
import type { Repo } from '../state/repo.js';
import { isForgejo, type Site } from '../state/site.js';
import type { State } from '../state/state.js';

export interface HookEvent {
  /** The group, as in X-Gitea-Event. */
  readonly event: string;
  /** The exact kind, as in X-Gitea-Event-Type. */
  readonly type: string;
  readonly repo: Repo;
  readonly sender: User;
  readonly branch?: string;
  /** Without repository and sender beside its subject. */
  readonly bare?: true;
  /** Drawn only if someone listens. */
  readonly payload: (view: View) => Readonly<Record<string, unknown>>;
}

const groups: Record<string, readonly string[]> = {
  issues: ['issues', 'issue_assign', 'issue_label', 'issue_milestone'],
  issues_only: ['issues'],
  pull_request: [
    'pull_request',
    'pull_request_assign',
    'pull_request_label',
    'pull_request_milestone',
    'pull_request_sync',
    'pull_request_review_request',
  ],
  pull_request_only: ['pull_request'],
  pull_request_review: ['pull_request_review_approved', 'pull_request_review_rejected', 'pull_request_review_comment'],
};

/** `main` or `{main,release*}`; a star matches slashes here. */
const fits = (filter: string, branch: string): boolean =>
  (/^\{(.*)\}$/.exec(filter)?.[1]?.split(',') ?? [filter]).some((one) =>
    compilePattern(one.replaceAll(/\*+/g, '**'))(branch),
  );

const wants = (hook: Hook, event: HookEvent): boolean =>
  hook.active &&
  (hook.scope === 'system' || hook.scope === event.repo) &&
  (hook.branchFilter === '' || event.branch === undefined || fits(hook.branchFilter, event.branch)) &&
  hook.events.some((name) => name === event.type || groups[name]?.includes(event.type) === true);

export function emit(state: State, event: HookEvent): void {
  const hooks = [...state.hooks.values()].filter((hook) => wants(hook, event));
  if (hooks.length === 0) return;
  const view: View = { state, viewer: undefined };
  const about = { repository: repoJson(view, event.repo), sender: plainUser(view, event.sender) };
  const payload = JSON.stringify(forgejoShape(state.site, { ...event.payload(view), ...(event.bare ? {} : about) }));
  for (const hook of hooks) {
    const sent = deliver(state, hook, event, payload).finally(() => state.pending.delete(sent));
    state.pending.add(sent);
  }
}

/** The same four under every ancestor's names; Forgejo adds its own. */
function named(product: string, delivery: string, event: HookEvent, signature: string): Record<string, string> {
  return {
    [`x-${product}-delivery`]: delivery,
    [`x-${product}-event`]: event.event,
    [`x-${product}-event-type`]: event.type,
    ...(product === 'github' ? {} : { [`x-${product}-signature`]: signature }),
  };
}

function headersOf(site: Site, hook: Hook, event: HookEvent, payload: string): Record<string, string> {
  const signature = hook.secret === '' ? '' : createHmac('sha256', hook.secret).update(payload).digest('hex');
  const delivery = randomUUID();
  const names = isForgejo(site) ? ['gitea', 'gogs', 'github', 'forgejo'] : ['gitea'];
  return {
    'content-type': hook.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    ...Object.assign({}, ...names.map((name) => named(name, delivery, event, signature))),
    'x-hub-signature':
      hook.secret === '' ? '' : `sha1=${createHmac('sha1', hook.secret).update(payload).digest('hex')}`,
    'x-hub-signature-256': signature === '' ? '' : `sha256=${signature}`,
    ...(isForgejo(site)
      ? {}
      : { 'x-gitea-hook-installation-target-type': hook.scope === 'system' ? 'system' : 'repository' }),
    ...(hook.authorization === '' ? {} : { authorization: hook.authorization }),
  };
}

/** Names that are reserved for examples: nobody listens there, and looking for them takes longer than all else. */
const nowhere = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|test)$/;

/** Once, with five seconds and no retry, like the forge. */
async function deliver(state: State, hook: Hook, event: HookEvent, payload: string): Promise<void> {
  let status: number | undefined;
  try {
    if (nowhere.test(new URL(hook.url).hostname)) throw new Error('no such host');
    const answer = await request(hook.url, {
      method: 'POST',
      headers: headersOf(state.site, hook, event, payload),
      body: hook.contentType === 'json' ? payload : new URLSearchParams({ payload }).toString(),
      headersTimeout: 5000,
      bodyTimeout: 5000,
      signal: AbortSignal.timeout(5000),
    });
    await answer.body.dump();
    status = answer.statusCode;
  } catch {
    status = undefined;
  }
  state.deliveries.push({ hook: hook.id, event: event.type, url: hook.url, status });
}
