import { runButton } from '../../chat/actions.js';
import type { Observation, Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { serverName } from '../../forge/index.js';
import { hookCard } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { firstOf, isNew } from '../find-sent.js';
import { bodyOf, shownBody, type Wanted } from './body.js';

/** Two hooks to one address would deliver everything twice. */
async function refuseSecond(args: Wanted, context: Context): Promise<string> {
  const { url } = bodyOf(args, context).config;
  for await (const hook of context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 })) {
    if (hook.config?.url !== url) continue;
    const off = hook.active ? '' : ', but it is inactive: activate it on the forge';
    throw new UserError(`Webhook ${hook.id} already calls that address${off}. See /forge hook list.`);
  }
  return new URL(url).host;
}

/** A server silently drops unknown event names, and the hook would never be called. */
async function refuseRunEvents({ events: asked = [], wake }: Wanted, { forge }: Context): Promise<void> {
  if (wake || !asked.includes('workflow_run') || (await forge.capabilities.has('runs.list'))) return;
  const here = serverName(await forge.capabilities.server());
  throw new UserError(`${here} sends no webhooks for runs; ${await forge.capabilities.remedy('runs.list')}.`, {
    field: 'events',
  });
}

export async function planHook(args: Wanted, context: Context) {
  await refuseRunEvents(args, context);
  return [request('admin.createHook', { body: shownBody(args, context) })];
}

export async function observeHooks(args: Wanted, context: Context): Promise<Observation> {
  const host = await refuseSecond(args, context);
  return {
    bound: { host, 'already there': false },
    shown: [
      ['Calls', host],
      ['Reaches', args.kind === 'default' ? 'repositories created from now on' : 'every repository'],
    ],
    wants: { says: `add a webhook that calls ${host}` },
  };
}

export async function createHook(args: Wanted, context: Context) {
  await refuseRunEvents(args, context);
  await refuseSecond(args, context);
  return context.api.admin.createHook({ body: bodyOf(args, context) });
}

export function findCreatedHook(args: Wanted, context: Context, sent: Sent) {
  const { url } = bodyOf(args, context).config;
  const all = context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 });
  return firstOf(all, (each) => each.config?.url === url && isNew(each.created_at, sent));
}

export function createdHookMessage(hook: Awaited<ReturnType<typeof createHook>>, _args: unknown, { now }: Context) {
  const all = runButton({ text: 'All webhooks', command: 'hook list' });
  return message({ blocks: hookCard(hook, { now, says: md`Created`, buttons: [all] }) });
}
