import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { explain, explanation } from '../../src/chat/explain.js';
import { MessageError } from '../../src/chat/message-error.js';
import { UserError } from '../../src/errors.js';
import { ApiError } from '../../src/forge/index.js';
import { createLog } from '../../src/log.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { close } from './samples.js';

function scene() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = createLog({ level: 'info', destination });
  return {
    lines,
    says: (error: unknown, slash = '/forge') => explain(error, { command: close, slash, log, reference: () => 'ref0' }),
  };
}

const kinds = [
  'unauthorized',
  'forbidden',
  'notFound',
  'conflict',
  'invalid',
  'archived',
  'empty',
  'exists',
  'blocked',
  'rejected',
  'unavailable',
  'timeout',
] as const;

describe('a failure', () => {
  it('that is a sentence is shown unchanged, with this workspace’s slash command', () => {
    const { says } = scene();
    const message = says(new UserError('Which repository? Write /forge repo use owner/repo.'), '/git');
    expect(message.text).toBe('Which repository? Write /git repo use owner/repo.');
  });

  it.each(kinds)('of kind %s says what was tried and what to do next', (kind) => {
    const message = scene().says(new ApiError({ kind, operation: 'issues.edit', status: 400, serverMessage: 'no' }));
    expect(message.text).toMatch(/update the issue|token/);
    expect(message.text).toContain('The forge answered: no');
    expect(message.blocks).toHaveLength(2);
    expect(message.text).not.toContain('issues.edit');
  });

  it('prefers a hint that knows better', () => {
    const message = scene().says(
      new ApiError({ kind: 'conflict', operation: 'runs.cancel', hint: 'The run has already finished.' }),
    );
    expect(message.text).toContain('The run has already finished.');
  });

  it('does not say that the forge refused what it never got', () => {
    const hint = 'Forgejo has no webhook event status: leave it out.';
    const error = new ApiError({ kind: 'invalid', operation: 'admin.createHook', hint, neverSent: true });
    expect(scene().says(error).text).toBe(`Could not create the system webhook. ${hint}`);
  });

  it('never hides that a write may have happened', () => {
    const { says } = scene();
    expect(says(new ApiError({ kind: 'timeout', operation: 'issues.create' })).text).toContain(
      'It may have worked anyway',
    );
    expect(says(new ApiError({ kind: 'timeout', operation: 'issues.create', neverSent: true })).text).toContain(
      'Nothing was sent.',
    );
    expect(says(new ApiError({ kind: 'unavailable', operation: 'issues.get', retryAfter: 30 })).text).toContain(
      'Try again in 30 s.',
    );
  });

  it('of a server without the operation says so', () => {
    const error = new ApiError({ kind: 'notFound', operation: 'runs.forceCancel', unsupported: true });
    expect(scene().says(error).text).toContain('Could not force-cancel the run: this server does not support it.');
  });

  it('names who can grant what was refused', () => {
    const refused = (operation: string) =>
      scene().says(new ApiError({ kind: 'forbidden', operation, status: 403 })).text;
    expect(refused('issues.edit')).toContain('Ask a repository owner for access');
    expect(refused('repos.createInOrg')).toContain('Ask an owner of the organization for access');
    expect(refused('admin.listCron')).toContain('Ask a site admin of the forge to run it');
  });

  it('that is a defect shows only a reference; the log has the rest', () => {
    const { says, lines } = scene();
    const message = says(new TypeError('cannot read x of undefined'));
    expect(message.text).toContain('ref0');
    expect(JSON.stringify(message)).not.toContain('undefined');
    expect(lines.join('')).toContain('cannot read x of undefined');
    expect(lines.join('')).toContain('ref0');
  });

  it('makes no mention live, whatever the forge answers', () => {
    const error = new ApiError({ kind: 'invalid', operation: 'issues.edit', serverMessage: '<!channel> <@U1>' });
    expect(JSON.stringify(scene().says(error))).not.toMatch(/<[!@]/);
  });
});

it('a refusal with more than a sentence is escaped where it is shown', () => {
  const error = new MessageError(say(md`Blocked by ${'<b> & co'}`));
  expect(error.message).toBe('Blocked by <b> & co');
  expect(explanation(error, { slash: '/forge', log: createLog({ level: 'error' }) }).says).toBe('Blocked by <b> & co');
});
