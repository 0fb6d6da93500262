import { command } from '../../chat/command.js';
import { choice, repository } from '../../chat/fields.js';
import { agree, agreedMessage, readers } from './consent.js';

export const threadAgree = command({
  name: 'thread agree',
  summary: 'Choose whether your replies in threads about a repository become comments',
  examples: ['thread agree acme/engine public'],
  fields: { repository: repository(), answer: choice([...readers, 'off'] as const, { label: 'Post my replies' }) },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  hidden: true,
  operations: ['repos.get'],
  plan: () => [],
  run: agree,
  reply: agreedMessage,
});
