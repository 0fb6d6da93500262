import { command } from '../../chat/command.js';
import { run } from '../../chat/fields/index.js';
import { request } from '../../chat/request.js';
import { jobCard } from '../../view/cards/run.js';
import { message } from '../../view/message.js';
import { ifTold } from '../possible.js';
import { runBlocks } from './card.js';
import { readRun } from './read.js';

const mostJobs = 20;

export const runShow = command({
  name: 'run show',
  summary: 'Show a workflow run with its jobs',
  examples: ['run show acme/engine#123'],
  fields: { run: run() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  operations: ['runs.get', 'runs.list', 'runs.listJobs'],
  plan: ({ run }) => [request('runs.get', run)],
  async run({ run: ref }, context) {
    const found = await readRun(ref, context);
    const jobs = await ifTold(context.api.runs.listJobs({ ...ref, query: { limit: 50 } }));
    return { found, jobs: jobs?.items ?? [] };
  },
  reply({ found, jobs }, { run: ref }, { now }) {
    const blocks = runBlocks(found, ref, { now });
    const controls = blocks.filter((block) => block.type === 'actions');
    const words = blocks.filter((block) => block.type !== 'actions');
    const rows = jobs.slice(0, mostJobs).flatMap((job) => jobCard(job, { now, style: 'row' }));
    return message({ blocks: [...words, ...rows, ...controls] });
  },
});
