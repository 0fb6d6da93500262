import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { people } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001]
  maintainer:
    users: [U0GRACE001]
deployments:
  production:
    repository: acme/engine
    workflow: deploy.yml
    refs: [main, v*]
    inputs: { environment: production, workers: 2 }
    ungated: [{ environment: staging }]
    approve: maintainer
    channel: C0ENGINE01
  anywhere:
    repository: acme/engine
    workflow: release.yml
    refs: ["**", refs/tags/main]
    inputs: { version: "1" }
    approve: maintainer
    channel: C0ENGINE01
  tagged:
    repository: acme/engine
    workflow: release.yml
    refs: [refs/tags/v*, refs/heads/stable]
    inputs: { version: "2" }
    approve: maintainer
    channel: C0ENGINE01
  site:
    repository: acme/website
    workflow: publish.yml
    refs: [main]
    approve: maintainer
    channel: C0ENGINE01
  kiosk:
    repository: acme/website
    workflow: kiosk.yml
    refs: [main]
    inputs: { environment: production }
    approve: maintainer
    channel: C0ENGINE01
  shop:
    repository: acme/website
    workflow: publish@shop.yml
    refs: [main]
    approve: maintainer
    channel: C0ENGINE01
`;
const repo = 'acme/engine';
const jobs = 'jobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

let bellows: Bellows;
const { type: typeIn } = talkTo(() => bellows);
/** A channel without cards. */
const type = (line: string, user = 'ada') => typeIn(user, line, 'general');
const started = () => bellows.forge.requests.of(dispatches);
const reruns = () => bellows.forge.requests.all.filter(({ path, method }) => method === 'POST' && /rerun/.test(path));

beforeAll(async () => {
  bellows = await startBellows({ policy, slack: { seed: { users: people } } });
  const { world } = bellows.forge;
  world.plantWorkflow({ repo: 'acme/website', file: 'publish.yml', text: `on: workflow_dispatch\n${jobs}` });
  await bellows.link('ada');
  await bellows.link('grace');
});
afterAll(() => bellows.close());
beforeEach(() => bellows.forge.requests.clear());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

describe('what can be deployed', () => {
  beforeAll(() => {
    const { world } = bellows.forge;
    world.tag({ as: 'grace', repo, tag: 'main' });
    for (const branch of ['MAIN', 'try']) world.push({ as: 'grace', repo, branch, commits: [branch] });
    world.push({ as: 'ada', repo, branch: 'main', commits: ['The branch moves on'] });
    world.tag({ as: 'ada', repo, tag: 'v3' });
  });
  const headOf = (branch: string) => bellows.forge.world.repo(repo).branches.get(branch) ?? 'none';

  it.each(['refs/tags/v9', 'refs/heads/stable'])('is no branch or tag that is itself called %s', async (name) => {
    const { world } = bellows.forge;
    world.push({ as: 'grace', repo, branch: name, commits: [`On ${name}`] });
    world.tag({ as: 'grace', repo, tag: name });
    for (const kind of ['heads', 'tags'])
      expect((await type(`deploy tagged refs/${kind}/${name}`)).text).toContain('can’t be deployed to tagged');
    expect(words(await type('deploy tagged v3 --dry-run'))).toContain('tag v3 at');
  });

  it('is the branch, not a tag of its name; the card says which it is', async () => {
    const shown = (line: string) => type(`${line} --dry-run`).then(words);
    expect(await shown('deploy production')).toContain(`branch main at ${headOf('main').slice(0, 10)}`);
    expect(await shown('deploy production v3')).toContain('tag v3 at');
    expect(await shown('deploy anywhere refs/tags/main')).toContain('tag main at');
  });
});

describe('starting the workflow by hand', () => {
  const instead = 'deploy.yml deploys to production. Use /forge deploy production instead';
  const run = 'workflow run acme/engine deploy.yml';

  it.each([
    `${run} --input environment=production`,
    `${run} --input environment=production --input workers=2 --input dry_run=true`,
    `${run} --ref try --input environment=production --dry-run`,
    `${run} --input environment=`,
    `workflow run Acme/ENGINE deploy.yml --input environment=production`,
    'workflow run acme/engine release.yml --input version=1',
    'workflow run acme/website publish.yml',
  ])('is refused for “%s”', async (line) => {
    const name = line.includes('publish') ? 'site' : line.includes('release') ? 'anywhere' : 'production';
    const { text } = await type(line);
    expect(text).toMatch(
      line.endsWith('environment=') ? /instead|Choose one of/ : `deploys to ${name}. Use /forge deploy`,
    );
    expect(started()).toEqual([]);
  });

  it('is possible with the values listed as not gated, typed or by default, and for other workflows', async () => {
    expect((await type(`${run} --input environment=staging --input workers=9`)).text).toContain('Started');
    expect((await type(run)).text).toContain('Started');
    expect((await type('workflow run acme/engine ci.yml')).text).toContain('Started');
    expect(started()).toHaveLength(3);
  });

  it('is refused if another folder has a different file of that name', async () => {
    const { world } = bellows.forge;
    const text = `on:\n  workflow_dispatch:\n    inputs:\n      environment: { default: production }\n${jobs}`;
    const path = '.github/workflows/deploy.yml';
    world.plantFile({ repo, path, text });
    expect((await type(run)).text).toContain(instead);
    expect(started()).toEqual([]);
    world.repo(repo).texts.delete(path);
  });

  it('is refused if the file does not say what it would send', async () => {
    bellows.forge.world.plantWorkflow({ repo: 'acme/website', file: 'kiosk.yml', text: 'on: [workflow_dispatch' });
    expect((await type('workflow run acme/website kiosk.yml')).text).toContain('deploys to kiosk');
    expect(started()).toEqual([]);
  });

  it('counts the workflow’s own default', async () => {
    const text = 'on:\n  workflow_dispatch:\n    inputs:\n      environment: { default: Production }\n';
    bellows.forge.world.plantWorkflow({ repo, file: 'deploy.yml', text: `${text}${jobs}` });
    expect((await type('workflow run acme/engine deploy.yml')).text).toContain(instead);
    expect(started()).toEqual([]);
  });

  it.each([
    ['after many others', `${Array.from({ length: 40 }, (_, at) => `      in${at}: {}\n`).join('')}`],
    ['after more than are read', `${Array.from({ length: 600 }, (_, at) => `      in${at}: {}\n`).join('')}`],
  ])('counts a default %s', async (_where, others) => {
    const head = 'on:\n  workflow_dispatch:\n    inputs:\n';
    const text = `${head}${others}      environment: { default: production }\n${jobs}`;
    bellows.forge.world.plantWorkflow({ repo, file: 'deploy.yml', text });
    expect((await type('workflow run acme/engine deploy.yml')).text).toContain(instead);
    expect(started()).toEqual([]);
  });

  it('counts a default that the file takes over from elsewhere in it', async () => {
    const text =
      'x: &all\n  environment: { default: production }\non:\n  workflow_dispatch:\n    inputs:\n      <<: *all\n';
    bellows.forge.world.plantWorkflow({ repo, file: 'deploy.yml', text: `${text}${jobs}` });
    expect((await type('workflow run acme/engine deploy.yml')).text).toContain(instead);
    expect(started()).toEqual([]);
  });

  it('is refused under a former name of the repository', async () => {
    const { world } = bellows.forge;
    world.renameRepo({ as: 'ada', repo: 'acme/website', name: 'pages' });
    const line = (name: string) => `workflow run acme/${name} publish.yml`;
    expect((await type(line('pages'))).text).toContain('deploy site instead');
    expect((await type(line('website'))).text).toContain('deploy site instead');
    expect(started()).toEqual([]);
    world.renameRepo({ as: 'ada', repo: 'acme/pages', name: 'website' });
  });
});

describe('rerunning a deployment', () => {
  beforeAll(() => {
    const text = `on:\n  workflow_dispatch:\n    inputs:\n      environment: {}\n      workers: { type: number }\n${jobs}`;
    bellows.forge.world.plantWorkflow({ repo, file: 'deploy.yml', text });
  });

  const failed = (workflow: string) => {
    const { world } = bellows.forge;
    const { id } = world.startRun({ as: 'grace', repo: 'acme/website', workflow });
    world.finishRun({ run: id, conclusion: 'failure' });
    return id;
  };

  it.each([
    ['workflow_dispatch', 'may deploy to production'],
    ['', 'may deploy to production'],
    ['pull_request', 'Rerunning'],
  ])('of a gated workflow that was started elsewhere by “%s” says “%s”', async (event, part) => {
    const { world } = bellows.forge;
    const { id } = world.startRun({ as: 'grace', repo, workflow: 'deploy.yml', event });
    world.finishRun({ run: id, conclusion: 'failure' });
    const line = `run rerun ${bellows.forge.url}/${repo}/actions/runs/${id}`;
    expect((await type(`${line} --dry-run`)).text).toContain(event === 'pull_request' ? 'Dry run' : part);
    expect((await type(line)).text).toContain(part);
    expect(reruns()).toHaveLength(event === 'pull_request' ? 1 : 0);
  });

  it('is refused for a run whose server does not say which workflow it belongs to', async () => {
    const { world } = bellows.forge;
    const { id } = world.startRun({ as: 'grace', repo, workflow: 'ci.yml', event: 'workflow_dispatch' });
    world.finishRun({ run: id, conclusion: 'failure' });
    const bend = (body: unknown) => ({ ...Object(body), path: '' });
    const on = 'GET /repos/{owner}/{repo}/actions/runs/{run}';
    const restore = bellows.forge.faults.add({ on, times: 99, trouble: { bend } });
    const line = `run rerun ${bellows.forge.url}/${repo}/actions/runs/${id}`;
    expect((await type(line)).text).toContain('may deploy to');
    expect(reruns()).toEqual([]);
    restore();
    expect((await type(line)).text).toContain('Rerunning');
  });

  it('cannot be had by approving a run either', async () => {
    const run = {
      as: 'grace',
      repo: 'acme/website',
      workflow: 'publish.yml',
      event: 'pull_request',
      needsApproval: true,
    };
    const { id } = bellows.forge.world.queueRun(run);
    const line = `run approve ${bellows.forge.url}/acme/website/actions/runs/${id}`;
    expect((await type(line)).text).toContain('may deploy to site');
    expect(bellows.forge.world.run(id)?.approval).toBe('needed');
  });

  it.each([
    ['publish.yml', 'site'],
    ['publish@shop.yml', 'shop'],
  ])('is refused for a run of %s that was started elsewhere, if the workflow does nothing else', async (file, name) => {
    expect((await type(`run rerun acme/website#${failed(file)}`)).text).toContain(`may deploy to ${name}`);
    expect(reruns()).toEqual([]);
  });

  it('is not taken for another workflow whose name begins its own', async () => {
    expect((await type(`run rerun acme/website#${failed('publish.yml@mine.yml')}`)).text).toContain('Rerunning');
    expect(reruns()).toHaveLength(1);
  });
});
