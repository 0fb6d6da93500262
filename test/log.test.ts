import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createLog, redactedNames, scopeLog } from '../src/log.js';

function heard(level = 'info') {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLog({ level, destination }), lines };
}

it.each(redactedNames)('never writes values named %s, at any depth', (name) => {
  const { log, lines } = heard();
  log.info({ [name]: 'open-sesame', at: { [name]: 'open-sesame', deep: { [name]: 'open-sesame' } } }, 'said');
  expect(lines.join('')).toContain('said');
  expect(lines.join('')).not.toContain('open-sesame');
});

it('binds who, where and what to every line logged with it', () => {
  const { log, lines } = heard();
  scopeLog(log, { operation: 'issues.edit', team: 'T1', user: 'U1', channel: 'C1' }).info('done');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    operation: 'issues.edit',
    team: 'T1',
    user: 'U1',
    channel: 'C1',
    msg: 'done',
  });
});

it('writes nothing below its level', () => {
  const { log, lines } = heard('warn');
  log.info('quiet');
  expect(lines).toEqual([]);
});
