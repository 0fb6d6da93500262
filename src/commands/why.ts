import { command } from '../chat/command.js';
import { explainUpdate, planWhy } from '../domain/why/explain.js';
import { reasonReply } from '../domain/why/reason-reply.js';
import { subject } from '../domain/why/subject.js';

export const why = command({
  name: 'why',
  title: 'Explain update',
  summary: 'Explain why something was or was not posted here',
  examples: ['why acme/engine#12', 'why https://bellows.slack.com/archives/C012AB3CD/p1700000000000100'],
  fields: { about: subject() },
  role: 'everyone',
  risk: 'read',
  effect: 'read',
  notForAgents: 'It is about a Slack channel, and an agent is in none.',
  operations: [
    'repos.get',
    'repos.search',
    'issues.list',
    'pulls.list',
    'repos.listBranches',
    'repos.listReleases',
    'runs.list',
  ],
  plan: planWhy,
  run: explainUpdate,
  reply: (reason, _args, context) => reasonReply(reason, context),
});
