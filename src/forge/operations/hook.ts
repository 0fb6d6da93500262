import { z } from 'zod';
import { Name } from './input.js';

const HookType = z.enum([
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
]);

/** Without `is_system_webhook: 'true'` the server creates a default hook, copied into new repositories. */
const HookConfig = z
  .object({
    url: z.string().regex(/^https?:\/\//, 'write an address that starts with http:// or https://'),
    content_type: z.enum(['json', 'form']),
    secret: z.string().optional(),
    is_system_webhook: z.enum(['true', 'false']).optional(),
  })
  .catchall(z.string());

export const CreateHook = z
  .strictObject({
    type: HookType,
    config: HookConfig,
    events: z.array(Name).optional(),
    branch_filter: z.string().optional(),
    authorization_header: z.string().optional(),
    /** The server's default is false: a hook that never fires. */
    active: z.boolean().optional(),
    name: z.string().max(255).optional(),
  })
  .refine((hook) => hook.type !== 'slack' || hook.config['channel'], {
    path: ['config', 'channel'],
    error: 'a slack hook needs its channel',
  });
