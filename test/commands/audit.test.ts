import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/features/index.js';
import { close, connect, createSeal, createStore, ready } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { environmentOf } from '../support/processes.js';
import { program } from '../support/program.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
  for (let at = 1; at <= 7; at += 1) {
    await type('ada', 'issue close acme/engine#2');
    await type('ada', 'issue reopen acme/engine#2');
  }
  await type('grace', 'repo create acme/engine --private');
});
afterAll(() => bellows.close());

describe('/forge audit', () => {
  it('shows the newest as a log is read, and pages to older ones', async () => {
    const first = await type('ada', 'audit');
    expect(words(first)).toContain('repo create acme/engine --private');
    expect(words(first)).toContain('❌ Failed');
    const seqs = [...words(first).matchAll(/rows (\d+) to (\d+)/g)].flatMap(([, from, to]) => [
      Number(from),
      Number(to),
    ]);
    expect(seqs[0]).toBeLessThan(seqs[1] ?? 0);
    expect(words(first).indexOf('repo create')).toBeGreaterThan(words(first).lastIndexOf('issue reopen'));
    expect(words(first)).not.toMatch(/\d ms\b|-\d/);
    const second = await turn('ada', first, 'Show older');
    expect(words(second)).toContain('issue close acme/engine#2');
    expect(words(second)).not.toContain('repo create');
  });

  it('filters by command, person, outcome and day', async () => {
    const closes = words(await type('ada', 'audit issue close'));
    expect(closes).toContain('issue close');
    expect(closes).not.toContain('issue reopen');
    const graces = words(await type('ada', 'audit --who <@U0GRACE001> --outcome failed'));
    expect(graces).toContain('repo create');
    expect(graces).not.toContain('issue');
    expect((await type('ada', 'audit --until 2020-01-01')).text).toContain('No matching entries');
  });

  it('is for admins', async () => {
    const grace = bellows.slack.as('grace');
    await grace.command('engine', '/forge', 'audit');
    await bellows.slack.until(() =>
      grace.sees('engine').find(({ text }) => text.includes('Only admins can use `audit`')),
    );
  });
});

describe('bellows audit', () => {
  const bellowsAudit = async (...args: string[]) => {
    const call = promisify(execFile)(process.execPath, [...program(), 'audit', ...args], {
      env: environmentOf(bellows.config),
    });
    return call.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
    );
  };

  it('exports JSON lines and verifies the chain, including the head from a log', async () => {
    const exported = await bellowsAudit('export');
    const rows = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows[0]).toMatchObject({ seq: 1, command: 'signin', outcome: 'done' });
    expect(rows.at(-1)).toMatchObject({ command: 'repo create', outcome: 'failed', who: { user: 'U0GRACE001' } });
    const { seq, hash } = rows.at(-1);
    const [same, other] = await Promise.all([
      bellowsAudit('verify', '--head', `${seq}:${hash.slice(-16)}`),
      bellowsAudit('verify', '--head', `${seq}:0000000000000000`),
    ]);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining(`${rows.length} rows`) });
    expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining(`broken at row ${seq}`) });
  });

  it('names the first broken link', async () => {
    const redis = connect(bellows.redisUrl);
    await ready(redis);
    const [name = ''] = await redis.keys('*audit*chain*');
    await redis.xdel(name, '3-0');
    await close(redis);
    expect(await bellowsAudit('verify')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('broken at row 3: row 3 is missing'),
    });
  });
});

it('people and teams are shown by name, and a request that waits as one', async () => {
  const { world } = bellows.forge;
  world.push({ as: 'grace', repo: 'acme/engine', branch: 'named', commits: ['Named'] });
  const { index } = world.openPull({ as: 'grace', repo: 'acme/engine', title: 'Named', head: 'named' });
  await type('ada', `pr review acme/engine#${index} linus --teams core`);
  const shown = words(await type('ada', 'audit pr review'));
  expect(shown).toContain(`pr review acme/engine#${index} linus core`);
});

describe('a duration is shown as people write it', () => {
  const taken = commands.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, { placeholder, schema }]) =>
      /^\d+h/.test(placeholder) && schema.safeParse(5_400).success ? [[name, field]] : [],
    ),
  );

  it('in what was typed', async () => {
    await type('ada', 'mute acme/engine 1h30m');
    expect(words(await type('ada', 'audit mute'))).toContain('1h30m');
  });

  it('by every command that takes one', () => {
    expect(taken.length).toBeGreaterThan(5);
  });

  it.each(taken)('%s, %s', async (command, field) => {
    const redis = connect(bellows.redisUrl);
    await ready(redis);
    const { audit } = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
    const who = { team: bellows.slack.teamId, user: 'U0ADA00001' };
    await audit.append({ who, command, args: { [field]: 5_400 }, outcome: 'done' });
    await close(redis);
    expect(words(await type('ada', `audit ${command}`))).toContain(`${command} 1h30m`);
  });
});
