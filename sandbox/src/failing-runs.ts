import type { SandboxForge } from './forge/index.js';

const jobs = [
  { name: 'build', labels: ['docker'], needs: [], steps: ['npm ci', 'npm run build'] },
  { name: 'integration', labels: ['docker'], needs: [], steps: ['npm ci', 'npm run integration'] },
];

const log = (step: string, lines: readonly string[]) =>
  [`##[group]Run ${step}`, ...lines, '##[error]Process completed with exit code 1.', ''].join('\n');

const gone = [
  '> connect to the cache',
  'Error: connect ECONNREFUSED 127.0.0.1:6379',
  '    at Cache.open (src/cache.ts:42:11)',
];
const wrong = [
  ' FAIL  src/theme.test.ts > dark mode keeps links readable',
  'AssertionError: expected 2.1 to be above 4.5',
];

/** One job that fails now and then on the same commit, and one broken by a change: for `run flaky` and `run log`. */
export function addFailingRuns({ world }: Pick<SandboxForge, 'world'>): void {
  /** Both jobs run; the second one fails with a message. */
  function fail(what: Parameters<typeof world.startRun>[0], lines: readonly string[]): void {
    const [build, integration] = world.startRun({ ...what, jobs }).jobs;
    if (!build || !integration) return;
    world.finishJob({ job: build.id, conclusion: 'success' });
    world.writeLog({ job: integration.id, text: log('npm run integration', lines) });
    world.finishJob({ job: integration.id, conclusion: 'failure' });
  }

  for (const title of ['Polish the logo', 'Count visitors']) {
    const main = { as: 'grace', repo: 'acme/website', branch: 'main' };
    world.push({ ...main, commits: [title] });
    fail({ ...main, title }, gone);
    world.finishRun({ run: world.startRun({ ...main, title, jobs }).id, conclusion: 'success' });
  }
  const site = { as: 'linus', repo: 'acme/website', branch: 'dark-mode' };
  world.push({ ...site, commits: [{ message: 'Paint links too', files: ['style/dark.css'] }] });
  fail({ ...site, title: 'Paint links too', event: 'pull_request' }, wrong);
}
