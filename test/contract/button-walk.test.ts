import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCatalog } from '../../src/chat/catalog.js';
import { parseCommand } from '../../src/chat/grammar.js';
import { namedIn, withRepoIds } from '../../src/chat/repo-ids.js';
import { fieldsOf } from '../../src/chat/usage.js';
import { commands } from '../../src/features/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { beyond, lines } from './command-lines.js';
import { deskLines, otherLines } from './field-lines.js';

const catalog = createCatalog(commands);
const reading = { now: new Date(), webUrl: 'https://forge.example.org', slash: '/forge' };
/** One call with a repository for each command that changes something and that a button may run. */
const calls = new Map<string, Readonly<Record<string, unknown>>>();
for (const line of [...Object.values({ ...lines, ...beyond }), ...deskLines, ...otherLines]) {
  const parsed = parseCommand(line.replaceAll(/\{(\w+)\}/g, '5'), catalog, reading);
  if (parsed.kind !== 'command' || parsed.command.risk === 'read' || calls.has(parsed.command.name)) continue;
  const secret = fieldsOf(parsed.command).some(([name, field]) => field.secret && name in parsed.args);
  if (!secret && parsed.missing.length === 0 && namedIn(parsed.args).length > 0)
    calls.set(parsed.command.name, parsed.args);
}
const repos = ['acme/engine', 'acme/website'];

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ policy: 'roles: { admin: { users: [U0ADA00001] } }' });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('sends nothing to a repository that took over a name, whichever button was clicked', async () => {
  const { world, requests } = bellows.forge;
  const ids = new Map(repos.map((name) => [name, world.repo(name)?.id]));
  const { botToken, apiUrl } = bellows.config.slack;
  const client = new WebClient(botToken, { slackApiUrl: apiUrl ?? '' });
  for (const [name, args] of calls) {
    const a = withRepoIds(args, ({ owner, repo }) => ids.get(`${owner}/${repo}`));
    const text = { type: 'plain_text', text: name } as const;
    const elements = [{ type: 'button', action_id: 'run', text, value: JSON.stringify({ c: name, a }) } as const];
    await client.chat.postMessage({ channel: 'C0ENGINE01', text: name, blocks: [{ type: 'actions', elements }] });
  }
  for (const repo of repos) world.takeOverName({ as: 'ada', repo, name: `${repo.slice(5)}-old` });
  requests.clear();
  const ada = bellows.slack.as('ada');
  const cards = ada.sees('engine').filter(({ text }) => calls.has(text));
  expect(cards).toHaveLength(calls.size);
  expect(calls.size).toBeGreaterThan(30);
  for (const card of cards) await ada.click(card, card.text);
  const answers = () => ada.sees('engine').flatMap(({ onlyFor, text }) => (onlyFor ? [text] : []));
  await expect.poll(() => answers().length).toBe(calls.size);
  expect(answers().filter((text) => !/is now another repository, so nothing was sent/.test(text))).toEqual([]);
  expect(requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
});
