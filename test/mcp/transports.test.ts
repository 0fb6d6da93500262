import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { addAgent, clientOver, overHttp, type TestAgent } from './agent.js';

const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\n';
let bellows: Bellows;
let token: string;
let agent: TestAgent;

beforeAll(async () => {
  bellows = await startBellows({ policy, agents: true });
  await bellows.link('ada');
  token = await addAgent(bellows, 'ada', '"Release bot" --may "issue *, run *, whoami" --pace 120');
  agent = await clientOver(overHttp(bellows.address, token));
});
afterAll(async () => {
  await agent.close();
  await bellows.close();
});
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

it('lists what the agent may use, and nothing else', async () => {
  const names = (await agent.tools()).map(({ name }) => name);
  expect(names).toContain('issue_close');
  expect(names).toContain('request_status');
  expect(names).not.toContain('pr_merge');
  expect(names).not.toContain('agents_add');
});

it('reads as its person, and marks what it read as data', async () => {
  const answer = await agent.call('issue_show', { issue: 'acme/engine#2' });
  expect(answer).toMatchObject({ status: 'done', wrong: false });
  expect(answer.text).toContain('#2');
  const [, mark = 'none'] = /the two marks ([0-9a-f]{16})/.exec(answer.said ?? '') ?? [];
  expect(answer.said).toContain(`[${mark}\n${answer.text}\n${mark}]`);
});

it('writes as its person', async () => {
  const answer = await agent.call('issue_comment', { issue: 'acme/engine#2', body: 'Seen by a program' });
  expect(answer.status).toBe('done');
  const [sent] = bellows.forge.requests.of('POST /repos/{owner}/{repo}/issues/{index}/comments');
  expect(sent).toMatchObject({ who: 'ada', status: 201 });
});
