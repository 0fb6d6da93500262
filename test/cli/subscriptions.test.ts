import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { talkTo, words } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { runHere } from '../support/cli.js';
import { environmentOf } from '../support/processes.js';

let bellows: Bellows;
let folder: string;
const { type } = talkTo(() => bellows);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bellows-'));
  bellows = await startBellows();
  await bellows.link('ada');
  await bellows.link('grace');
  await type('ada', 'subscribe acme/engine');
  await type('ada', 'subscribe acme/website pulls:merged +label:"help wanted" runs:failure', 'general');
});
afterAll(async () => {
  await bellows.close();
  await rm(folder, { recursive: true });
});

async function subscriptions(...args: string[]): Promise<{ code: number; text: string }> {
  const printed: string[] = [];
  const code = await runHere(['subscriptions', ...args], environmentOf(bellows.config), (text) => printed.push(text));
  return { code, text: printed.join('\n') };
}

async function file(text: string): Promise<string> {
  const path = join(folder, 'subscriptions.yaml');
  await writeFile(path, text);
  return path;
}

const ada = 'U0ADA00001';
const grace = 'U0GRACE001';
const entry = (channel: string, follows: string, filter: string, owner: string) =>
  `  - channel: ${channel}\n    follows: ${follows}\n    filter: '${filter}'\n    owner: ${owner}`;
const yaml = (...entries: string[]) => `version: 1\nsubscriptions:\n${entries.join('\n')}\n`;

it('writes every subscription in words that subscribe it again', async () => {
  const { code, text } = await subscriptions('export');
  expect(code).toBe(0);
  expect(text).toContain('channel: C0ENGINE01 # #engine');
  expect(text).toContain('filter: issues pulls commits releases');
  expect(text).toContain('help wanted');
});

it('finds no difference between an export and its source', async () => {
  const path = await file((await subscriptions('export')).text);
  expect(await subscriptions('plan', path, '--check')).toEqual({ code: 0, text: 'No changes.' });
});

const wanted = yaml(
  entry('C0ENGINE01', 'acme/engine', 'issues bots:on', grace),
  entry('C0PRIVATE1', 'acme/*', '', ada),
);

it('shows what differs before anything is changed', async () => {
  const path = await file(wanted);
  const { code, text } = await subscriptions('plan', path, '--check');
  expect(code).toBe(1);
  expect(text).toContain('~ C0ENGINE01 acme/engine');
  expect(text).toContain('filter: issues pulls commits releases -> issues bots:on');
  expect(text).toContain(`owner: ${ada} -> ${grace}`);
  expect(text).toContain('+ C0PRIVATE1 acme/*: issues pulls commits releases');
  expect(text).toContain('- C0GENERAL1 acme/website');
  expect(text).toContain('1 to add, 1 to change, 1 to remove');
  expect(words(await type('ada', 'subscribe list'))).toContain('issues, pull requests, commits, releases');
});

it('leaves alone what the file does not name, if asked to', async () => {
  const { text } = await subscriptions('plan', await file(wanted), '--keep');
  expect(text).toContain('+ C0PRIVATE1');
  expect(text).not.toContain('- C0GENERAL1');
});

it('applies exactly the plan that was shown, and nothing else', async () => {
  const path = await file(wanted);
  const { text } = await subscriptions('plan', path);
  const id = /--plan (\w+)/.exec(text)?.[1] ?? '';
  await expect(subscriptions('apply', path)).rejects.toThrow('Run plan first');
  await type('ada', 'subscribe acme/engine reviews');
  await expect(subscriptions('apply', path, '--plan', id)).rejects.toThrow('Run plan again');
  const again = /--plan (\w+)/.exec((await subscriptions('plan', path)).text)?.[1] ?? '';
  expect((await subscriptions('apply', path, '--plan', again)).code).toBe(0);
  const shown = words(await type('ada', 'subscribe list'));
  expect(shown).toContain('issues · `bots:on`');
  expect(shown).toContain(`owned by <@${grace}>`);
  expect((await type('ada', 'subscribe list', 'general')).text).toContain('No subscriptions in this channel yet');
  expect(words(await type('ada', 'subscribe list', 'private'))).toContain('acme/*');
  expect((await subscriptions('plan', path)).text).toBe('No changes.');
});

it('refuses what a command would refuse, and says so in the plan already', async () => {
  const path = await file(
    yaml(
      entry('C0ENGINE01', 'acme/engine', 'issues bots:on', grace),
      entry('C0PRIVATE1', 'acme/*', '', ada),
      entry('C0ENGINE01', 'acme/vault', '', ada),
      entry('C0GENERAL1', 'acme/engine', '', 'U0ALAN0001'),
    ),
  );
  const plan = await subscriptions('plan', path);
  expect(plan.text).toContain('! would be refused: acme/vault: The repository is private');
  expect(plan.text).toContain('U0ALAN0001 has no linked forge account');
  const applied = await subscriptions('apply', path, '--yes');
  expect(applied.code).toBe(1);
  expect(applied.text).toContain('refused + C0ENGINE01 acme/vault');
});

it('names line and key of what cannot be read', async () => {
  const path = await file(yaml(entry('engine', 'acme/engine', 'pulls:openend', ada)));
  await expect(subscriptions('plan', path)).rejects.toThrow(
    /line 3: subscriptions.0.channel: must be a Slack channel id/,
  );
  await expect(subscriptions('plan', path)).rejects.toThrow(/line 5: .*Did you mean pulls:opened/);
  const foreign = await file(yaml(entry('C0ENGINE01', 'acme/(a+)+b', 'commits branch:(a+)+b', ada)));
  await expect(subscriptions('plan', foreign)).rejects.toThrow(
    /line 4: subscriptions.0.follows: Patterns can only use/,
  );
  await expect(subscriptions('plan', foreign)).rejects.toThrow(/line 5: subscriptions.0.filter: Patterns can only use/);
  const twice = yaml(entry('C0ENGINE01', 'acme/engine', '', ada), entry('C0ENGINE01', 'ACME/engine', '', ada));
  await expect(subscriptions('plan', await file(twice))).rejects.toThrow('is listed twice');
});

it('says how it is used', async () => {
  expect(await subscriptions('import')).toMatchObject({ code: 2 });
  await expect(subscriptions('plan', 'nowhere.yaml')).rejects.toThrow('Cannot read nowhere.yaml');
});
