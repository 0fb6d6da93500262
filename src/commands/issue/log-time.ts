import { command } from '../../chat/command.js';
import { date, duration, flag, issue, person } from '../../chat/fields/index.js';
import { findLoggedTime, loggedTimeMessage, logTime, planTime } from '../../domain/issues/log-time.js';

export const issueLogTime = command({
  name: 'issue log-time',
  title: 'Log time',
  summary: 'Log time spent on an issue or pull request',
  examples: ['issue log-time acme/engine#12 1h30m', 'issue log-time #12 45m --on yesterday'],
  fields: {
    issue: issue({ label: 'Issue or pull request' }),
    time: duration({ label: 'Time', hint: 'Such as 1h30m, 90m, 1.5h or 2d.' }),
    for: flag(person({ label: 'For', hint: 'Only repository admins can log time for others.' })),
    on: flag(date({ label: 'On', past: true })),
  },
  role: 'everyone',
  risk: 'write',
  effect: 'once',
  operations: ['issues.addTime', 'issues.listTimes'],
  plan: planTime,
  run: logTime,
  findDone: findLoggedTime,
  reply: loggedTimeMessage,
});
