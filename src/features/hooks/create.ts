import { runButton } from '../../chat/actions.js';
import { command, type Observation, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { address, choice, choices, flag, glob, optional, secret, text, toggle } from '../../chat/fields.js';
import { request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { whereKnown } from '../../forge/forgejo.js';
import { serverName } from '../../forge/index.js';
import { hookCard } from '../../view/cards/fleet.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { firstOf, isNew } from '../find.js';

/** Types whose address is not a secret; for all others the address itself is the credential. */
const openTypes = ['gitea', 'gogs', 'packagist'] as const;
const chatTypes = ['slack', 'discord', 'dingtalk', 'telegram', 'msteams', 'feishu', 'wechatwork', 'matrix'] as const;
const types = [...openTypes, ...chatTypes] as const;

const events = [
  'push',
  'create',
  'delete',
  'fork',
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_request',
  'pull_request_sync',
  'release',
  'repository',
  'wiki',
  'package',
  'status',
  'workflow_run',
  'workflow_job',
] as const;

/** Events that may make polling a source worthwhile. */
const waking: readonly string[] = events.filter((event) => !['wiki', 'package', 'workflow_job'].includes(event));

interface NewHook {
  readonly address?: string | undefined;
  readonly secretAddress?: string | undefined;
  readonly type?: (typeof types)[number] | undefined;
  readonly events?: readonly (typeof events)[number][] | undefined;
  readonly branches?: string | undefined;
  readonly kind?: 'system' | 'default' | undefined;
  readonly content?: 'json' | 'form' | undefined;
  readonly channel?: string | undefined;
  readonly title?: string | undefined;
  readonly asleep?: boolean | undefined;
  readonly secret?: string | undefined;
  readonly authorization?: string | undefined;
  readonly wake?: boolean | undefined;
}

function wakeBody({ wake }: Context) {
  if (!wake) {
    throw new UserError(
      'The forge cannot reach Bellows. Set BELLOWS_PUBLIC_URL and FORGE_WEBHOOK_SECRET, then restart Bellows.',
    );
  }
  return {
    type: 'gitea' as const,
    name: 'Bellows',
    active: true,
    events: waking.map((event) => (event === 'status' ? whereKnown(event) : event)),
    config: { url: wake.url, content_type: 'json' as const, secret: wake.secret, is_system_webhook: 'true' as const },
  };
}

function addressOf({ address, secretAddress, type = 'gitea' }: NewHook): string {
  const open = openTypes.some((each) => each === type);
  if (!open && address !== undefined) {
    throw new UserError(`The address of a ${type} webhook is a secret. Leave it out: the form asks for it.`, {
      field: 'address',
    });
  }
  const given = secretAddress ?? address;
  if (given === undefined)
    throw new UserError('Enter the address the forge should call, or use --wake.', { field: 'address' });
  if (/^https?:\/\//i.test(given) && URL.canParse(given)) return given;
  throw new UserError('Write an address that starts with https:// or http://.', { field: 'secretAddress' });
}

/** What is sent. Unlike the server's defaults, it is a system hook and active. */
function bodyOf(args: NewHook, context: Context) {
  if (args.wake) return wakeBody(context);
  const { type = 'gitea', kind = 'system', content = 'json' } = args;
  if (type === 'slack' && args.channel === undefined)
    throw new UserError('A Slack webhook needs a channel: add --channel.', { field: 'channel' });
  return {
    type,
    name: args.title,
    active: args.asleep !== true,
    ...(args.events && { events: [...args.events] }),
    branch_filter: args.branches,
    authorization_header: args.authorization,
    config: {
      url: addressOf(args),
      content_type: content,
      is_system_webhook: kind === 'system' ? ('true' as const) : ('false' as const),
      ...(args.secret === undefined ? {} : { secret: args.secret }),
      ...(args.channel === undefined ? {} : { channel: args.channel }),
    },
  };
}

/** Two hooks to one address would deliver everything twice. */
async function refuseSecond(args: NewHook, context: Context): Promise<string> {
  const { url } = bodyOf(args, context).config;
  for await (const hook of context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 })) {
    if (hook.config?.url !== url) continue;
    const off = hook.active ? '' : ', but it is inactive: activate it on the forge';
    throw new UserError(`Webhook ${hook.id} already calls that address${off}. See /forge hook list.`);
  }
  return new URL(url).host;
}

/** A server silently drops unknown event names, and the hook would never be called. */
async function refuseRunEvents({ events: asked = [], wake }: NewHook, { forge }: Context): Promise<void> {
  if (wake || !asked.includes('workflow_run') || (await forge.capabilities.has('runs.list'))) return;
  const here = serverName(await forge.capabilities.server());
  throw new UserError(`${here} sends no webhooks for runs; ${await forge.capabilities.remedy('runs.list')}.`, {
    field: 'events',
  });
}

async function planHook(args: NewHook, context: Context) {
  await refuseRunEvents(args, context);
  return [request('admin.createHook', { body: bodyOf(args, context) })];
}

async function observeHooks(args: NewHook, context: Context): Promise<Observation> {
  const host = await refuseSecond(args, context);
  return {
    bound: { host, 'already there': false },
    shown: [
      ['Calls', args.secretAddress === undefined ? bodyOf(args, context).config.url : host],
      ['Reaches', args.kind === 'default' ? 'repositories created from now on' : 'every repository'],
    ],
    wants: { says: `add a webhook that calls ${host}` },
  };
}

async function createHook(args: NewHook, context: Context) {
  await refuseRunEvents(args, context);
  await refuseSecond(args, context);
  return context.api.admin.createHook({ body: bodyOf(args, context) });
}

function findCreatedHook(args: NewHook, context: Context, sent: Sent) {
  const { url } = bodyOf(args, context).config;
  const all = context.api.admin.listHooks.each({ query: { type: 'all' } }, { max: 500 });
  return firstOf(all, (each) => each.config?.url === url && isNew(each.created_at, sent));
}

function createdHookMessage(hook: Awaited<ReturnType<typeof createHook>>, _args: unknown, { now }: Context) {
  const all = runButton({ text: 'All webhooks', command: 'hook list' });
  return message({ blocks: hookCard(hook, { now, says: md`Created`, buttons: [all] }) });
}

const typeNames = { dingtalk: 'DingTalk', msteams: 'Microsoft Teams', wechatwork: 'WeChat Work' } as const;

export const hookCreate = command({
  name: 'hook create',
  summary: 'Create a webhook for the whole forge',
  examples: ['hook create --wake', 'hook create https://ci.example.org/forge --events push,pull_request'],
  fields: {
    address: optional(address({ placeholder: 'https://ci.example.org/hook' })),
    secretAddress: optional(
      secret({ label: 'Secret address', hint: 'For chat services, whose addresses are secrets.' }),
    ),
    type: flag(choice(types, { label: 'Type', labels: typeNames, hint: 'Leave empty for Gitea.' })),
    events: flag(choices(events, { label: 'Events', hint: 'Leave empty for push.' })),
    branches: flag(glob({ label: 'Branches' })),
    kind: flag(choice(['system', 'default'], { label: 'Kind', hint: 'Leave empty for system: every repository.' })),
    content: flag(choice(['json', 'form'], { label: 'Content type', labels: { json: 'JSON' } })),
    channel: flag(text({ label: 'Channel', hint: 'For Slack webhooks only.', max: 100 })),
    title: flag(text({ label: 'Name' })),
    asleep: toggle({ label: 'Inactive', text: 'Create it inactive' }),
    secret: optional(secret({ label: 'Signing secret' })),
    authorization: optional(secret({ label: 'Authorization header' })),
    wake: toggle({ label: 'Instant updates', text: 'Notify Bellows of new events; leave the other fields empty' }),
  },
  form: { opens: 'always' },
  role: 'admin',
  risk: 'risky',
  effect: 'once',
  operations: ['admin.createHook', 'admin.listHooks'],
  plan: planHook,
  approval: { observe: observeHooks },
  run: createHook,
  findDone: findCreatedHook,
  reply: createdHookMessage,
});
