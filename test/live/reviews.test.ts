import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { talkTo, words } from '../commands/talk.js';
import { freshRepo } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const policy = `
roles: { admin: { users: [U0ADA00001] } }
workingHours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00" }
reviews: [{ repository: "*/*", firstReview: 4h }]
`;

describe.skipIf(!live)(`reviews on ${nameOf(live)}`, { timeout: 180_000 }, () => {
  let bellows: Bellows;
  let repository = '';
  const { type, click } = talkTo(() => bellows);
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const shown = (part: string) =>
    bellows.slack.until(() =>
      bellows.slack.state
        .messages('engine')
        .find(
          (each) =>
            each.byBot &&
            !each.onlyFor &&
            !each.threadTs &&
            [repository, part].every((said) => words(each).includes(said)),
        ),
    );
  const requests = async (path: string) => {
    const { text } = await server().people.alice.send('GET', `${path}/reviews`);
    const rows = z.array(z.object({ state: z.string(), user: z.object({ login: z.string() }).nullable() }));
    return rows.parse(JSON.parse(text)).flatMap((each) => (each.state === 'REQUEST_REVIEW' ? [each.user?.login] : []));
  };

  beforeAll(async () => {
    const { root, alice, bob } = server().people;
    bellows = await startBellows({
      real: { url: server().url, token: await tokenOf(root) },
      policy,
      pollMs: 500,
      tempo: { reviewsMs: 500 },
    });
    await bellows.link('ada', alice.login, await tokenOf(alice));
    await bellows.link('grace', bob.login, await tokenOf(bob));
  });
  afterAll(async () => {
    await bellows?.close();
    await live?.close();
  });

  it('are told when requested, taken by one person and handed back', async () => {
    const { alice, bob } = server().people;
    const at = await freshRepo(server());
    repository = `${at.owner}/${at.repo}`;
    const path = `/repos/${repository}`;
    await alice.send('PUT', `${path}/collaborators/${bob.login}`, { permission: 'write' });
    await type('ada', `subscribe ${repository} reviews:requested`);
    const file = { content: Buffer.from('a').toString('base64'), message: 'a', branch: 'main', new_branch: 'a' };
    await alice.send('POST', `${path}/contents/a.txt`, file);
    const made = await alice.send('POST', `${path}/pulls`, { head: 'a', base: 'main', title: 'Look at this' });
    const { number } = z.object({ number: z.int() }).parse(JSON.parse(made.text));
    const pull = `${repository}#${number}`;
    await alice.send('POST', `${path}/pulls/${number}/requested_reviewers`, { reviewers: [bob.login] });
    const card = await shown('Look at this');
    expect(words(card)).toContain('Take it');
    await click('grace', card, 'Take it');
    await shown('is reviewing since');
    expect(await requests(`${path}/pulls/${number}`)).toContain(bob.login);
    expect(words(await type('ada', `review take ${pull}`))).toContain('You opened');
    expect(words(await type('grace', `review hand-back ${pull}`))).toContain('You handed back');
    await shown('⏰ review due');
  });

  it('are counted in the report and shown in todo with their time', async () => {
    expect(words(await type('ada', `reviews report ${repository}`))).toMatch(/Open: 1 pull request/);
    await expect.poll(async () => words(await type('grace', 'todo')), { timeout: 60_000 }).toMatch(/⏰ Review due in/);
  });
});
