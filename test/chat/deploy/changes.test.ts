import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../../src/chat/command.js';
import type { SessionOptions } from '../../../src/chat/session.js';
import { deploy } from '../../../src/features/deploy/deploy.js';
import type { Asked } from '../../../src/features/deploy/environment.js';
import { deploymentOf, dispatchedWith } from '../../support/deployment.js';
import { useApprovals } from '../approval/scene.js';

const scene = useApprovals();
const { at, contextOf } = scene;
const repo = 'acme/engine';
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const engine = 'repository: acme/engine, workflow: push.yml';
const policy = `deployments:
  production: { ${engine}, refs: [main, "v*"], ask: maintainer, approve: { users: [U0GRACE001, U0LINUS001] }, count: 2, expires: 90s,
    channel: C0ROOM0001, requesterCounts: true, breakGlass: { users: [U0ADA00001] } }
  own: { ${engine}, refs: [main], inputs: { environment: own }, authorsCount: false, channel: C0ROOM0001 }
`;

let head: string;
const world = () => scene.forge.world;
const idOf = (login: string) => world().user(login)?.id;
const addressOf = (login: string) => world().user(login)?.email ?? '';

beforeAll(() => {
  world().plantWorkflow({ repo, file: 'push.yml', text: dispatchedWith('      environment: {}\n') });
});
beforeEach(() => {
  scene.configure(policy);
  head = world().repo(repo).branches.get('main') ?? '';
});

type Commit = Parameters<ReturnType<typeof world>['push']>[0]['commits'][number];
function push(commit: Commit, as = 'ada'): string {
  const [pushed] = world().push({ as, repo, branch: 'main', commits: [commit] });
  return pushed?.sha ?? '';
}
const deployed = (environment: string, sha = head) =>
  at.store.deployments.put(deploymentOf({ environment, sha, state: 'succeeded', startedAt: at.now() }));

async function seen(asked: Partial<Asked> = {}): Promise<Observation> {
  const found = await deploy.approval?.observe?.({ environment: 'own', ...asked } as never, await contextOf());
  if (!found) throw new Error('nothing was observed');
  return found;
}
/** What the card shows under this heading, with the page it links to. */
function shown({ shown: facts }: Observation, heading: string) {
  const [, given = [], page] = facts.find(([name]) => name === heading) ?? [];
  const lines = Array.isArray(given) ? given : [given];
  return { lines: lines.map((each) => (typeof each === 'object' && 'text' in each ? each.text : String(each))), page };
}

describe('the changes', () => {
  const page = (path: string) => `${scene.forge.url}/${repo}/${path}`;

  it('are the pull requests and the commits without one since the last deployment, and where to compare them', async () => {
    await deployed('own');
    world().push({ as: 'grace', repo, branch: 'belt', commits: ['Cut', 'Sew'] });
    const { index } = world().openPull({ as: 'grace', repo, title: 'Replace the belt', head: 'belt' });
    world().merge({ as: 'ada', repo, index });
    const sha = push('Oil the wheel\n\nAnd more', 'grace');
    const observed = await seen();
    expect(shown(observed, 'Changes')).toEqual({
      lines: [
        expect.stringMatching(/^\d+ commits$/),
        `#${index} Replace the belt (grace)`,
        `${sha.slice(0, 10)} Oil the wheel (grace)`,
      ],
      page: { text: 'Compare', url: page(`compare/${head}...${sha}`) },
    });
    expect(shown(observed, 'Current version').lines).toEqual([`branch main at ${head.slice(0, 10)}`]);
    expect(observed).toMatchObject({ bound: { commit: sha, ref: 'refs/heads/main', deployed: head } });
    expect(observed.details).toBeUndefined();
  });

  it('are ten on the card, and the others behind its button', async () => {
    await deployed('own');
    for (let nth = 1; nth <= 12; nth += 1) push(`Small step ${nth}.`);
    const observed = await seen();
    const { lines } = shown(observed, 'Changes');
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('and 2 more');
    expect(JSON.stringify(observed.details)).toContain('Small step 1.');
  });

  it('are all commits at first, and those that are undone when going back', async () => {
    world().tag({ as: 'ada', repo, tag: 'v6' });
    const first = await seen({ environment: 'production', ref: 'v6' });
    expect(shown(first, 'Current version').lines).toEqual(['nothing deployed yet']);
    expect(shown(first, 'New version').lines).toEqual([`tag v6 at ${head.slice(0, 10)}`]);
    expect(shown(first, 'Changes').page).toEqual({ text: 'All commits', url: page(`commits/commit/${head}`) });
    expect(first.bound).toMatchObject({ ref: 'refs/tags/v6', deployed: null });
    const later = push('After the tag');
    await deployed('production', later);
    expect(shown(await seen({ environment: 'production', ref: 'v6' }), 'Changes')).toEqual({
      lines: ['Goes back 1 commit', `${later.slice(0, 10)} After the tag (ada)`],
      page: { text: 'Compare', url: page(`compare/${head}...${later}`) },
    });
  });

  it('are none if the commit that runs is deployed again, whichever was approved', async () => {
    const sha = push('By grace', 'grace');
    await at.store.deployments.put(
      deploymentOf({ environment: 'own', sha: head, otherCommit: sha, state: 'succeeded' }),
    );
    const observed = await seen();
    expect(shown(observed, 'Changes').lines).toEqual(['The same commit again']);
    expect(observed.bound).toMatchObject({ deployed: sha });
    expect(observed.authors).toEqual([idOf('grace')]);
  });
});

describe('the authors', () => {
  /** A merged pull request with this person's commit. */
  function bring(as: string, opener: string): void {
    world().push({ as, repo, branch: `by-${opener}`, commits: ['Work'] });
    const { index } = world().openPull({ as: opener, repo, title: 'Work', head: `by-${opener}` });
    world().merge({ as, repo, index });
  }

  it.each([
    ['who wrote it', () => push('By grace', 'grace')],
    ['a co-author', () => push(`Together\n\nCo-authored-by: G. Hopper <${addressOf('grace')}>`)],
    ['a co-author with a hidden address', () => push('Paired\n\nco-authored-by: G <grace@noreply.example.org>')],
    [
      'one of two on a line',
      () => push(`Both\n\nCo-authored-by : A <${addressOf('ada')}>, <${addressOf('grace')}> (both)`),
    ],
    ['a committer', () => push({ message: 'Applied', author: addressOf('ada'), committer: addressOf('grace') })],
    ['the opener of a pull request', () => bring('ada', 'grace')],
  ])('are %s', async (_who, write) => {
    await deployed('own');
    write();
    push('By ada, later');
    const { authors, unsure } = await seen();
    expect(new Set(authors)).toEqual(new Set([idOf('grace'), idOf('ada')]));
    expect(unsure).toEqual([]);
  });

  it('are known however many commits came after theirs', async () => {
    await deployed('own');
    push('By grace, long ago', 'grace');
    world().push({ as: 'ada', repo, branch: 'main', commits: Array.from({ length: 60 }, (_, nth) => `Later ${nth}`) });
    expect((await seen()).authors).toContain(idOf('grace'));
  });

  it('are all before the first deployment, even if another run of the workflow succeeded with theirs', async () => {
    push('By grace, never deployed', 'grace');
    const { id } = world().startRun({ as: 'grace', repo, workflow: 'push.yml', event: 'push' });
    world().finishRun({ run: id, conclusion: 'success' });
    push('By ada, after that run');
    const observed = await seen();
    expect(shown(observed, 'Changes').lines[0]).toBe('1 commit');
    expect(observed.authors).toContain(idOf('grace'));
  });

  it.each([
    ['author', () => ({ author: 'grace@home.example' })],
    ['committer', () => ({ author: addressOf('grace'), committer: 'grace@home.example' })],
    ['other server as committer', () => ({ author: addressOf('grace'), committer: 'noreply@elsewhere.example' })],
  ])('are not known with an unknown %s', async (_who, by) => {
    await deployed('own');
    const sha = push({ message: 'From home', ...by() }, 'grace');
    expect((await seen()).unsure).toEqual([`commit ${sha.slice(0, 10)}`]);
  });

  it.each(['Co-authored-by: G <grace@home.example>', 'Co-authored-by: Grace', ' co-authored-by:'])(
    'are not known with the line “%s”',
    async (line) => {
      await deployed('own');
      const sha = push(`Together\n\n${line}`);
      expect((await seen()).unsure).toEqual([`commit ${sha.slice(0, 10)}`]);
    },
  );

  it('are not known of a commit that names more co-authors than are searched', async () => {
    await deployed('own');
    const lines = Array.from({ length: 60 }, (_, nth) => `Co-authored-by: N <n${nth}@home.example>`);
    const sha = push(`Together\n\n${lines.join('\n')}\nCo-authored-by: G <${addressOf('grace')}>`);
    scene.forge.requests.clear();
    expect((await seen()).unsure).toEqual([`commit ${sha.slice(0, 10)}`]);
    expect(scene.forge.requests.of('GET /users/search').length).toBeLessThanOrEqual(50);
  });

  it('are known of what the forge merged itself', async () => {
    await deployed('own');
    push({ message: 'Signed by the server', author: addressOf('ada'), committer: 'gitea@fake.local' });
    expect((await seen()).unsure).toEqual([]);
  });

  it('may be in more commits than are read', async () => {
    await deployed('own');
    world().push({ as: 'ada', repo, branch: 'main', commits: Array.from({ length: 500 }, (_, nth) => `Step ${nth}`) });
    expect((await seen()).unsure).toEqual(['older commits']);
  });

  it('may be in more pull requests than can be searched', async () => {
    await deployed('own');
    push('Somewhere in them');
    world().push({ as: 'grace', repo, branch: 'never', commits: ['Never merged'] });
    for (let nth = 0; nth < 200; nth += 1) {
      const { index } = world().openPull({ as: 'grace', repo, title: `Never ${nth}`, head: 'never' });
      world().close({ as: 'grace', repo, index });
    }
    expect((await seen()).unsure).toEqual(['older pull requests']);
  });
});

it('is decided as its environment says, and by nobody in an emergency', async () => {
  const context = await contextOf();
  const policyOf = (asked: Asked) => deploy.approval?.policy?.(asked as never, context);
  expect(policyOf({ environment: 'production' })).toMatchObject({
    said: {
      approve: { users: ['U0GRACE001', 'U0LINUS001'] },
      count: 2,
      channel: 'C0ROOM0001',
      expires: 90,
      requesterCounts: true,
    },
    source: 'deployments.production',
    asks: 'maintainer',
  });
  expect(policyOf({ environment: 'own' })).toMatchObject({
    said: { approve: 'maintainer', count: 1, authorsCount: false },
  });
  expect(policyOf({ environment: 'production', breakGlass: true })).toMatchObject({
    said: { count: 0 },
    asks: { users: ['U0ADA00001'] },
  });
});

describe('the start', () => {
  const start = async (more: Partial<SessionOptions>) =>
    deploy.run({ environment: 'own' } as never, await contextOf('U0ADA00001', { job: 'd1', ...more }));
  const approvedFor = (commit: string) =>
    ({ id: 'a1', approvers: [], commit }) as unknown as NonNullable<SessionOptions['approval']>;

  it('is refused once the branch moved after the last look, and nothing is recorded', async () => {
    const sha = push('Slipped in').slice(0, 10);
    const doing = start({ approval: approvedFor(head) });
    await expect(doing).rejects.toThrow(`commit was ${head.slice(0, 10)}, now ${sha}`);
    expect(scene.forge.requests.of(dispatches)).toEqual([]);
    expect(await at.store.deployments.list('own')).toEqual([]);
  });

  it('leaves the environment free if the forge refuses it, and busy if its answer was lost', async () => {
    scene.forge.faults.add({ on: dispatches, trouble: { status: 403 } });
    await expect(start({})).rejects.toThrow();
    expect(await at.store.deployments.current('own')).toBeUndefined();
    expect(await at.store.deployments.list('own')).toMatchObject([{ id: 'd1', state: 'failed' }]);
    scene.forge.faults.add({ on: dispatches, trouble: { drop: 'after' } });
    await expect(start({ job: 'd2' })).rejects.toThrow();
    expect(await at.store.deployments.current('own')).toMatchObject({ id: 'd2', state: 'starting' });
  });
});
