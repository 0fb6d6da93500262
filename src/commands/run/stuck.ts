import { command } from '../../chat/command.js';
import { branch, flag, optional, repository } from '../../chat/fields/index.js';
import { offset } from '../../chat/fields/offset.js';
import { request } from '../../chat/request.js';
import { findStuckWithMeans, stuckMessage } from '../../domain/runs/stuck-message.js';
import { workflow } from '../../domain/workflows/fields.js';

export const runStuck = command({
  name: 'run stuck',
  title: 'Find stuck runs',
  summary: 'Find stuck runs and why they look stuck',
  examples: ['run stuck', 'run stuck acme/engine', 'run stuck acme/engine --workflow ci.yml'],
  fields: {
    repository: optional(repository({ hint: 'Leave empty to search everything you can see.' })),
    workflow: flag(workflow()),
    branch: flag(branch()),
    from: offset(),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: [
    'runs.list',
    'admin.listRuns',
    'runs.get',
    'runs.listJobs',
    'runs.jobLog',
    'repos.search',
    'admin.listJobs',
    'admin.listRunners',
  ],
  needs: ['runs.list'],
  plan: ({ repository }) => [repository ? request('runs.list', repository) : request('admin.listRuns', {})],
  run: findStuckWithMeans,
  reply: stuckMessage,
});
