import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { decideIn } from './deciding.js';
import { talkTo, words } from './talk.js';

const policy = `
roles:
  admin:
    users: [U0ADA00001]
  maintainer:
    users: [U0ALAN0001]
approvals:
  commands:
    pr merge:
      approve: maintainer
    issue assign:
      count: 2
      approve: everyone
  rules:
    - command: pr merge
      approve: { users: [U0ALAN0001] }
    - repository: acme/*
      branch: release/*
      count: 2
      approve: { users: [U0ALAN0001, U0ADA00001] }
    - command: pr *
      repository: acme/engine
      branch: main
      approve: { teams: [acme/release] }
    - repository: acme/engine
      branch: main
      approve: admin
    - repository: acme/website
      branch: next
      authorsCount: false
      approve: { users: [U0GRACE001, U0ALAN0001] }
    - command: pr merge
      repository: acme/website
      requesterCounts: true
      approve: everyone
    - command: pr merge
      repository: acme/vault
      count: 0
    - repository: acme/vault
      branch: release/*
      approve: { users: [U0ALAN0001] }
    - command: pr merge
      repository: acme/toy
      count: 0
    - command: pr merge
      repository: acme/tool
      approve: everyone
    - command: pr close
      repository: acme/engine
      approve: everyone
    - command: pr edit
      repository: acme/engine
      approve: everyone
    - command: runner disable
      approve: everyone
`;
const people = [
  { id: 'U0ADA00001', name: 'ada' },
  { id: 'U0GRACE001', name: 'grace' },
  { id: 'U0ALAN0001', name: 'alan' },
];
const [engine, website] = ['acme/engine', 'acme/website'];

let bellows: Bellows;
const { type } = talkTo(() => bellows);
const { ask, cardSays, click } = decideIn(() => bellows);

beforeAll(async () => {
  bellows = await startBellows({ policy, slack: { seed: { users: people } } });
  const { world } = bellows.forge;
  world.createTeam({ org: 'acme', name: 'Release', members: ['margaret', 'bellows-bot'] });
  await bellows.link('ada');
  await bellows.link('grace');
  await bellows.link('alan', 'margaret');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

let turn = 0;

/** A pull request that could be merged. */
function pull(repo: string, by: string, base?: string): string {
  const { world } = bellows.forge;
  turn += 1;
  const branch = `turn-${turn}`;
  world.push({ as: by, repo, branch, commits: [{ message: branch, files: [`${branch}.txt`] }] });
  if (base) world.push({ as: 'ada', repo, branch: base, commits: [{ message: base, files: [`${base}.txt`] }] });
  const { index } = world.openPull({ as: by, repo, title: branch, head: branch, ...(base && { base }) });
  return `${repo}#${index}`;
}

const merged = (ref: string) => {
  const [repo, index] = ref.split('#');
  return bellows.forge.requests
    .of('POST /repos/{owner}/{repo}/pulls/{index}/merge')
    .filter(({ path }) => path.includes(`${repo}/pulls/${index}/`));
};

/** Its card is posted, and the requester was told so: otherwise the next answer would be mistaken. */
async function asked(line: string): Promise<void> {
  const waits = () =>
    bellows.slack
      .as('ada')
      .sees('engine')
      .filter(({ text, onlyFor }) => onlyFor !== undefined && text.includes('Waiting for approval')).length;
  const before = waits();
  await ask(line);
  await bellows.slack.until(() => waits() > before);
}

describe('the most specific rule decides', () => {
  const says = async (line: string) => words(await type('ada', `${line} --dry-run`));

  it('by repository, then branch, then command, and a dry run says which and why', async () => {
    const shown = await says(`pr merge ${pull(engine, 'grace')}`);
    expect(shown).toContain('one other member of acme/release');
    expect(shown).toContain('approvals.rules.2 (pr *, acme/engine, main), more specific than rules.3, rules.0');
    const release = await says(`pr merge ${pull(engine, 'grace', 'release/1')}`);
    expect(release).toContain('2 other named approvers');
    expect(release).toContain('approvals.rules.1 (acme/*, release/*), more specific than rules.0');
  });

  it('and without a matching rule, the command’s own entry, the tier and the default', async () => {
    expect(await says('issue close acme/engine#2')).toContain('Anyone can run this. No approval needed.');
    expect(await says('subscribe acme/engine')).not.toContain('approvals.rules');
    expect(await says(`pr merge ${pull('acme/vault', 'ada')}`)).toMatch(/No approval needed.*approvals\.rules\.6/);
  });
});

it('a former name of a repository does not bypass the rules for its present one', async () => {
  const { world } = bellows.forge;
  world.createRepo({ as: 'ada', owner: 'acme', name: 'toy' });
  const ref = pull('acme/toy', 'ada');
  world.renameRepo({ as: 'ada', repo: 'acme/toy', name: 'tool' });
  await asked(`pr merge ${ref}`);
  expect([...merged(ref), ...merged(ref.replace('toy', 'tool'))]).toEqual([]);
});

it('draining a runner follows the rules for disabling it', async () => {
  const shown = words(await type('ada', 'runner drain builder-1 --dry-run'));
  expect(shown).toContain('approvals.rules.12 (runner disable)');
  await asked('runner drain builder-1');
  expect(bellows.forge.requests.of('PATCH /admin/actions/runners/{runner_id}')).toEqual([]);
});

it('a title cannot add lines that look like facts', async () => {
  const ref = pull(engine, 'grace');
  const item = bellows.forge.world.issue(engine, Number(ref.split('#')[1]));
  if (item) item.title = 'Belt\n*Checks*\n✅ passed';
  expect(words(await type('ada', `pr merge ${ref} --dry-run`))).toContain(`${ref} Belt *Checks* ✅ passed`);
});

it('a command that needs more approvals itself keeps them on a pull request', async () => {
  const shown = words(await type('ada', `issue assign ${pull(engine, 'grace')} ada --dry-run`));
  expect(shown).toContain('approval by 2 other people. Rule: `approvals.commands.issue assign`');
});

it.each(['issue close', 'issue edit --title Other', 'issue label bug', 'issue due tomorrow'])(
  'a rule for pull requests applies to “%s” on one',
  async (words) => {
    const [, verb, ...rest] = words.split(' ');
    const ref = pull(engine, 'ada');
    bellows.forge.requests.clear();
    await asked(['issue', verb, ref, ...rest].join(' '));
    expect(bellows.forge.requests.all.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

it('a rule for a branch applies to runs and workflows too, and leaves other branches alone', async () => {
  const { world } = bellows.forge;
  const repo = 'acme/vault';
  world.push({ as: 'ada', repo, branch: 'release/2', commits: ['Release'] });
  world.plantWorkflow({ repo, file: 'ship.yml', text: 'on: workflow_dispatch\njobs: {}\n' });
  const ended = (branch: string) => {
    const run = world.queueRun({ as: 'ada', repo, branch });
    world.finishRun({ run: run.id, conclusion: 'failure' });
    return run.id;
  };
  const waiting = world.queueRun({ as: 'ada', repo, branch: 'release/2', needsApproval: true });
  const says = async (line: string) => words(await type('ada', `${line} --dry-run`));
  for (const line of [
    `run rerun ${repo}#${ended('release/2')}`,
    `run approve ${repo}#${waiting.id}`,
    `workflow run ${repo} ship.yml --ref release/2`,
    `run cancel ${repo}#${world.queueRun({ as: 'ada', repo, branch: 'release/2' }).id}`,
    `run force-cancel ${repo}#${world.queueRun({ as: 'ada', repo, branch: 'release/2' }).id}`,
    `pr retarget ${pull(repo, 'ada')} release/2`,
  ])
    expect(await says(line), line).toContain('approvals.rules.7 (acme/vault, release/*)');
  for (const line of [`run rerun ${repo}#${ended('main')}`, `workflow run ${repo} ship.yml`])
    expect(await says(line), line).not.toContain('approvals.rules');
});

describe('a forge team', () => {
  it('approves through its members', async () => {
    const ref = pull(engine, 'grace');
    const card = await ask(`pr merge ${ref}`);
    expect((await click('grace', card, 'Approve')).text).toContain('can decide this');
    expect(merged(ref)).toEqual([]);
    await bellows.slack.as('alan').click(card, 'Approve');
    await cardSays(card, 'Merged');
    expect(merged(ref)).toMatchObject([{ who: 'ada' }]);
  });
});

describe('the author', () => {
  it('does not decide if the rule says so', async () => {
    const ref = pull(website, 'grace', 'next');
    const card = await ask(`pr merge ${ref}`);
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    expect(merged(ref)).toEqual([]);
  });

  it('is everyone who pushed or wrote a commit', async () => {
    const { world } = bellows.forge;
    const ref = pull(website, 'ada', 'next');
    const head = `turn-${turn}`;
    for (let nth = 0; nth < 60; nth++)
      world.comment({ as: 'ada', repo: website, index: Number(ref.split('#')[1]), body: 'Hm' });
    const address = [...world.state.users.values()].find(({ login }) => login === 'ada')?.email ?? '';
    world.push({ as: 'grace', repo: website, branch: head, commits: [{ message: 'Mine', author: address }] });
    const card = await ask(`pr merge ${ref}`);
    expect((await click('grace', card, 'Approve')).text).toContain('You wrote part of this');
    world.push({
      as: 'ada',
      repo: website,
      branch: 'paired',
      commits: ['Two\n\nCo-authored-by: G <grace@noreply.example.org>'],
    });
    const { index } = world.openPull({ as: 'ada', repo: website, title: 'Paired', head: 'paired', base: 'next' });
    const other = await ask(`pr merge ${website}#${index}`);
    expect((await click('grace', other, 'Approve')).text).toContain('You wrote part of this');
    expect(merged(ref)).toEqual([]);
  });

  it('may be unknown: then an admin other than the requester decides', async () => {
    const { world } = bellows.forge;
    const commits = [{ message: 'From home', author: 'grace@home.example' }];
    const [commit] = world.push({ as: 'linus', repo: website, branch: 'home', commits });
    const { index } = world.openPull({ as: 'linus', repo: website, title: 'Home', head: 'home', base: 'next' });
    const card = await ask(`pr merge ${website}#${index}`, 'grace');
    expect(words(card)).toContain(`commit ${commit?.sha.slice(0, 10)}`);
    expect((await click('alan', card, 'Approve')).text).toContain('can decide this');
  });

  it.each([
    ['commits', /^GET .*\/commits$/],
    ['pushes', /^GET .*\/timeline$/],
  ])('may be anyone where the forge does not show the %s', async (_what, on) => {
    const ref = pull(website, 'ada', 'next');
    bellows.forge.faults.add({ on, times: 50, trouble: { status: 500 } });
    const card = await ask(`pr merge ${ref}`, 'grace');
    bellows.forge.faults.clear();
    expect(words(card)).toContain(`doesn’t know who wrote ${ref}, so only an admin`);
  });

  it('never counts for their own request, even if requesters count', async () => {
    const ref = pull(website, 'ada');
    const card = await ask(`pr merge ${ref}`);
    expect((await click('ada', card, 'Approve')).text).toContain('Someone else has to approve');
    expect(merged(ref)).toEqual([]);
  });
});
