import { command } from '../../chat/command.js';
import { address, choice, choices, flag, glob, optional, secret, text, toggle } from '../../chat/fields/index.js';
import { events, types } from '../../domain/hooks/body.js';
import { createdHookMessage, createHook, findCreatedHook, observeHooks, planHook } from '../../domain/hooks/create.js';

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
  role: 'admin',
  risk: 'risky',
  effect: 'once',
  form: 'always',
  operations: ['admin.createHook', 'admin.listHooks'],
  plan: planHook,
  observe: observeHooks,
  run: createHook,
  findDone: findCreatedHook,
  reply: createdHookMessage,
});
