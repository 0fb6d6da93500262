import { describe, expect, it } from 'vitest';
import { servers } from '../support/servers.js';
import { useFeed } from './feed-services.js';

const repo = 'acme/engine';
const engine = 'C0ENGINE01';
const files = [
  'GET /repos/{owner}/{repo}/pulls/{index}/files',
  'GET /repos/{owner}/{repo}/pulls/{index}.{diffType}',
  'GET /repos/{owner}/{repo}/commits',
];

describe.each(servers)('path filters on %s', (flavor) => {
  const services = useFeed({ flavor });
  const world = () => services.forge.world;
  const asked = () => files.flatMap((route) => services.forge.requests.of(route));
  let branches = 0;

  async function follow(words: string) {
    await services.subscribe(engine, repo, words);
    await services.round();
    services.forge.requests.clear();
  }
  async function later() {
    services.pass(2_000);
    await services.round();
    return JSON.stringify(services.slack.state.messages(engine).map(({ text, blocks }) => [text, blocks]));
  }
  function open(title: string, ...changed: string[]) {
    branches += 1;
    const branch = `path-${branches}`;
    world().push({ as: 'grace', repo, branch, commits: [{ message: title, files: changed }] });
    return world().openPull({ as: 'grace', repo, title, head: branch }).index;
  }
  const push = (...changed: readonly string[][]) =>
    world().push({
      as: 'grace',
      repo,
      branch: 'main',
      commits: changed.map((each) => ({ message: `Touch ${each[0]}`, files: each })),
    });

  it('posts pull requests and their reviews by the files they change, with one request each', async () => {
    await follow('pulls reviews path:services/billing/** -path:**/*.md');
    const index = open('Bill in cents', 'services/billing/cents.ts', 'web/index.html');
    open('Explain bills', 'services/billing/README.md');
    open('Paint the web', 'web/index.html');
    const shown = await later();
    expect(shown).toContain('Bill in cents');
    expect(shown).not.toMatch(/Explain bills|Paint the web/);
    expect(asked()).toHaveLength(3);
    services.forge.requests.clear();
    world().review({ as: 'ada', repo, index, verdict: 'approve' });
    await later();
    expect(asked()).toHaveLength(1);
  });

  it('posts pushes by the files of any of their commits, and leaves out what changes only excluded ones', async () => {
    await services.subscribe('C0GENERAL1', repo, 'commits -path:docs/**');
    await follow('commits path:services/billing,lib/');
    push(['docs/a.md'], ['services/billing/tax/rates.ts']);
    push(['services/billing-web/a.ts']);
    push(['lib/deep/a.ts'], ['docs/b.md']);
    push(['docs/c.md']);
    const shown = await later();
    expect(shown).toContain('Touch services/billing/tax/rates.ts');
    expect(shown).toContain('Touch lib/deep/a.ts');
    expect(shown).not.toContain('billing-web');
    expect(asked()).toHaveLength(4);
    const general = JSON.stringify(
      services.slack.state.messages('C0GENERAL1').map(({ text, blocks }) => [text, blocks]),
    );
    expect(general).toContain('Touch docs/b.md');
    expect(general).not.toContain('Touch docs/c.md');
  });

  it('reads no files unless a subscription asks and everything else matches', async () => {
    await follow('pulls commits path:src/** -author:grace');
    push(['src/a.ts']);
    open('By grace', 'src/a.ts');
    await later();
    await services.subscribe('C0GENERAL1', repo, 'pulls');
    open('For everyone', 'src/a.ts');
    await later();
    expect(asked()).toEqual([]);
  });

  it('posts what changes too many files to check, and what the forge does not list', async () => {
    await follow('pulls path:src/**');
    open('Rename everything', ...Array.from({ length: 3_001 }, (_, at) => `gen/${at}.ts`));
    expect(await later()).toContain('Rename everything');
    expect(asked()).toHaveLength(1);
    open('Many, and one of them', ...Array.from({ length: 60 }, (_, at) => `gen/${at}.ts`));
    services.forge.faults.add({ on: 'GET /repos/{owner}/{repo}/pulls/{index}/files', trouble: { status: 500 } });
    open('Not listed', 'web/a.ts');
    const shown = await later();
    expect(shown).toContain('Not listed');
    expect(shown).not.toContain('Many, and one of them');
  });

  // this server lists no runs
  if (flavor === 'forgejo-11') return;

  it('judges the runs of a push by the files of their commit', async () => {
    await follow('runs:failure path:src/**');
    for (const path of ['src/a.ts', 'docs/a.md']) {
      push([path]);
      const run = world().startRun({ as: 'grace', repo, title: `Build ${path}` });
      world().finishRun({ run: run.id, conclusion: 'failure' });
    }
    const shown = await later();
    expect(shown).toContain('Build src/a.ts');
    expect(shown).not.toContain('Build docs/a.md');
  });
});
