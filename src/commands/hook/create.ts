import { runButton } from '../../chat/actions.js';
import { command } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { address, choice, choices, flag, glob, optional, secret, text, toggle } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { bodyOf, events, shownBody, types, type Wanted } from '../../domain/hooks/body.js';
import { firstOf, isNew } from '../../domain/look-for.js';
import { UserError } from '../../errors.js';
import { serverName } from '../../forge/index.js';
import { hookCard } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';

/** Two hooks to one place would tell everything twice. */
async function refuseSecond(args: Wanted, context: Context): Promise<string> {
  const { url } = bodyOf(args, context).config;
  for await (const hook of context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 })) {
    if (hook.config?.url !== url) continue;
    const off = hook.active ? '' : ', but it is inactive: activate it on the forge';
    throw new UserError(`Webhook ${hook.id} already calls that address${off}. See /forge hook list.`);
  }
  return new URL(url).host;
}

/** A server drops the name of an event that it does not know, and the hook would never be called. */
async function refuseRunEvents({ events: asked = [], wake }: Wanted, { forge }: Context): Promise<void> {
  if (wake || !asked.includes('workflow_run') || (await forge.capabilities.has('runs.list'))) return;
  const here = serverName(await forge.capabilities.server());
  throw new UserError(`${here} sends no webhooks for runs; ${await forge.capabilities.remedy('runs.list')}.`, {
    field: 'events',
  });
}

export const hookCreate = command({
  name: 'hook create',
  summary: 'Create a webhook for the whole forge',
  examples: ['hook create --wake', 'hook create https://ci.example.org/forge --events push,pull_request'],
  fields: {
    address: optional(address({ placeholder: 'https://ci.example.org/hook' })),
    secretAddress: optional(
      secret({ label: 'Secret address', hint: 'For chat services, whose addresses are secrets.' }),
    ),
    type: flag(choice(types, { label: 'Type', hint: 'Leave empty for gitea.' })),
    events: flag(choices(events, { label: 'Events', hint: 'Leave empty for push.' })),
    branches: flag(glob({ label: 'Branches' })),
    kind: flag(choice(['system', 'default'], { label: 'Kind', hint: 'Leave empty for system: every repository.' })),
    content: flag(choice(['json', 'form'], { label: 'Content type' })),
    channel: flag(text({ label: 'Channel', hint: 'For Slack webhooks only.', max: 100 })),
    title: flag(text({ label: 'Name' })),
    asleep: toggle({ label: 'Inactive', text: 'Create it inactive' }),
    secret: optional(secret({ label: 'Signing secret' })),
    authorization: optional(secret({ label: 'Authorization header' })),
    wake: toggle({ label: 'Instant updates', text: 'Notify Bellows of new events; leave the other fields empty' }),
  },
  role: 'admin',
  risk: 'risky',
  effect: 'once',
  form: 'always',
  operations: ['admin.createHook', 'admin.listHooks'],
  async plan(args, context) {
    await refuseRunEvents(args, context);
    return [request('admin.createHook', { body: shownBody(args, context) })];
  },
  async observe(args, context) {
    const host = await refuseSecond(args, context);
    return {
      bound: { host, 'already there': false },
      shown: [
        ['Calls', host],
        ['Reaches', args.kind === 'default' ? 'repositories created from now on' : 'every repository'],
      ],
      wants: { says: `add a webhook that calls ${host}` },
    };
  },
  async run(args, context) {
    await refuseRunEvents(args, context);
    await refuseSecond(args, context);
    return context.api.admin.createHook({ body: bodyOf(args, context) });
  },
  findDone(args, context, sent) {
    const { url } = bodyOf(args, context).config;
    const all = context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 });
    return firstOf(all, (each) => each.config?.url === url && isNew(each.created_at, sent));
  },
  reply: (hook, _args, { now }) => {
    const all = runButton({ text: 'All webhooks', command: 'hook list' });
    return message({ blocks: hookCard(hook, { now, says: md`Created`, buttons: [all] }) });
  },
});
