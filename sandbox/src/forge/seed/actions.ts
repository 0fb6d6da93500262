import { isForgejo } from '../state/site.js';
import type { State } from '../state/state.js';
import type { World } from '../world/index.js';

const names = [
  ['update_mirrors', '@every 10m'],
  ['repo_health_check', '@midnight'],
  ['check_repo_stats', '@midnight'],
  ['archive_cleanup', '@midnight'],
  ['sync_external_users', '@midnight'],
  ['deleted_branches_cleanup', '@midnight'],
  ['update_migration_poster_id', '@midnight'],
  ['cleanup_hook_task_table', '@midnight'],
  ['cleanup_packages', '@midnight'],
  ['cleanup_actions', '@midnight'],
  ['delete_inactive_accounts', '@annually'],
  ['delete_repo_archives', '@annually'],
  ['git_gc_repos', '@every 72h'],
  ['resync_all_sshkeys', '@every 72h'],
  ['resync_all_sshprincipals', '@every 72h'],
  ['resync_all_hooks', '@every 72h'],
  ['reinit_missing_repos', '@every 72h'],
  ['delete_missing_repos', '@every 72h'],
  ['delete_generated_repository_avatars', '@every 72h'],
  ['delete_old_actions', '@every 168h'],
  ['update_checker', '@every 168h'],
  ['delete_old_system_notices', '@every 168h'],
  ['gc_lfs', '@every 24h'],
  ['rebuild_issue_indexer', '@annually'],
  ['stop_zombie_tasks', '@every 5m'],
  ['stop_endless_tasks', '@every 30m'],
  ['cancel_abandoned_jobs', '@every 6h'],
  ['start_schedule_tasks', '@every 1m'],
] as const;

const day = 86_400;

function nextRun(now: number, schedule: string): number {
  if (schedule === '-') return 0;
  const every = /^@every (\d+)([mh])$/.exec(schedule);
  if (every !== null) return now + Number(every[1]) * (every[2] === 'h' ? 3600 : 60);
  return schedule === '@midnight' ? (Math.floor(now / day) + 1) * day : now + 365 * day;
}

/** Forgejo does not schedule the rare ones, and has a few of its own. */
function tasksOf({ site }: State): readonly (readonly [name: string, schedule: string])[] {
  if (!isForgejo(site)) return names;
  const shared = names
    .filter(([name]) => name !== 'gc_lfs')
    .map(([name, schedule]) => [name, /^@(annually|every (72|168)h)$/.test(schedule) ? '-' : schedule] as const);
  const later = [
    ['transfer_lingering_logs', '@midnight'],
    ['cleanup_offline_runners', '-'],
    ['actions_action_user', '@weekly'],
  ] as const;
  return isForgejo(site, 15) ? [...shared, ...later] : shared;
}

/** Every forge has these, empty or not. */
export function seedCron(state: State): void {
  const now = state.now();
  for (const [name, schedule] of tasksOf(state)) {
    state.cron.push({ name, schedule, next: nextRun(now, schedule), prev: 0, executions: 0 });
  }
}

const repo = 'acme/engine';

/** Green, red, green again; one run is stuck on a runner that disappeared, one waits for hardware nobody has. */
export function seedActions(state: State, world: World, now: number): void {
  world.addRunner({ name: 'builder-1', labels: ['ubuntu-latest', 'docker'] });
  world.addRunner({ name: 'builder-2', labels: ['ubuntu-latest', 'deploy'] });
  world.addRunner({ name: 'short-lived-3', labels: ['ubuntu-22.04'], ephemeral: true, disabled: true });
  const history = [
    [20, 'ada', 'Merge the gear fix', 'ci.yml', 'success'],
    [12, 'grace', 'Add a printer', 'ci.yml', 'failure'],
    [11, 'ada', 'Release v0.9', 'release.yml', 'success'],
    [4, 'grace', 'Drop the least important job', 'ci.yml', 'failure'],
    [3, 'grace', 'Drop the least important job', 'ci.yml', 'success'],
  ] as const;
  for (const [days, as, title, workflow, conclusion] of history) {
    const started = now - days * day;
    const run = state.at(started, () => world.startRun({ as, repo, title, workflow }));
    state.at(started + 240, () => world.finishRun({ run: run.id, conclusion }));
  }
  const site = state.at(now - 2 * day, () =>
    world.startRun({
      as: 'linus',
      repo: 'acme/website',
      title: 'Paint it black',
      branch: 'dark-mode',
      event: 'pull_request',
    }),
  );
  state.at(now - 2 * day + 90, () => world.finishRun({ run: site.id, conclusion: 'failure' }));
  const train = [{ name: 'train', labels: ['gpu'], needs: [], steps: ['make train'] }];
  state.at(now - 4 * 3600, () =>
    world.queueRun({
      as: 'grace',
      repo,
      title: 'Train the loom',
      workflow: 'train.yml',
      event: 'workflow_dispatch',
      jobs: train,
    }),
  );
  const deploy = [{ name: 'deploy', labels: ['deploy'], needs: [], steps: ['make deploy'] }];
  const stuck = state.at(now - 3 * 3600, () =>
    world.startRun({
      as: 'ada',
      repo,
      title: 'Deploy v0.9',
      workflow: 'deploy.yml',
      event: 'workflow_dispatch',
      jobs: deploy,
    }),
  );
  world.freezeRun({ run: stuck.id });
  world.runnerGone({ runner: 'builder-2' });
}
