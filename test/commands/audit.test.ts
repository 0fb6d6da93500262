import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/features/index.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { runHere } from '../support/cli.js';
import { environmentOf } from '../support/processes.js';
import { testKeys } from '../support/redis.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
let store: Store;
const { type, turn } = talkTo(() => bellows);

beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
  store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  await type('ada', 'issue close acme/engine#2');
  await type('ada', 'issue reopen acme/engine#2');
  await vi.waitFor(async () => expect((await store.audit.read({ command: 'issue reopen' })).rows).toHaveLength(1));
  const { rows } = await store.audit.read({}, { limit: 2 });
  for (let times = 1; times < 7; times += 1)
    for (const { entry } of rows) {
      const { job: _, ...more } = entry;
      await store.audit.append(more);
    }
  await type('grace', 'repo create acme/engine --private');
});
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

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
  /** Its exit code and what it prints, in this process. */
  async function bellowsAudit(...args: string[]) {
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(`${line}\n`));
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    for (const [name, value] of Object.entries(environmentOf(bellows.config))) vi.stubEnv(name, value);
    try {
      return { code: await runHere(['audit', ...args]), stdout: printed.join('') };
    } finally {
      vi.unstubAllEnvs();
      for (const spy of [log, write]) spy.mockRestore();
    }
  }

  it('exports JSON lines and verifies the chain, including the head from a log', async () => {
    const exported = await bellowsAudit('export');
    const rows = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows[0]).toMatchObject({ seq: 1, command: 'issue close', outcome: 'done' });
    expect(rows.at(-1)).toMatchObject({ command: 'repo create', outcome: 'failed', who: { user: 'U0GRACE001' } });
    const { seq, hash } = rows.at(-1);
    const same = await bellowsAudit('verify', '--head', `${seq}:${hash.slice(-16)}`);
    const other = await bellowsAudit('verify', '--head', `${seq}:0000000000000000`);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining(`${rows.length} rows`) });
    expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining(`broken at row ${seq}`) });
  });

  it('names the first broken link', async () => {
    const [name = ''] = await store.redis.keys('*audit*chain*');
    await store.redis.xdel(name, '3-0');
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
    const who = { team: bellows.slack.teamId, user: 'U0ADA00001' };
    await store.audit.append({ who, command, args: { [field]: 5_400 }, outcome: 'done' });
    expect(words(await type('ada', `audit ${command}`))).toContain(`${command} 1h30m`);
  });
});
