import { command } from '../../chat/command.js';
import { flag, number, optional, text, trailing } from '../../chat/fields/index.js';
import { logMessage, mostLines, planLog, readLog } from '../../domain/runs/log.js';
import { writtenRun } from '../../domain/runs/run-field.js';

export const runLog = command({
  name: 'run log',
  title: 'Show log',
  summary: 'Show why a run failed: the end of its failing step',
  examples: ['run log acme/engine#123', 'run log acme/engine#123 build'],
  fields: {
    run: writtenRun(),
    job: optional(trailing(text({ label: 'Job', hint: 'Leave empty for the first job that failed.', max: 255 }))),
    lines: flag({ ...number({ label: 'Lines', max: mostLines }), label: '' }),
  },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.jobLog', 'runs.listJobs', 'runs.get', 'runs.list'],
  needs: ['runs.jobLog', 'runs.listJobs'],
  plan: planLog,
  run: readLog,
  reply: logMessage,
});
