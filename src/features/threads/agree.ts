import { command } from '../../chat/command.js';
import { body, choice, hidden, issue, repository } from '../../chat/fields.js';
import { reply, thread } from './comment.js';
import { agree, agreedMessage, readers } from './consent.js';

export const threadAgree = command({
  name: 'thread agree',
  summary: 'Choose whether your replies in threads about a repository become comments',
  examples: ['thread agree acme/engine public'],
  fields: {
    repository: repository(),
    answer: choice([...readers, 'off'] as const, { label: 'Post my replies' }),
    // the reply that led to the question
    issue: hidden(issue()),
    body: hidden(body({ label: 'Comment' })),
    reply: reply(),
    thread: thread(),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'idempotent',
  hidden: true,
  operations: ['repos.get'],
  plan: () => [],
  run: agree,
  reply: agreedMessage,
});
