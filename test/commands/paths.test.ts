import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';

function open(title: string, ...files: string[]): number {
  const { world } = bellows.forge;
  const branch = title.toLowerCase().replaceAll(' ', '-');
  world.push({ as: 'grace', repo, branch, commits: [{ message: title, files }] });
  return world.openPull({ as: 'grace', repo, title, head: branch }).index;
}
const isPosted = (title: string) =>
  bellows.slack.state.messages('engine').some((each) => each.byBot && !each.onlyFor && words(each).includes(title));

beforeAll(async () => {
  bellows = await startBellows({ policy: '', pollMs: 200 });
  await bellows.link('ada');
});
afterAll(() => bellows.close());

it('previews how many of the past events change these files', async () => {
  open('Earlier in billing', 'services/billing/a.ts');
  open('Earlier on the web', 'web/a.ts');
  const all = words(await type('ada', `subscribe ${repo} pulls:opened --preview`));
  const narrowed = words(await type('ada', `subscribe ${repo} pulls:opened path:services/billing/** --preview`));
  const posted = (answer: string) => Number(/would have posted \*(\d+) message/.exec(answer)?.[1]);
  expect(posted(narrowed)).toBe(1);
  expect(posted(all)).toBeGreaterThan(1);
  expect(narrowed).toContain('Earlier in billing');
});

it('says which path kept an event or dropped it, and shows the filter', async () => {
  const answer = words(await type('ada', `subscribe ${repo} pulls:opened path:services/billing/,lib -path:**/*.md`));
  expect(answer).toContain('path:services/billing/**,lib -path:**/*.md');
  const dropped = open('Paint the web', 'web/index.html');
  const kept = open('Bill in cents', 'services/billing/cents.ts');
  await bellows.slack.until(() => isPosted('Bill in cents') || undefined);
  expect(words(await type('ada', `why ${repo}#${kept}`))).toContain(
    'matches `pulls:opened path:services/billing/**,lib -path:**/*.md`',
  );
  expect(words(await type('ada', `why ${repo}#${dropped}`))).toMatch(
    /Not posted when it was opened[^"]*path:services\/billing\/\*\*,lib -path:\*\*\/\*\.md/,
  );
  expect(isPosted('Paint the web')).toBe(false);
});

it('asks for a value', async () => {
  expect((await type('ada', `subscribe ${repo} pulls path:`)).text).toContain(
    'path: needs a value, such as path:src/**',
  );
});
