import { knownEvents } from '../forgejo/hooks.js';
import { invalid, refuse } from '../http/answer.js';
import type { Body } from '../http/body.js';
import type { Hook } from '../state/records.js';
import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';

const types = [
  'gitea',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'wechatwork',
  'packagist',
  'matrix',
];

const forgejoTypes = ['forgejo', 'sourcehut_builds'];

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function slackExtras(config: Readonly<Record<string, string>>): Record<string, string> {
  const channel = (config['channel'] ?? '').trim();
  if (channel === '' || /\s/.test(channel)) throw refuse(400, 'Invalid slack channel name');
  return {
    channel,
    username: config['username'] ?? '',
    icon_url: config['icon_url'] ?? '',
    color: config['color'] ?? '',
  };
}

/** A default hook unless the config says otherwise, and inactive by default. */
export function readHook(state: State, body: Body): Hook {
  const type = body.requiredText('type');
  const config = body.map('config');
  if (config === undefined) throw invalid('[Config]: Required');
  if (!types.includes(type) && !(isForgejo(state.site) && forgejoTypes.includes(type)))
    throw invalid(`Invalid hook type: ${type}`);
  for (const key of ['url', 'content_type']) {
    if ((config[key] ?? '') === '') throw invalid(`Missing config option: ${key}`);
  }
  const url = config['url'] ?? '';
  const contentType = config['content_type'];
  if (contentType !== 'json' && contentType !== 'form') throw invalid('Invalid content type');
  if (!isAddress(url) && state.site.flavor !== 'forgejo-11') throw invalid('Invalid url');
  return {
    id: state.nextId('hook'),
    name: body.text('name') ?? '',
    type,
    scope: config['is_system_webhook'] === 'true' ? 'system' : 'default',
    branchFilter: body.text('branch_filter') ?? '',
    url,
    contentType,
    extras: type === 'slack' ? slackExtras(config) : {},
    secret: config['secret'] ?? '',
    events: knownEvents(state.site, body.texts('events') ?? ['push']),
    authorization: body.text('authorization_header') ?? '',
    active: body.flag('active') ?? false,
    created: state.now(),
  };
}
