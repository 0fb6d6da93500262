import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActJob } from '../../src/chat/act-job.js';
import { keepAndTell, tellKept } from '../../src/chat/answer-once.js';
import { createLog } from '../../src/log.js';
import { createAnswers } from '../../src/slack/answer.js';
import { createClient } from '../../src/slack/client.js';
import { createSlackFacts } from '../../src/slack/facts.js';
import type { Stands } from '../../src/store/index.js';
import { say } from '../../src/view/message.js';
import { md } from '../../src/view/text.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const minute = 60_000;
let slack: SandboxSlack;
beforeAll(async () => {
  slack = await startSlack();
});
afterAll(() => slack.close());

function answers() {
  const client = createClient({
    botToken: slack.botToken,
    apiUrl: slack.apiUrl,
    mode: { kind: 'socket', appToken: '' },
  });
  return createAnswers({
    client,
    services: {
      slack: createSlackFacts({ client, team: slack.teamId, store: at.store }),
      log: createLog({ level: 'silent' }),
      now: () => new Date(at.now()),
    },
    home: { answer: async () => {} },
    apiUrl: slack.apiUrl,
  });
}
const ada = () => slack.as('ada');
const person = () => ({ team: slack.teamId, user: 'U0ADA00001' });

it.each([
  [29, 'the channel where it was asked'],
  [31, 'a direct message'],
])('an answer that is %i minutes late comes as %s', async (late, _where) => {
  const to = { person: person(), channel: 'C0ENGINE01', answer: {}, acceptedAt: at.now() - late * minute };
  const words = `Done ${late} minutes ago`;
  await answers().answer(to, say(md`${words}`));
  const seen = (where: string) =>
    ada()
      .sees(where)
      .some(({ text }) => text.includes(words));
  expect({ channel: seen('engine'), direct: seen(ada().dm) }).toEqual({ channel: late < 30, direct: late > 30 });
});

it.each([
  ['left for Slack', { kind: 'lost', how: 'silence' }],
  ['was refused by Slack', { kind: 'status', status: 500 }],
] as const)('an answer that %s before its process ended is there once', async (what, fault) => {
  const words = `It ${what}`;
  const seen = () =>
    ada()
      .sees('engine')
      .filter(({ text }) => text === words);
  const port = { services: { store: at.store, log: createLog({ level: 'silent' }) }, answers: answers() };
  const to = {
    person: person(),
    channel: 'C0ENGINE01',
    answer: { responseUrl: slack.responseUrl('C0ENGINE01', 'U0ADA00001') },
    acceptedAt: at.now(),
  };
  slack.faults.next('response_url', fault);
  // this process waits for Slack, and says nothing more
  void keepAndTell(port, what, { to, message: say(md`${words}`) }, 'known').catch(() => {});
  if (fault.kind === 'lost') await expect.poll(seen).toHaveLength(1);
  await expect
    .poll(() => at.store.answers.get(what))
    .toMatchObject(fault.kind === 'lost' ? { sent: 'known' } : { tries: 1 });
  at.pass(30_000);
  for (const id of await at.store.answers.due(30_000)) await tellKept(port, id);
  expect(seen()).toHaveLength(1);
  expect(await at.store.answers.get(what)).toMatchObject({ delivered: 'known' });
});

it.each([
  ['to a command', {}],
  ['to a click', { replace: true }],
])(
  'an answer %s comes as a direct message with its second try if every way into the channel fails',
  async (what, how) => {
    const port = { services: { store: at.store, log: createLog({ level: 'silent' }) }, answers: answers() };
    const answer = { responseUrl: slack.responseUrl('C0ENGINE01', 'U0ADA00001'), ...how };
    const to = { person: person(), channel: 'C0ENGINE01', answer, acceptedAt: at.now() };
    slack.faults.next('response_url', { kind: 'status', status: 500 }, 1_000);
    slack.faults.next('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' }, 1_000);
    const words = `Answered ${what}`;
    await keepAndTell(port, what, { to, message: say(md`${words}`) }, 'known');
    at.pass(1_000);
    for (const id of await at.store.answers.due(30_000)) await tellKept(port, id);
    slack.faults.clear();
    const direct = ada().sees(ada().dm);
    expect(direct.filter(({ text }) => text === words)).toHaveLength(1);
  },
);

it.each([
  ['reached Slack', { kind: 'lost', how: 'drop' }, 'known'],
  ['never reached Slack', { kind: 'drop' }, 'known'],
  ['reached Slack with an unknown outcome', { kind: 'lost', how: 'status' }, 'unknown'],
] as const)('an answer to a written command that %s is there once', async (what, fault, rank) => {
  const written = await ada().post(ada().dm, 'issue show acme/engine#2');
  const seen = () =>
    ada()
      .sees(ada().dm)
      .filter(({ text }) => text === `It ${what}`);
  const port = { services: { store: at.store, log: createLog({ level: 'silent' }) }, answers: answers() };
  const to = {
    person: person(),
    channel: ada().dm,
    answer: { posted: true as const, threadTs: written.ts },
    acceptedAt: at.now(),
  };
  slack.faults.next('chat.postMessage', fault);
  await keepAndTell(port, what, { to, message: say(md`It ${what}`) }, rank);
  expect(await at.store.answers.get(what)).toMatchObject({ tries: 1, delivered: undefined });
  at.pass(30_000);
  for (const id of await at.store.answers.due(30_000)) await tellKept(port, id);
  expect(seen()).toHaveLength(1);
  expect(await at.store.answers.get(what)).toMatchObject({ delivered: rank });
  // its job is started again
  await keepAndTell(port, what, { to, message: say(md`It ${what}`) }, rank);
  expect(seen()).toHaveLength(1);
});

/** Said by a process that was killed before it answered. */
async function earlierLine() {
  const written = await ada().post(ada().dm, 'issue show acme/engine#2');
  const job = {
    person: person(),
    channel: ada().dm,
    answer: { posted: true, threadTs: written.ts },
    acceptedAt: at.now(),
  };
  const kept: Stands[] = [];
  const line = { first: async () => true, keep: async (stands: Stands) => void kept.push(stands) };
  const waiting: ActJob = {
    ...job,
    v: 1,
    kind: 'command',
    command: 'issue show',
    args: {},
    dryRun: false,
    source: 'written',
  };
  await answers().wait(waiting, say(md`Working on it…`), line);
  const replies = () =>
    ada()
      .sees(ada().dm)
      .filter(({ threadTs }) => threadTs === written.ts);
  return { to: job, line: kept[0], replies };
}

it.each([
  ['an answer', {}],
  ['an unknown outcome', { lasting: true }],
])('%s takes the place of the line that another process said', async (_what, how) => {
  const { to, line, replies } = await earlierLine();
  expect(replies()).toMatchObject([{ text: 'Working on it…' }]);
  const stands = await answers().answer(to, say(md`Found it`), { ...how, line });
  expect(replies()).toMatchObject([{ ts: line?.ts, text: 'Found it' }]);
  expect(stands).toEqual(line);
});

it('a secret does not stay in the conversation, and neither does the line that announced it', async () => {
  const { to, line, replies } = await earlierLine();
  await answers().answer(to, say(md`The token`), { confidential: true, line });
  expect(replies()).toMatchObject([{ text: 'The token', onlyFor: 'U0ADA00001' }]);
});
