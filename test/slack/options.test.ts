import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';

describe('the menus of a form', () => {
  let bellows: Bellows;
  const { type, form } = talkTo(() => bellows);
  beforeAll(async () => {
    bellows = await startBellows();
    bellows.forge.world.createUser({ login: 'amazing', fullName: 'Grete Hopper', password: 'for-the-test-1' });
    bellows.forge.world.setCollaborator({ repo: 'acme/engine', login: 'amazing', level: 'write' });
    await bellows.link('ada');
    await bellows.link('alan', 'linus');
  });
  afterAll(() => bellows.close());

  const offered = async (user: string, menu: string, query: string) => {
    const view = await form(user);
    const answer = await bellows.slack.as(user).suggest(view, menu, query);
    return JSON.stringify(answer);
  };

  it('offer the repositories the person can see, by what is typed, and nobody else’s', async () => {
    await bellows.slack.as('ada').command('engine', '/forge', 'issue create');
    expect(await offered('ada', 'repositories:repository', 'vault')).toContain('acme/vault');
    expect(await offered('ada', 'repositories:repository', 'website')).not.toContain('acme/vault');
    await bellows.slack.as('alan').command('engine', '/forge', 'issue create');
    expect(await offered('alan', 'repositories:repository', 'vault')).not.toContain('acme/vault');
  });

  it('offer labels and people of the channel’s own repository', async () => {
    await type('ada', 'repo use acme/engine');
    await bellows.slack.as('ada').close();
    await bellows.slack.as('ada').command('engine', '/forge', 'issue create');
    expect(await offered('ada', 'labels:labels', '')).toContain('bug');
    expect(await offered('ada', 'people:assignees', 'gra')).toContain('grace');
  });

  it('offer a new label after a minute, even if the menu was opened in between', async () => {
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now');
    await offered('ada', 'labels:labels', '');
    bellows.forge.world.addLabel({ repo: 'acme/engine', name: 'squeaky' });
    for (const [passed, sees] of [
      [40_000, false],
      [80_000, true],
    ] as const) {
      clock.mockImplementation(() => now() + passed);
      // the cache itself remembers the time for a moment
      await expect.poll(async () => (await offered('ada', 'labels:labels', '')).includes('squeaky')).toBe(sees);
    }
    clock.mockRestore();
  });

  it('find a repository by owner, by both and by name, in part or whole', async () => {
    for (const typed of ['acme', 'ACME/', 'acme/eng', 'eng', `${bellows.forge.url}/acme/engine`])
      expect(await offered('ada', 'repositories:repository', typed)).toContain('"acme/engine"');
    expect(await offered('ada', 'repositories:repository', 'acme/web')).not.toContain('acme/engine');
    expect(await offered('ada', 'repositories:repository', 'nobody/')).toContain('"options":[]');
  });

  it('find people by @, login or name', async () => {
    for (const typed of ['@gr', 'GRA', 'grace (Gr'])
      expect(await offered('ada', 'people:assignees', typed)).toContain('grace');
    for (const typed of ['@amaz', 'amazing', 'hopper', 'Grete Ho'])
      expect(await offered('ada', 'people:assignees', typed)).toContain('"amazing"');
    expect(await offered('ada', 'people:assignees', '@nobody')).toContain('"options":[]');
  });

  it('find issues and pull requests of the channel’s repository, by words, number or address', async () => {
    const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Squeaking hinge' });
    await bellows.slack.as('ada').close();
    await bellows.slack.as('ada').command('engine', '/forge', 'issue comment');
    const value = `"acme/engine#${index}"`;
    for (const typed of [
      '',
      'squeak',
      `#${index}`,
      `acme/engine#${index}`,
      `${bellows.forge.url}/acme/engine/issues/${index}`,
    ])
      expect(await offered('ada', 'issues:issue', typed)).toContain(value);
    expect(await offered('ada', 'issues:issue', 'acme/website squeak')).not.toContain(value);
    expect(JSON.stringify((await form('ada')).blocks)).toContain('Searching in acme/engine');
  });

  it('show names without hidden characters, cut between characters', async () => {
    const { world } = bellows.forge;
    const title = `\u{202E}Turned ${'x'.repeat(80)}`;
    world.openIssue({ as: 'grace', repo: 'acme/engine', title });
    await bellows.slack.as('ada').close();
    await bellows.slack.as('ada').command('engine', '/forge', 'issue comment');
    const turned = await offered('ada', 'issues:issue', 'Turned');
    expect(turned).toContain('Turned xxx');
    expect(turned).not.toContain('\u{202E}');
    // with one of them the limit falls into the middle of a character
    for (const shift of ['', 'x']) {
      world.openIssue({ as: 'grace', repo: 'acme/engine', title: `Gear${shift} ${'🛠'.repeat(60)}` });
      const cogs = await offered('ada', 'issues:issue', `Gear${shift}`);
      expect(cogs).toContain('🛠');
      // JSON writes half a character as an escape
      expect(cogs).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  it('offer open items to close and closed ones to reopen', async () => {
    const ada = bellows.slack.as('ada');
    const { world } = bellows.forge;
    const repo = 'acme/engine';
    const [open, closed] = ['Open lid', 'Closed lid'].map(
      (title) => world.openIssue({ as: 'grace', repo, title }).index,
    );
    world.close({ as: 'grace', repo, index: closed ?? 0 });
    for (const branch of ['lid-open', 'lid-closed']) world.push({ as: 'grace', repo, branch, commits: [branch] });
    const pull = (head: string) => world.openPull({ as: 'grace', repo, title: `Pull ${head}`, head }).index;
    const [openPull, closedPull] = [pull('lid-open'), pull('lid-closed')];
    world.close({ as: 'grace', repo, index: closedPull });
    for (const [command, menu, wanted, other] of [
      ['issue close', 'open-issues:issue', open, closed],
      ['issue reopen', 'closed-issues:issue', closed, open],
      ['pr close', 'open-pulls:pull', openPull, closedPull],
      ['pr reopen', 'closed-pulls:pull', closedPull, openPull],
    ] as const) {
      for (const typed of ['', 'lid']) {
        await ada.close();
        await ada.command('engine', '/forge', command);
        const offers = await offered('ada', menu, typed);
        expect(offers).toContain(`"${repo}#${wanted}"`);
        expect(offers).not.toContain(`"${repo}#${other}"`);
      }
    }
    await ada.close();
    await ada.command('engine', '/forge', 'follow');
    const either = await offered('ada', 'items:item', 'lid');
    for (const each of [open, openPull]) expect(either).toContain(`"${repo}#${each}"`);
    await ada.close();
    await ada.command('engine', '/forge', 'issue comment');
  });

  it('offer nobody an issue of a repository they cannot see', async () => {
    bellows.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Secret hinge' });
    expect(await offered('ada', 'issues:issue', 'acme/vault hinge')).toContain('Secret hinge');
    await bellows.slack.as('alan').close();
    await bellows.slack.as('alan').command('engine', '/forge', 'issue comment');
    expect(await offered('alan', 'issues:issue', 'acme/vault hinge')).not.toContain('Secret');
    expect(await offered('alan', 'issues:issue', 'hinge')).not.toContain('Secret');
  });

  it('offer the latest runs and the workflows', async () => {
    const ada = bellows.slack.as('ada');
    await ada.close();
    await ada.command('engine', '/forge', 'run show');
    expect(await offered('ada', 'runs:run', 'deploy')).toContain('acme/engine#');
    await ada.close();
    await ada.command('engine', '/forge', 'workflow run');
    expect(await offered('ada', 'workflows:workflow', 'ci')).toContain('ci.yml');
    await ada.close();
    await ada.command('engine', '/forge', 'issue create');
  });

  it('offer nobody a run of a repository they cannot see', async () => {
    const run = bellows.forge.world.startRun({ as: 'ada', repo: 'acme/vault', title: 'Secret rotation' });
    for (const [user, sees] of [
      ['ada', true],
      ['alan', false],
    ] as const) {
      await bellows.slack.as(user).close();
      await bellows.slack.as(user).command('engine', '/forge', 'run show');
      const offers = await offered(user, 'runs:run', 'acme/vault secret');
      expect(offers.includes(`acme/vault#${run.number} (ID ${run.id})`)).toBe(sees);
    }
    await bellows.slack.as('ada').close();
    await bellows.slack.as('ada').command('engine', '/forge', 'issue create');
  });

  it('ask again after the forge failed', async () => {
    bellows.forge.faults.add({ on: /repos\/search/, times: 10, trouble: { status: 403, message: 'not now' } });
    const view = await form('ada');
    const menu = async () =>
      JSON.stringify(await bellows.slack.as('ada').suggest(view, 'repositories:repository', 'acme/vau'));
    expect(await menu()).toContain('"options":[]');
    bellows.forge.faults.clear();
    expect(await menu()).toContain('acme/vault');
  });

  it('never broke a rule of Slack', () => {
    expect(bellows.slack.failures.all).toEqual([]);
  });
});

// after the others: two of them must not share a Redis
it('the menus of a form include the server’s later pages', async () => {
  const narrow = await startBellows({ forge: { pageMax: 2 } });
  await narrow.link('ada');
  const ada = narrow.slack.as('ada');
  await ada.command('engine', '/forge', 'issue edit acme/engine#2');
  const view = await talkTo(() => narrow).form('ada');
  expect(JSON.stringify(await ada.suggest(view, 'labels:labels', 'urg'))).toContain('urgent');
  await narrow.close();
});
