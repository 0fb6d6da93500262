import { command, type Sent } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { date, duration, flag, issue, person } from '../../chat/fields.js';
import { type ItemRef, refOf, webAddress } from '../../chat/references.js';
import { request } from '../../chat/request.js';
import { showDuration } from '../../duration.js';
import type { Api } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import type { TrackedTime } from '../../forge/schemas.js';
import { doneCard } from '../../view/cards/outcome.js';
import { message } from '../../view/message.js';
import { bold, link, md } from '../../view/text.js';
import { firstOf, isNew, isOf } from '../find.js';

interface Logged {
  readonly issue: ItemRef;
  readonly time: number;
  readonly for?: string | undefined;
  readonly on?: string | undefined;
}

const inputOf = ({ issue, time, for: login, on }: Logged) => ({
  ...issue,
  body: {
    time,
    ...(login === undefined ? {} : { user_name: login }),
    ...(on === undefined ? {} : { created: `${on}T12:00:00Z` }),
  },
});

/** The newest entry's id; 0 if there is none. */
async function lastOf(issue: ItemRef, api: Api): Promise<number> {
  let last = 0;
  for await (const { id } of api.issues.listTimes.each(issue, { max: 5_000 })) last = Math.max(last, id);
  return last;
}

const planTime = (args: Logged) => [request('issues.addTime', inputOf(args))];

async function logTime(args: Logged, { api, remember }: Context) {
  // Time logged for another day is recognizable as new only by its id.
  if (args.on !== undefined) remember(String((await ifAnswered(lastOf(args.issue, api))) ?? ''));
  return api.issues.addTime(inputOf(args));
}

async function findLoggedTime({ issue, time, for: login, on }: Logged, { api, login: me }: Context, sent: Sent) {
  if (on !== undefined && !sent.note) return 'unknowable';
  const isFresh = ({ id, created }: TrackedTime) => (on === undefined ? isNew(created, sent) : id > Number(sent.note));
  const isFor = ({ user_name }: TrackedTime) => [me, login ?? me].some((each) => isOf({ login: each }, user_name));
  return firstOf(
    api.issues.listTimes.each(issue, { max: 5_000 }),
    (each) => each.time === time && isFresh(each) && isFor(each),
  );
}

function loggedTimeMessage(
  { time, user_name, issue: item }: TrackedTime,
  { issue: ref, for: login }: Logged,
  { forge }: Context,
) {
  const at = link(
    item?.html_url || webAddress(forge.web, { kind: 'issue', of: ref }),
    `${refOf(ref)} ${item?.title ?? ''}`,
  );
  const other = login !== undefined && user_name !== '' && user_name.toLowerCase() !== login.toLowerCase();
  return message({
    blocks: doneCard({
      says: md`Logged ${bold(showDuration(time))} on ${at}.`,
      but: other ? [`Logged for ${user_name}, not ${login}: only repository admins can log time for others.`] : [],
      facts: [user_name && `for ${user_name}`],
    }),
  });
}

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
