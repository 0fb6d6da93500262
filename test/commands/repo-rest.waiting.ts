import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandJob } from '../../src/chat/act-job.js';
import type { Context } from '../../src/chat/context.js';
import { repoMigrate } from '../../src/features/repos/migrate.js';
import { createForge } from '../../src/forge/index.js';
import { createQueue } from '../../src/jobs/queues.js';
import { sealJob } from '../../src/jobs/sealed-job.js';
import { close, connect, createSeal, createStore, ready } from '../../src/store/index.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { createLatch } from '../support/latch.js';
import { talkTo, words } from './talk.js';

let bellows: Bellows;
const { type, turn, form, after: answerTo } = talkTo(() => bellows);
const served = (route: string) => bellows.forge.requests.of(route);
const searches = 'GET /repos/search';
const migrations = 'POST /repos/migrate';

beforeAll(async () => {
  const policy = 'roles:\n  maintainer:\n    users: [U0ADA00001, U0GRACE001]\n';
  bellows = await startBellows({ policy, tempo: { lookMs: 10 } });
  await bellows.link('ada');
  await bellows.link('grace');
  await type('ada', 'repo use acme/engine');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => {
  expect(bellows.slack.failures.all).toEqual([]);
});

describe('repo search', () => {
  it('finds by words and filters', async () => {
    const answer = await type('ada', 'repo search engine --kind source --visibility public --archived no --order desc');
    expect(served(searches).at(-1)?.query).toMatchObject({
      q: 'engine',
      mode: 'source',
      is_private: 'false',
      archived: 'false',
      sort: 'alpha',
      order: 'desc',
    });
    expect(words(answer)).toContain('acme/engine');
    expect(words(answer)).not.toContain('acme/website');
  });

  it('searches only one owner’s repositories', async () => {
    const answer = await type('ada', 'repo search --owner linus');
    expect(words(answer)).toContain('linus/notes');
    expect(words(answer)).not.toContain('acme/');
  });

  it('says when nothing matches', async () => {
    expect((await type('ada', 'repo search perpetual motion')).text).toContain('No matching repositories');
  });

  it('continues after the last row, without losing one', async () => {
    for (let at = 1; at <= 12; at += 1) bellows.forge.world.createRepo({ as: 'ada', owner: 'acme', name: `cog-${at}` });
    const first = await type('ada', 'repo search cog-');
    expect(words(first)).toContain('1–10 of 12');
    const second = await turn('ada', first, 'Show more');
    const found = [...`${words(first)}${words(second)}`.matchAll(/acme\/(cog-\d+)\|/g)].map((match) => match[1]);
    expect(new Set(found).size).toBe(12);
  });
});

it('lists what someone watches', async () => {
  const answer = await type('ada', 'repo watched linus');
  expect(served('GET /users/{username}/subscriptions').at(-1)?.path).toBe('/users/linus/subscriptions');
  expect(words(answer)).toContain('acme/website');
});

describe('repo commits', () => {
  const route = 'GET /repos/{owner}/{repo}/commits';

  it('lists those of the channel’s repository', async () => {
    expect(words(await type('ada', 'repo commits'))).toContain('Hold the third gear');
  });

  it('takes branch, path, days and what to leave out', async () => {
    await type('ada', 'repo commits acme/engine --branch printer --without main --since 2020-01-01 --until 2030-01-01');
    expect(served(route).at(-1)?.query).toMatchObject({
      sha: 'printer',
      not: 'main',
      since: '2020-01-01T00:00:00Z',
      until: '2030-01-01T23:59:59Z',
    });
    const answer = await type('ada', 'repo commits acme/engine --path src/gear.go');
    expect(served(route).at(-1)?.query).toMatchObject({ path: 'src/gear.go', limit: '50' });
    expect(words(answer)).toContain('Hold the third gear');
  });

  it('says that a repository is empty', async () => {
    bellows.forge.faults.add({ on: route, trouble: { status: 409, message: 'Git Repository is empty.' } });
    expect((await type('ada', 'repo commits acme/engine')).text).toContain('repository is empty');
  });
});

describe('repo create', () => {
  it('creates one in an organization', async () => {
    const answer = await type(
      'ada',
      'repo create acme/loom --private --init --description "Weaves patterns" --branch trunk',
    );
    expect(answer.text).toContain('Created');
    expect(served('POST /orgs/{org}/repos').at(-1)).toMatchObject({
      path: '/orgs/acme/repos',
      body: { name: 'loom', private: true, auto_init: true, description: 'Weaves patterns', default_branch: 'trunk' },
    });
  });

  it('asks with a form for what is missing, and shows errors at the field', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'repo create');
    await form('ada');
    await ada.fill({ repository: 'no/such/name' });
    expect(Object.values((await ada.submit()).errors).join()).toContain('is not a valid repository name');
    await ada.fill({ repository: 'acme/spindle' });
    expect((await answerTo('ada', () => ada.submit())).text).toContain('acme/spindle');
  });

  it.each([
    ['repo create nobody/loom2', 'I can’t find the organization nobody'],
    ['repo create acme/engine', 'it already exists'],
  ])('%s says what is wrong', async (line, words) => {
    expect((await type('ada', line)).text).toContain(words);
  });
});

describe('repo migrate', () => {
  const line = 'repo migrate https://example.org/ada/wheel acme/wheel --service gitea --with issues,pulls --mirror';

  it('shows how long it takes, and reports the end', async () => {
    const { slack } = bellows;
    const imported = createLatch();
    bellows.forge.faults.add({ on: migrations, trouble: { hold: () => imported.opened } });
    const ada = slack.as('ada');
    const answer = type('ada', line);
    const card = await slack.until(() => ada.sees(ada.dm).find(({ text }) => text.includes('Importing')));
    expect(words(card)).toContain('so far');
    imported.open();
    expect((await answer).text).toContain('Imported');
    await slack.until(() => ada.sees(ada.dm).find(({ ts, text }) => ts === card.ts && text.includes('Imported')));
    expect(served(migrations).at(-1)?.body).toMatchObject({
      clone_addr: 'https://example.org/ada/wheel',
      repo_owner: 'acme',
      repo_name: 'wheel',
      service: 'gitea',
      mirror: true,
      issues: true,
      pull_requests: true,
      wiki: false,
    });
  });

  it('offers to delete the empty repository that a failed import left, and nothing else', async () => {
    const ada = bellows.slack.as('ada');
    const failed = await type('ada', 'repo migrate https://nowhere.invalid/ada/pulley acme/pulley');
    expect(words(failed)).toContain('Could not resolve host: nowhere.invalid. It left an empty repository.');
    await ada.click(failed, 'Delete it and try again');
    await form('ada');
    await ada.fill({ address: 'https://example.org/ada/pulley' });
    bellows.forge.requests.clear();
    expect((await answerTo('ada', () => ada.submit())).text).toContain('Imported');
    const sent = [...bellows.forge.requests].filter(({ who, method }) => who === 'ada' && method !== 'GET');
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /repos/acme/pulley',
      'POST /repos/migrate',
    ]);
    // The same button again: the repository has commits now, and another id.
    await ada.click(failed, 'Delete it and try again');
    await form('ada');
    bellows.forge.requests.clear();
    expect((await answerTo('ada', () => ada.submit())).text).toContain('already exists');
    expect(served('DELETE /repos/{owner}/{repo}')).toEqual([]);
  });

  it('does not take what a failed import left for an import, whatever the forge answers', async () => {
    const left = (name: string, from: string) => `repo migrate https://${from}/ada/${name} acme/${name}`;
    bellows.forge.faults.add({ on: migrations, trouble: { status: 500, message: '', done: true } });
    const broken = await type('ada', left('cable', 'nowhere.invalid'));
    expect(words(broken)).toContain(
      'Gitea could not import `acme/cable`: no reason given. It left an empty repository.',
    );
    expect(words(broken)).toContain('Delete it and try again');
    bellows.forge.faults.add({ on: migrations, trouble: { status: 422, message: 'Timed out.', done: true } });
    const part = await type('ada', left('belt', 'example.org'));
    expect(words(part)).toContain('reported an error while importing `acme/belt`: Timed out. The repository exists.');
    expect(words(part)).toContain('To import it again, delete it there first.');
    bellows.forge.faults.add({ on: migrations, trouble: { status: 500, message: '' } });
    expect(words(await type('ada', left('hoist', 'example.org')))).toContain('nothing was changed');
    expect(served(migrations)).toHaveLength(3);
  });

  it('counts as done only what is no longer empty', async () => {
    const { world } = bellows.forge;
    world.createRepo({ as: 'ada', owner: 'acme', name: 'filling', autoInit: false });
    const forge = createForge({ url: bellows.forge.url });
    const api = forge.as({ kind: 'token', token: bellows.forge.account('ada').token() });
    const look = () =>
      repoMigrate.findDone?.(
        { address: 'https://example.org/x', repository: { owner: 'acme', name: 'filling' } } as never,
        { api } as Context,
        { since: new Date(0), note: undefined },
      );
    expect(await look()).toBeUndefined();
    world.push({ as: 'ada', repo: 'acme/filling', branch: 'main', commits: ['Arrived'] });
    expect(await look()).toMatchObject({ looked: true });
    await forge.close();
  });

  it.each(['pushed', 'replaced'])('keeps what a failed import left once somebody %s it', async (how) => {
    const { world } = bellows.forge;
    const [ada, repo] = [bellows.slack.as('ada'), `acme/rope-${how}`];
    const failed = await type('ada', `repo migrate https://nowhere.invalid/ada/rope ${repo}`);
    if (how === 'replaced') {
      world.deleteRepo({ as: 'ada', repo });
      world.createRepo({ as: 'ada', owner: 'acme', name: `rope-${how}`, autoInit: false });
    } else world.push({ as: 'ada', repo, branch: 'main', commits: ['By hand'] });
    await ada.click(failed, 'Delete it and try again');
    await form('ada');
    expect((await answerTo('ada', () => ada.submit())).text).toContain('already exists');
    expect(served('DELETE /repos/{owner}/{repo}')).toEqual([]);
  });

  it('never sends what exists', async () => {
    expect((await type('ada', line)).text).toContain('already exists');
    expect(served(migrations)).toEqual([]);
  });

  it('checks whether it happened when the answer is lost, and sends it once', async () => {
    bellows.forge.faults.add({ on: migrations, trouble: { drop: 'after' } });
    const answer = await type('ada', line.replaceAll('wheel', 'axle'));
    expect(words(answer)).toContain('the repository exists');
    expect(served(migrations)).toHaveLength(1);
  });

  it.each([
    ['axle', 'the repository exists'],
    ['never-made', 'did not confirm'],
  ])('interrupted while importing %s, it checks and sends nothing again', async (name, said) => {
    const redis = connect(bellows.redisUrl);
    await ready(redis);
    const place = { connection: redis, forgeId: 'main' };
    const store = createStore({ redis, forgeId: place.forgeId, seal: createSeal(bellows.config.keys) });
    const queue = createQueue('act', place);
    const job: CommandJob = {
      v: 1,
      kind: 'command',
      command: 'repo migrate',
      args: { address: 'https://example.org/ada/x', repository: { owner: 'acme', name } },
      dryRun: false,
      source: 'typed',
      person: { team: bellows.slack.teamId, user: 'U0ADA00001' },
      channel: 'C0ENGINE01',
      answer: {},
      acceptedAt: Date.now(),
    };
    // As left by a worker that is killed while the forge imports.
    const id = `j-cut-${name}`;
    await store.jobs.mark(id, 'sent');
    const where = name === 'axle' ? 'engine' : bellows.slack.as('ada').dm;
    const answer = await answerTo('ada', () => queue.add('command', sealJob(store, job, id), { jobId: id }), where);
    expect(words(answer)).toContain(said);
    expect(served(migrations)).toEqual([]);
    await queue.close();
    await close(redis);
  });

  it('keeps an import private if its source needs a credential', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'repo migrate');
    await form('ada');
    await ada.fill({ address: 'https://example.org/ada/guarded.git', repository: 'acme/guarded', token: 'a token' });
    await ada.submit();
    await bellows.slack.until(() => ada.sees('engine').find(({ text }) => text.includes('acme/guarded')));
    expect(served(migrations).at(-1)?.body).toMatchObject({ repo_name: 'guarded', private: true });
  });

  it('offers the form again if the source refuses', async () => {
    bellows.forge.faults.add({ on: migrations, trouble: { status: 422, message: 'authentication failed' } });
    const answer = await type('ada', line.replaceAll('wheel', 'gear'));
    expect(words(answer)).toContain('authentication failed');
    await bellows.slack.as('ada').click(answer, 'Change and try again');
    expect(words(await form('ada'))).toContain('https://example.org/ada/gear');
    await bellows.slack.as('ada').close();
  });

  it('is only for maintainers', async () => {
    expect((await bellows.slack.as('alan').command('engine', '/forge', line)).ok).toBe(true);
    await bellows.slack.until(() =>
      bellows.slack
        .as('alan')
        .sees('engine')
        .find(({ text }) => text.includes('Only maintainers can use')),
    );
  });
});

describe('package show', () => {
  it.each(['package show acme/generic/engine/0.9', 'package show {url}/acme/-/packages/generic/engine/0.9'])(
    '%s shows it',
    async (written) => {
      const answer = await type('ada', written.replace('{url}', bellows.forge.url));
      expect(served('GET /packages/{owner}/{type}/{name}/{version}').at(-1)?.path).toBe(
        '/packages/acme/generic/engine/0.9',
      );
      expect(answer.text).toContain('engine 0.9');
    },
  );

  it('says how a package is written', async () => {
    const ada = bellows.slack.as('ada');
    await ada.command('engine', '/forge', 'package show engine');
    await bellows.slack.until(() => ada.sees('engine').find(({ text }) => text.includes('owner/type/name/version')));
  });
});

it('shows a dry run without sending, without secrets', async () => {
  const answer = await type('ada', 'repo create acme/thread --private --dry-run');
  expect(words(answer)).toContain('POST /orgs/acme/repos');
  expect(words(answer)).toContain('No approval needed.');
  expect(served('POST /orgs/{org}/repos')).toEqual([]);
});
