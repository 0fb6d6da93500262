import type { Context } from '../../chat/context.js';
import { UserError } from '../../errors.js';
import { whereKnown } from '../../forge/forgejo/hook.js';

/** Types whose address is not a secret; for all others the address itself is the credential. */
const openTypes = ['gitea', 'gogs', 'packagist'] as const;
const chatTypes = ['slack', 'discord', 'dingtalk', 'telegram', 'msteams', 'feishu', 'wechatwork', 'matrix'] as const;
export const types = [...openTypes, ...chatTypes] as const;

export const events = [
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

export interface Wanted {
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

function addressOf({ address, secretAddress, type = 'gitea' }: Wanted): string {
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
export function bodyOf(args: Wanted, context: Context) {
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

/** What is sent, for readers: of a secret address, only the host. */
export function shownBody(args: Wanted, context: Context) {
  const body = bodyOf(args, context);
  if (args.wake || args.secretAddress === undefined) return body;
  return { ...body, config: { ...body.config, url: `${new URL(body.config.url).origin}/•••` } };
}
