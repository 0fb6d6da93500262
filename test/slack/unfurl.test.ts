import type { Message } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows();
  await bellows.link('ada');
});
afterAll(() => bellows.close());

const link = (path: string) => `${bellows.forge.url}/${path}`;
const shown = (message: Message) => JSON.stringify(message.unfurls);
const calls = () => bellows.slack.calls.of('chat.unfurl').length;

/** Posts and waits for the card. */
async function unfurled(user: string, channel: string, path: string): Promise<Message> {
  const posted = await bellows.slack.as(user).post(channel, `look: ${link(path)}`);
  return bellows.slack.until(() =>
    bellows.slack.state
      .messages(channel)
      .find(({ ts, unfurls }) => ts === posted.ts && Object.keys(unfurls).length > 0),
  );
}

/** Posts, then posts something public: when that has its card, the first one was decided. */
async function leftAlone(user: string, channel: string, text: string): Promise<Message | undefined> {
  const posted = await bellows.slack.as(user).post(channel, text);
  await unfurled('ada', channel, 'acme/website');
  return bellows.slack.state.messages(channel).find(({ ts }) => ts === posted.ts);
}

/** The addresses that got a card, other than the public one in the same message: all are decided at once. */
async function besidePublic(user: string, channel: string, path: string): Promise<string[]> {
  const { unfurls } = await unfurled(user, channel, `acme/website ${link(path)}`);
  return Object.keys(unfurls).filter((url) => url !== link('acme/website'));
}

describe('a link to the forge', () => {
  it.each([
    ['an issue', 'acme/engine/issues/4', ['Alarm 1202', 'issue comment']],
    ['a pull request', 'acme/engine/pulls/3', ['Hold the third gear']],
    ['an issue’s address of a pull request', 'acme/engine/issues/3', ['Hold the third gear']],
    ['a repository', 'acme/engine', ['The analytical engine', 'issue create']],
  ])('shows the compact card of %s with one button', async (_what, path, words) => {
    const message = await unfurled('ada', 'engine', path);
    for (const word of words) expect(shown(message)).toContain(word);
    expect(shown(message).match(/"type":"(?:button|overflow)"/g)).toHaveLength(1);
  });

  it('shows the card of a run and of a commit', async () => {
    const { world } = bellows.forge;
    const run = [...world.state.runs.values()][0];
    expect(shown(await unfurled('ada', 'engine', `acme/engine/actions/runs/${run?.id}`))).toContain('run show');
    const [commit] = world.push({ as: 'ada', repo: 'acme/engine', branch: 'main', commits: ['Oil the wheels'] });
    expect(shown(await unfurled('ada', 'engine', `acme/engine/commit/${commit?.sha}`))).toContain('Oil the wheels');
  });

  const plant = (path: string, text: string) => bellows.forge.world.plantFile({ repo: 'acme/engine', path, text });
  const numbered = Array.from({ length: 60 }, (_, at) => `line ${at + 1};`).join('\n');

  it('shows the lines of a file by branch, tag and commit', async () => {
    const { world } = bellows.forge;
    plant('src/x.ts', numbered);
    const [commit] = world.push({
      as: 'ada',
      repo: 'acme/engine',
      branch: 'fix/gear',
      from: 'main',
      commits: ['Turn'],
    });
    world.tag({ as: 'ada', repo: 'acme/engine', tag: 'v3/rc', at: commit?.sha ?? '' });
    for (const ref of ['branch/main', 'branch/fix/gear', 'tag/v3/rc', `commit/${commit?.sha}`]) {
      const card = shown(await unfurled('ada', 'engine', `acme/engine/src/${ref}/src/x.ts#L10-L12`));
      expect(card).toContain('"text":"line 10;\\nline 11;\\nline 12;"');
      expect(card).toContain('lines 10–12');
    }
    const long = shown(await unfurled('ada', 'engine', 'acme/engine/src/branch/main/src/x.ts#L5-L60'));
    expect(long).toContain('lines 5–24');
    expect(long).not.toContain('line 25;');
    expect(shown(await unfurled('ada', 'engine', 'acme/engine/src/branch/main/src/x.ts#L3'))).toContain('"line 3;"');
    expect(shown(await unfurled('ada', 'engine', 'acme/engine/src/branch/main/src/x.ts'))).toContain('lines 1–8');
  });

  it('shows a file that the link’s lines have left, an empty one, and what a push added', async () => {
    plant('src/short.ts', 'only line;\n');
    plant('src/empty.ts', '');
    const left = shown(await unfurled('ada', 'engine', 'acme/engine/src/branch/main/src/short.ts#L10-L20'));
    for (const part of ['"only line;"', '· line 1']) expect(left).toContain(part);
    expect(left).not.toContain('lines 10');
    expect(shown(await unfurled('ada', 'engine', 'acme/engine/src/branch/main/src/empty.ts'))).toContain('empty file');
    const pushed = 'acme/engine/src/branch/main/src/gear.go?display=source#L1';
    expect(shown(await unfurled('ada', 'engine', pushed))).toContain('"Hold the third gear"');
  });

  it.each(['.env', 'config/.env.production', 'id_rsa', 'tls/server.PEM', 'signing.key', '.ssh/config', 'keys.txt'])(
    'does not show lines of %s',
    async (path) => {
      plant(path, path === 'keys.txt' ? '-----BEGIN PRIVATE KEY-----' : 'TOKEN=hunter2');
      expect(await besidePublic('ada', 'engine', `acme/engine/src/branch/main/${path}#L1`)).toEqual([]);
    },
  );

  it('shows a file of a private repository only to the poster, and only with their account', async () => {
    bellows.forge.world.plantFile({ repo: 'acme/vault', path: 'plan.md', text: 'The hidden plan' });
    const path = 'acme/vault/src/branch/main/plan.md#L1';
    expect(shown(await unfurled('ada', 'private', path))).toContain('The hidden plan');
    expect(await besidePublic('ada', 'engine', path)).toEqual([]);
    expect(await besidePublic('alan', 'private', path)).toEqual([]);
    expect(JSON.stringify(bellows.slack.as('grace').sees('engine'))).not.toContain('The hidden plan');
  });

  it('shows a tag, a comparison, a milestone and a job’s run', async () => {
    const { world } = bellows.forge;
    const commits = ['First turn', 'Second turn'];
    world.push({ as: 'ada', repo: 'acme/engine', branch: 'try/compare', from: 'main', commits });
    world.tag({ as: 'ada', repo: 'acme/engine', tag: 'v4', at: 'try/compare' });
    expect(shown(await unfurled('ada', 'engine', 'acme/engine/src/tag/v4'))).toContain('Second turn');
    const compared = shown(await unfurled('ada', 'engine', 'acme/engine/compare/main...try/compare'));
    for (const part of ['First turn', 'Second turn', '2 commits', 'main...try/compare'])
      expect(compared).toContain(part);
    const milestone = [...world.state.repos.values()].flatMap(({ milestones }) => milestones)[0];
    const card = shown(await unfurled('ada', 'engine', `acme/engine/milestone/${milestone?.id}`));
    for (const part of [milestone?.title ?? '?', ' open, ']) expect(card).toContain(part);
    const run = [...world.state.runs.values()][0];
    expect(shown(await unfurled('ada', 'engine', `acme/engine/actions/runs/${run?.id}/jobs/0`))).toContain('run show');
  });

  it('shows the comment a link points to, and the release', async () => {
    const { world } = bellows.forge;
    const { id } = world.comment({
      as: 'grace',
      repo: 'acme/engine',
      index: 4,
      body: 'Seen at *noon*, <!channel>, like #3',
    });
    const comment = shown(await unfurled('ada', 'engine', `acme/engine/issues/4#issuecomment-${id}`));
    for (const part of ['grace', 'commented on', 'Seen at', 'Alarm 1202', 'issue comment'])
      expect(comment).toContain(part);
    expect(comment).toContain('{"type":"text","text":"noon","style":{"italic":true}}');
    expect(comment).toContain(`{"type":"link","url":"${link('acme/engine/issues/3')}","text":"#3"}`);
    expect(comment).not.toContain('issue close');
    world.release({ as: 'ada', repo: 'acme/engine', tag: 'v2.0', title: 'Second turn', notes: 'Now with steam.' });
    const release = shown(await unfurled('ada', 'engine', 'acme/engine/releases/tag/v2.0'));
    for (const part of ['Second turn', 'v2.0', 'Now with steam.']) expect(release).toContain(part);
  });

  it('shows the item if its comment was deleted', async () => {
    expect(shown(await unfurled('ada', 'engine', 'acme/engine/issues/4#issuecomment-999999'))).toContain('Alarm 1202');
  });

  it('shows the item if the comment was made on another one', async () => {
    const { id } = bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 4, body: 'Ship it!' });
    const card = shown(await unfurled('ada', 'engine', `acme/engine/pulls/3#issuecomment-${id}`));
    expect(card).toContain('Hold the third gear');
    expect(card).not.toContain('Ship it!');
    expect(card).not.toContain('commented on');
    expect(card).toContain('Comment');
  });

  it('shows a comment on a pull request, whichever address was pasted', async () => {
    const { id } = bellows.forge.world.comment({ as: 'grace', repo: 'acme/engine', index: 3, body: 'Oil it first' });
    for (const kind of ['issues', 'pulls'])
      expect(shown(await unfurled('ada', 'engine', `acme/engine/${kind}/3#issuecomment-${id}`))).toContain(
        'Oil it first',
      );
  });

  it('shows public content even if someone without an account shares it', async () => {
    expect(shown(await unfurled('alan', 'engine', 'acme/engine/issues/4'))).toContain('Alarm 1202');
  });

  it('acts as the person who clicks', async () => {
    const message = await unfurled('alan', 'engine', 'acme/engine/pulls/3');
    const [card] = Object.values(message.unfurls);
    expect(JSON.stringify(card)).toContain('"action_id":"run"');
  });

  it('shows a private one in a private channel', async () => {
    expect(shown(await unfurled('ada', 'private', 'acme/vault/issues/1'))).toContain('Rotate the signing keys');
  });

  it('shows a private one in a public channel only to the poster, and says why', async () => {
    const ada = bellows.slack.as('ada');
    const posted = await ada.post('engine', link('acme/vault/issues/1'));
    const whispered = await bellows.slack.until(() =>
      ada
        .sees('engine')
        .find(({ onlyFor, blocks }) => onlyFor && JSON.stringify(blocks).includes('Rotate the signing')),
    );
    expect(JSON.stringify(whispered.blocks)).toContain('Only you see this. The repository is private');
    expect(bellows.slack.state.messages('engine').find(({ ts }) => ts === posted.ts)?.unfurls).toEqual({});
    expect(JSON.stringify(bellows.slack.as('grace').sees('engine'))).not.toContain('Rotate the signing');
  });

  it('says nothing at all about a private one to people who are not linked', async () => {
    const before = bellows.slack.state.ephemerals('alan').length;
    const message = await leftAlone('alan', 'private', link('acme/vault/issues/1'));
    expect(message?.unfurls).toEqual({});
    expect(bellows.slack.state.ephemerals('alan')).toHaveLength(before);
  });

  it('shows a person only what their own account may see', async () => {
    await bellows.link('grace', 'linus');
    const message = await leftAlone('grace', 'private', link('acme/vault/issues/1'));
    expect(message?.unfurls).toEqual({});
    expect(bellows.slack.state.ephemerals('grace', 'private')).toEqual([]);
  });

  it('shows nothing in a channel shared with another organization', async () => {
    await bellows.slack.happens.share('general', 'T0STRANGER');
    const before = calls();
    const posted = await bellows.slack.as('ada').post('general', link('acme/engine/issues/4'));
    await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('general')
        .some(({ onlyFor }) => onlyFor),
    );
    expect(calls()).toBe(before);
    expect(bellows.slack.state.messages('general').find(({ ts }) => ts === posted.ts)?.unfurls).toEqual({});
  });

  it('shows nothing in two people’s direct messages, and a card in those with the bot', async () => {
    const ada = bellows.slack.as('ada');
    const between = ada.dmWith('grace');
    const before = calls();
    const posted = await ada.post(between, `${link('acme/vault/issues/1')} ${link('acme/engine/issues/4')}`);
    expect(shown(await unfurled('ada', ada.dm, 'acme/vault/issues/1'))).toContain('Rotate the signing keys');
    expect(calls()).toBe(before + 1);
    expect(bellows.slack.state.messages(between).find(({ ts }) => ts === posted.ts)?.unfurls).toEqual({});
    expect(bellows.slack.state.ephemerals('ada', between)).toEqual([]);
  });

  it.each(['limited', 'private'] as const)(
    'shows the card of a %s owner’s repository only to the poster',
    async (visibility) => {
      const { world } = bellows.forge;
      world.createOrg({ as: 'ada', login: `${visibility}-works`, visibility });
      world.createRepo({ as: 'ada', owner: `${visibility}-works`, name: 'plans', description: 'The hidden plans' });
      const ada = bellows.slack.as('ada');
      const posted = await ada.post('engine', link(`${visibility}-works/plans`));
      await bellows.slack.until(() =>
        ada
          .sees('engine')
          .find(({ onlyFor, blocks }) => onlyFor && JSON.stringify(blocks).includes(`${visibility}-works`)),
      );
      expect(bellows.slack.state.messages('engine').find(({ ts }) => ts === posted.ts)?.unfurls).toEqual({});
    },
  );

  it('ignores other pages, missing items and what it cannot draw', async () => {
    const others = ['https://127.0.0.1/acme/engine', link('acme/engine/settings'), link('acme/engine/issues/9999')];
    const message = await leftAlone('ada', 'engine', others.join(' '));
    expect(message?.unfurls).toEqual({});
  });

  it('draws at most five per message', async () => {
    const many = [1, 2, 4, 5, 6, 7].map((index) => link(`acme/engine/issues/${index}`)).join(' ');
    const posted = await bellows.slack.as('ada').post('engine', many);
    const message = await bellows.slack.until(() =>
      bellows.slack.state.messages('engine').find(({ ts, unfurls }) => ts === posted.ts && Object.keys(unfurls).length),
    );
    expect(Object.keys(message.unfurls).length).toBeLessThanOrEqual(5);
  });

  it('breaks none of Slack’s rules and mentions nobody', () => {
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
