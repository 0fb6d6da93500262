import { command } from '../../chat/command.js';
import { flag } from '../../chat/fields/index.js';
import {
  forceCancel,
  forceCanceledMessage,
  forcedBranches,
  observeForceCancel,
  planForceCancel,
} from '../../domain/runs/force-cancel.js';
import { writtenRun } from '../../domain/runs/run-field.js';
import { also } from './also.js';

export const runForceCancel = command({
  name: 'run force-cancel',
  title: 'Force-cancel run',
  summary: 'Force-cancel a run that a regular cancel does not stop',
  examples: ['run force-cancel acme/engine#123', 'run force-cancel acme/engine#123 --also 124,125'],
  fields: { run: writtenRun(), also: flag(also()) },
  role: 'maintainer',
  risk: 'risky',
  effect: 'idempotent',
  operations: ['runs.forceCancel', 'runs.get', 'runs.list', 'runs.listJobs'],
  needs: ['runs.forceCancel'],
  branches: forcedBranches,
  plan: planForceCancel,
  observe: observeForceCancel,
  run: forceCancel,
  reply: forceCanceledMessage,
});
