import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManifest } from '../../src/slack/manifest.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { bothKinds } from '../support/servers.js';
import { talkTo, words } from './talk.js';

const asks = 'POST /repos/{owner}/{repo}/pulls/{index}/requested_reviewers';

describe.each(bothKinds)('who should review, on %s', (flavor) => {
  let bellows: Bellows;
  let repo: string;
  let repos = 0;
  const { type, click, form } = talkTo(() => bellows);
  const world = () => bellows.forge.world;
  const writers = ['kay', 'barbara', 'edsger', 'tony', 'niklaus', 'frances', 'away', 'gone'];

  beforeAll(async () => {
    const away = { id: 'U0AWAY0001', name: 'away', status: { emoji: ':palm_tree:', text: 'Vacationing' } };
    const busy = { id: 'U0KAY00001', name: 'kay', status: { emoji: ':spiral_calendar_pad:', text: 'In a meeting' } };
    const gone = { id: 'U0GONE0001', name: 'gone', deleted: true };
    const users = ['ada', 'grace', 'alan'].map((name) => ({ id: `U0${name.toUpperCase()}`, name }));
    bellows = await startBellows({
      policy:
        'roles:\n  admin:\n    users: [U0ADA]\npeople:\n  away: U0AWAY0001\n  kay: U0KAY00001\n  gone: U0GONE0001\n',
      forge: { flavor },
      slack: { seed: { users: [...users, away, busy, gone] } },
    });
    for (const login of writers) world().createUser({ login });
    world().createTeam({
      org: 'acme',
      name: 'desk',
      allRepos: true,
      units: { code: 'write', pulls: 'write' },
      members: writers,
    });
    await bellows.link('grace');
    await bellows.link('ada');
    await bellows.link('alan', 'linus');
  });
  afterAll(() => bellows.close());

  beforeEach(() => {
    repos += 1;
    repo = `acme/queue-${repos}`;
    world().createRepo({ as: 'ada', owner: 'acme', name: `queue-${repos}`, private: true });
    bellows.forge.requests.clear();
  });

  const commit = (as: string, ...files: string[]) =>
    world().push({ as, repo, branch: 'main', commits: [{ message: `By ${as}`, files }] });
  function open(...files: string[]): string {
    const branch = `branch-${world().state.issues.size}`;
    world().push({ as: 'grace', repo, branch, commits: [{ message: 'Change', files }] });
    return `${repo}#${world().openPull({ as: 'grace', repo, title: branch, head: branch }).index}`;
  }
  const plant = (text: string, path = 'CODEOWNERS') => world().plantFile({ repo, path, text });
  const proposed = async (name: string) =>
    [...words(await type('grace', `pr review ${name}`)).matchAll(/\*([\w-]+)\* · ([^"]*)"/g)].map(
      ([, login, why]) => `${login} · ${why}`,
    );
  const sent = () => bellows.forge.requests.all.filter(({ who }) => who === 'grace');

  it('names owners, authors of recent commits and members of the requested team, with reasons', async () => {
    commit('kay', 'src/queue/a.ts');
    commit('kay', 'src/queue/b.ts');
    commit('tony', 'docs/a.md');
    const name = open('src/queue/a.ts', 'src/queue/new.ts');
    plant('src/queue/.* @barbara # theirs\nsrc/other/.* @tony\n');
    world().createTeam({ org: 'acme', name: `own-${repos}`, units: { pulls: 'read' }, members: ['grace', 'edsger'] });
    world().requestReview({ as: 'grace', repo, index: 1, teams: [`own-${repos}`] });
    expect(await proposed(name)).toEqual([
      'barbara · owner of src/queue',
      `edsger · member of acme/own-${repos}`,
      'kay · 2 recent commits in src/queue',
    ]);
    expect(sent().some(({ method }) => method !== 'GET')).toBe(false);
  });

  it('requests the one that is clicked, or opens the form for others', async () => {
    const name = open('src/a.ts');
    plant('src/.* @barbara @tony');
    const shown = await type('grace', `pr review ${name}`);
    expect(words(await click('grace', shown, 'Request review'))).toContain('Requested a review from barbara');
    expect(await proposed(name)).toEqual(['tony · owner of src']);
    const grace = bellows.slack.as('grace');
    await grace.click(shown, 'Choose others');
    const view = await form('grace');
    const offered = JSON.stringify((await grace.suggest(view, 'reviewers:people', '')).options);
    expect(offered).toMatch(/^[^·]*"tony · owner of src"/);
    expect(offered).toContain('edsger');
    expect(JSON.stringify((await grace.suggest(view, 'reviewers:people', 'owner')).options)).toContain('tony');
    await grace.close();
  });

  it('reads CODEOWNERS as the server does', async () => {
    const [a, b] = [open('src/a.go', 'LICENSE'), open('docs/x.md')];
    plant(
      [
        '# nobody: @niklaus',
        'src @niklaus',
        'src/ @niklaus',
        '*.go @niklaus',
        '/src/a\\\\.go @edsger',
        'src/.*\\\\.go @kay tony@example.org',
        '.*\\\\.go @barbara @acme/nosuch',
        '!.*\\\\.go @frances',
      ].join('\n'),
    );
    const slash = flavor.startsWith('gitea') ? ['edsger · owner of src'] : [];
    expect(await proposed(a)).toEqual([
      'barbara · owner of src',
      ...slash,
      'frances · owner of LICENSE',
      'kay · owner of src',
    ]);
    expect(await proposed(b)).toEqual(['frances · owner of docs']);
  });

  it.each(['docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS', '.github/CODEOWNERS'])(
    'looks in %s',
    async (path) => {
      const name = open('src/a.ts');
      plant('.* @barbara', path);
      const knows = !path.startsWith('.github') && (!path.startsWith('.forgejo') || flavor.startsWith('forgejo'));
      const answer = words(await type('grace', `pr review ${name}`));
      if (knows) expect(answer).toContain('*barbara* · owner of src');
      else expect(answer).toContain('I found nobody to propose for');
    },
  );

  it('leaves out the author, people without access, people who are away and those asked already', async () => {
    const name = open('src/a.ts');
    plant('.* @grace @linus @away @gone @kay @tony @barbara');
    world().requestReview({ as: 'grace', repo, index: 1, from: ['tony'] });
    expect(await proposed(name)).toEqual(['barbara · owner of src', 'kay · owner of src']);
  });

  it('shows nobody what only someone else may know', async () => {
    const name = open('src/a.ts');
    world().createTeam({ org: 'acme', name: `closed-${repos}`, units: { pulls: 'read' }, members: ['edsger'] });
    world().requestReview({ as: 'grace', repo, index: 1, teams: [`closed-${repos}`] });
    expect(words(await type('ada', `pr review ${name}`))).toContain(`*edsger* · member of acme/closed-${repos}`);
    expect((await type('grace', `pr review ${name}`)).text).toContain('I found nobody to propose');
  });

  it('prefers people with fewer open reviews, and names at most five', async () => {
    const [name, other] = [open('src/a.ts'), open('src/c.ts')];
    for (let n = 0; n < 2; n += 1) {
      const [, index] = open('src/b.ts').split('#');
      world().requestReview({ as: 'grace', repo, index: Number(index), from: ['barbara'] });
    }
    plant('.* @barbara @edsger @frances @kay @niklaus');
    expect((await proposed(name)).at(-1)).toBe('barbara · owner of src · reviewer on 2 open pull requests');
    plant('.* @barbara @edsger @frances @kay @niklaus @tony');
    expect(await proposed(other)).toHaveLength(5);
  });

  it('asks the best one with --assign', async () => {
    const name = open('src/a.ts');
    plant('.* @kay\nsrc/.* @barbara');
    commit('kay', 'src/a.ts');
    const dry = words(await type('grace', `pr review ${name} --assign --dry-run`));
    expect(dry).toMatch(/reviewers[^\]]*kay/);
    expect(bellows.forge.requests.of(asks)).toEqual([]);
    const answer = words(await type('grace', `pr review ${name} --assign`));
    expect(answer).toContain('Requested a review from kay on');
    expect(answer).toContain('owner of src · 1 recent commit in src');
    expect(bellows.forge.requests.of(asks).map(({ body }) => body)).toEqual([{ reviewers: ['kay'] }]);
  });

  it('says in a sentence what it cannot do, and requests nobody', async () => {
    const name = open('src/a.ts');
    expect((await type('grace', `pr review ${name} tony --assign`)).text).toContain(
      'Name reviewers or use --assign, not both.',
    );
    for (const line of [`pr review ${name}`, `pr review ${name} --assign`])
      expect((await type('grace', line)).text).toBe(
        `I found nobody to propose for ${name}. Write @person, a login or a team.`,
      );
    world().close({ as: 'grace', repo, index: 1 });
    for (const line of [`pr review ${name}`, `pr review ${name} --assign`])
      expect((await type('grace', line)).text).toContain('is closed: it cannot be reviewed');
    expect((await type('alan', `pr review ${name}`)).text).toMatch(/can’t find/);
    expect(bellows.forge.requests.of(asks)).toEqual([]);
  });

  it('takes at most fifteen requests, and one when asked again', async () => {
    const files = ['a', 'b', 'c', 'd', 'e'].map((folder) => `${folder}/file.ts`);
    for (const file of files) commit('kay', file);
    const name = open(...files, ...files.map((file) => `${file}.new`));
    const teams = [1, 2, 3, 4].map((n) => `t${n}-${repos}`);
    for (const team of teams)
      world().createTeam({
        org: 'acme',
        name: team,
        allRepos: true,
        units: { pulls: 'read' },
        members: ['grace', 'edsger'],
      });
    plant(
      `.* ${teams.map((team) => `@acme/${team}`).join(' ')}`,
      flavor.startsWith('forgejo') ? '.forgejo/CODEOWNERS' : '.gitea/CODEOWNERS',
    );
    bellows.forge.requests.clear();
    expect((await proposed(name)).join()).toContain('kay · 3 recent commits in');
    expect(sent().length).toBeLessThanOrEqual(15);
    bellows.forge.requests.clear();
    await proposed(name);
    expect(sent()).toHaveLength(1);
  });

  // three seconds of a whole core, and no server has a part in it
  if (flavor === 'gitea-1.28')
    it('is not held up by a line that takes forever', async () => {
      const name = open(`src/${'a'.repeat(60)}!`);
      plant('.* @barbara\n.*(a+)+ @tony');
      expect(await proposed(name)).toEqual(['barbara · owner of src']);
    });
});

describe('who is not at work', () => {
  let bellows: Bellows;
  const { type, form } = talkTo(() => bellows);
  const repo = 'acme/desk';
  /** Where it is about ten in the morning. */
  const tzOffset = ((((10 - new Date().getUTCHours() + 12 + 24) % 24) - 12) * 3_600) as number;
  const second = Math.floor(Date.now() / 1_000);
  const day = 86_400;
  const dnd: Readonly<Record<string, { start: number; end: number }>> = {
    kay: { start: second - 60, end: second + day },
    tony: { start: second - 60, end: second + 3_600 },
    edsger: { start: second + 3_600, end: second + day },
  };
  const names = ['ada', 'grace', 'kay', 'tony', 'edsger', 'barbara'];
  const start = async (scopes?: readonly string[], turns = 'repository: acme/*') => {
    const users = names.map((name) => {
      const at = dnd[name];
      return { id: `U0${name.toUpperCase()}`, name, tzOffset, ...(at && { dnd: at }) };
    });
    const people = names.map((name) => `  ${name}: U0${name.toUpperCase()}`).join('\n');
    bellows = await startBellows({
      policy: [
        `roles:\n  admin:\n    users: [U0ADA]\npeople:\n${people}`,
        'workingHours: { days: [mon, tue, wed, thu, fri, sat, sun] }',
        `reviews:\n  - { ${turns}, roundRobin: true }\n`,
      ].join('\n'),
      slack: { seed: { users }, ...(scopes && { scopes }) },
    });
    const { world } = bellows.forge;
    for (const login of names.slice(2)) world.createUser({ login });
    const units = { code: 'write', pulls: 'write' } as const;
    world.createTeam({ org: 'acme', name: 'desk', allRepos: true, units, members: names.slice(2) });
    world.createRepo({ as: 'ada', owner: 'acme', name: 'desk' });
    await bellows.link('grace');
  };
  const open = (all = '@kay @tony @edsger @barbara') => {
    const { world } = bellows.forge;
    const branch = `branch-${world.state.issues.size}`;
    world.push({ as: 'grace', repo, branch, commits: [{ message: 'Change', files: ['src/a.ts'] }] });
    const owners = (text: string) => world.plantFile({ repo, path: 'CODEOWNERS', text });
    // those whom the forge asks itself are proposed no more
    owners('');
    const { index } = world.openPull({ as: 'grace', repo, title: branch, head: branch });
    owners(`.* ${all}`);
    return `${repo}#${index}`;
  };
  const proposed = async () =>
    [...words(await type('grace', `pr review ${open()}`)).matchAll(/\*([\w-]+)\* · owner/g)].map(([, login]) => login);
  const assigned = async (all?: string, as = 'grace') => {
    const answer = words(await type(as, `pr review ${open(all)} --assign`));
    return /Requested a review from ([\w-]+) on/.exec(answer)?.[1];
  };

  it('is not proposed: by Do Not Disturb for the rest of the day, or by their own word', async () => {
    await start();
    expect(await proposed()).toEqual(['barbara', 'edsger', 'tony']);
    const until = /You’re away until (\d{4}-\d\d-\d\d)/.exec(words(await type('tony', 'away until tomorrow')))?.[1];
    expect(await proposed()).toEqual(['barbara', 'edsger']);
    expect((await type('tony', 'away 2020-01-01')).text).toContain('is in the past');
    expect((await type('tony', 'away until today')).text).toContain('tomorrow or later');
    await bellows.slack.as('tony').command('engine', '/forge', 'away');
    expect(words(await form('tony'))).toContain(`"initial_date":"${until}"`);
    await bellows.slack.as('tony').close();
    expect(words(await type('tony', 'away off'))).toContain('You’re no longer away');
    expect(await proposed()).toEqual(['barbara', 'edsger', 'tony']);
  });

  it('takes turns with --assign where bellows.yaml says so, and a dry run takes none', async () => {
    expect(words(await type('grace', `pr review ${open()} --assign --dry-run`))).toContain('barbara');
    expect([await assigned(), await assigned(), await assigned(), await assigned()]).toEqual([
      'barbara',
      'edsger',
      'tony',
      'barbara',
    ]);
    // an author of recent commits was never chosen, but an owner fits better
    const commits = [{ message: 'Change', files: ['src/a.ts'] }];
    bellows.forge.world.push({ as: 'ada', repo, branch: 'main', commits });
    expect(await assigned('@barbara')).toBe('barbara');
    await bellows.close();
  });

  it('is proposed where the app may not read Do Not Disturb', async () => {
    await start(
      createManifest({ command: '/forge', forgeHost: 'x' }).oauth_config?.scopes?.bot?.filter((s) => s !== 'dnd:read'),
    );
    expect(await proposed()).toEqual(['barbara', 'edsger', 'kay', 'tony']);
    await bellows.close();
  });

  it('takes turns in one team only, if an entry says so', async () => {
    await start(undefined, 'team: acme/desk');
    // only owners of the organization see a team's members
    await bellows.link('ada');
    // by their load alone, barbara would not be chosen
    for (const pull of [open(''), open(''), open('')]) {
      const index = Number(pull.split('#')[1]);
      bellows.forge.world.requestReview({ as: 'grace', repo, index, from: ['barbara'] });
    }
    const inTeam = [await assigned('@acme/desk', 'ada'), await assigned('@acme/desk', 'ada')];
    expect([...inTeam, await assigned('@acme/desk', 'ada')]).toEqual(['edsger', 'tony', 'barbara']);
    await bellows.close();
  });
});

it('proposals need no approval where requesting a review does', async () => {
  const bellows = await startBellows({
    policy: 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\napprovals:\n  write: { count: 1 }\n',
  });
  const { type } = talkTo(() => bellows);
  await bellows.link('ada');
  await bellows.link('grace');
  const { world, requests } = bellows.forge;
  world.push({ as: 'grace', repo: 'acme/engine', branch: 'small', commits: ['Change'] });
  const { index } = world.openPull({ as: 'grace', repo: 'acme/engine', title: 'Small', head: 'small' });
  expect(words(await type('grace', `pr review acme/engine#${index}`))).not.toContain('approval');
  expect(words(await type('grace', `pr review acme/engine#${index} linus`))).toContain('Waiting for approval');
  expect(words(await type('grace', `pr review acme/engine#${index} --assign`))).toContain('Waiting for approval');
  expect(requests.of(asks)).toEqual([]);
  // nor does one’s own link, as in the lines above
  expect(words(await type('grace', 'signout'))).toContain('Signed out');
  await bellows.close();
});
