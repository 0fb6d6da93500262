import { createCatalog } from '../../src/chat/catalog.js';
import { type AnyCommand, command } from '../../src/chat/command.js';
import {
  body,
  choice,
  date,
  type Fields,
  flag,
  issue,
  labels,
  offset,
  optional,
  people,
  type Reading,
  repository,
  rest,
  secret,
  text,
  toggle,
} from '../../src/chat/fields.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';

/** A Wednesday. */
export const reading: Reading = {
  slash: '/forge',
  now: new Date('2026-07-15T12:00:00Z'),
  webUrl: 'https://git.example.org/forge',
  zone: 0,
};

type Given = Pick<AnyCommand, 'name'> & Partial<Omit<AnyCommand, 'fields'>>;

export function sample<const F extends Fields>(fields: F, given: Given): AnyCommand {
  return command({
    summary: `Does ${given.name}.`,
    examples: [],
    role: 'everyone',
    risk: 'write',
    effect: 'idempotent',
    operations: [],
    plan: () => [],
    run: async () => undefined,
    reply: () => say(md`Done.`),
    ...given,
    fields,
  });
}

export const close = sample(
  { issue: issue(), comment: optional(body({ label: 'Comment' })) },
  { name: 'issue close', aliases: ['close'], examples: ['issue close acme/engine#12'], operations: ['issues.edit'] },
);

export const create = sample(
  {
    repository: repository(),
    title: rest({ label: 'Title' }),
    body: optional(body({ label: 'Description' })),
    labels: flag(labels()),
    due: flag(date({ label: 'Due' })),
    draft: toggle({ label: 'Draft' }),
  },
  { name: 'issue create', aliases: ['open'], examples: ['issue create acme/engine Crash on start'] },
);

export const comment = sample(
  { issue: issue(), body: body({ label: 'Comment' }) },
  { name: 'issue comment', examples: ['issue comment #12 Seen here too'] },
);

export const assign = sample(
  { issue: issue(), people: people() },
  { name: 'issue assign', examples: ['issue assign #12 @ada'] },
);

export const runs = sample(
  {
    repository: repository(),
    status: flag(choice(['queued', 'failure', 'success'], { label: 'Status' })),
    olderThan: flag(text({ label: 'Age' })),
    from: offset(),
  },
  { name: 'run list', risk: 'read', effect: 'read', examples: ['run list acme/engine'], operations: ['runs.list'] },
);

export const signin = sample(
  { login: optional(text({ label: 'Login' })), token: secret({ label: 'Token' }) },
  { name: 'signin', account: 'none', examples: ['signin'] },
);

export const removeRunner = sample(
  { runner: text({ label: 'Runner' }) },
  { name: 'runner remove', role: 'admin', risk: 'risky', examples: ['runner remove 7'], needs: ['admin.deleteRunner'] },
);

export const catalog = createCatalog([close, create, comment, assign, runs, signin, removeRunner]);
