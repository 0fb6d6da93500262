import type { Trouble } from '@bellows/sandbox/forge/http/faults.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/features/index.js';
import { describe as operation, operationNames } from '../../src/forge/index.js';
import { close, connect, createSeal, createStore, type Store } from '../../src/store/index.js';
import { talkTo } from '../commands/talk.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { lookNow } from '../support/due.js';
import { testKeys } from '../support/redis.js';
import { sshKey } from './forge/things.js';

let bellows: Bellows;
let store: Store;
const { type } = talkTo(() => bellows);
const repo = 'acme/engine';
/** One environment per deployment, since each allows one at a time. */
const environments = Array.from(
  { length: 150 },
  (_, at) =>
    `  lost-${at}: { repository: acme/engine, workflow: deploy.yml, refs: [main], checks: any, inputs: { version: v${at} }, count: 0, channel: C0GENERAL1 }\n`,
);
const policy = `roles:\n  admin:\n    users: [U0ADA00001]\napprovals:\n  risky:\n    count: 0\ndeployments:\n${environments.join('')}`;
let count = 0;

const issue = () => `${repo}#${bellows.forge.world.openIssue({ as: 'grace', repo, title: `Lost ${count}` }).index}`;
function pull(): string {
  const { world } = bellows.forge;
  const head = `lost-${count}`;
  world.push({ as: 'grace', repo, branch: head, commits: [{ message: head, files: [`${head}.go`] }] });
  return `${repo}#${world.openPull({ as: 'grace', repo, title: head, head }).index}`;
}

/** What a person types for each command that must not be sent twice; each time about something new. */
const lines: Readonly<Record<string, () => string | Promise<string>>> = {
  'issue comment': () => `issue comment ${repo}#2 Said ${count}`,
  'thread comment': () => `thread comment ${repo}#2 Replied ${count}`,
  'issue create': () => `issue create ${repo} Opened ${count}`,
  'issue block': () => `issue block ${issue()} ${issue()}`,
  'issue unblock': async () => {
    const both = `${issue()} ${issue()}`;
    await type('ada', `issue block ${both}`);
    return `issue unblock ${both}`;
  },
  'issue log-time': () => `issue log-time ${repo}#2 ${count}m`,
  'key add': () => `key add ${repo} "key ${count}" ${sshKey()}`,
  'key add-mine': () => `key add-mine key${count} ${sshKey()}`,
  'cron run': () => 'cron run git_gc_repos',
  'hook create': () => `hook create https://ci.example.org/lost-${count} --events push`,
  'project create': () => `project create ${repo} Project ${count}`,
  'project column-add': () => `project column-add ${repo}#1 Column ${count}`,
  'repo create': () => `repo create acme/lost-${count}`,
  'repo migrate': () => `repo migrate https://example.org/ada/lost.git acme/brought-${count}`,
  'pr approve': () => `pr approve ${pull()} Fine ${count}`,
  'pr request-changes': () => `pr request-changes ${pull()} Change ${count}`,
  'pr diff': () => `pr diff ${pull()} comment Seen ${count}`,
  'pr merge': () => `pr merge ${pull()}`,
  'run rerun': () => {
    const run = bellows.forge.world.startRun({ as: 'grace', repo, title: `Lost ${count}` });
    bellows.forge.world.finishRun({ run: run.id, conclusion: 'failure' });
    return `run rerun ${bellows.forge.url}/${repo}/actions/runs/${run.id}`;
  },
  'workflow run': () => `workflow run ${repo} ci.yml`,
  deploy: () => `deploy lost-${count}`,
};
/** No Gitea has it: its lost answer is tested in test/commands/forgejo.test.ts. */
const elsewhere = 'runner add';
const once = commands.filter(({ effect }) => effect === 'once');
const onceOperations = operationNames.filter((name) => operation(name).effect === 'once');
const writeOf = (name: string) => {
  const found = onceOperations.find((each) => once.find((command) => command.name === name)?.operations.includes(each));
  if (!found) throw new Error(`${name} sends nothing that counts`);
  return operation(found).route;
};

beforeAll(async () => {
  // Some tests count a command's own reads of a run, so nobody else reads one meanwhile.
  bellows = await startBellows({ policy, tempo: { followMs: 600_000, lookMs: 10 } });
  await bellows.link('ada');
  const redis = connect(bellows.redisUrl);
  store = createStore({ redis, forgeId: 'main', seal: createSeal(testKeys) });
});
afterEach(() => bellows.forge.faults.clear());
afterAll(async () => {
  await close(store.redis);
  await bellows.close();
});

const lastRow = async (command: string) => (await store.audit.read({ command }, { limit: 1 })).rows.at(0)?.entry;

it('every command that must not be sent twice can check, and every such operation belongs to one', () => {
  expect(once.filter(({ findDone }) => findDone === undefined).map(({ name }) => name)).toEqual([]);
  expect(once.map(({ name }) => name).sort()).toEqual([...Object.keys(lines), elsewhere].sort());
  const looked = new Set(once.flatMap(({ operations }) => operations));
  // A secret is shown once and cannot be looked up: sign-in and the operator ask for another.
  const without = onceOperations.filter((name) => !looked.has(name));
  // The merge queue finds its own update by itself: test/commands/queue.test.ts.
  expect(without.sort()).toEqual(['pulls.update', 'users.createOAuthApp', 'users.createToken']);
});

const losses: readonly (readonly [string, Trouble])[] = [
  ['the line breaks after', { drop: 'after' }],
  ['a 500 comes after', { status: 500, done: true }],
];

// to a command both are the same, an answer that was lost, so each gets one of them
describe.each(losses)('done, but %s', (how, trouble) => {
  const dealt = Object.keys(lines).filter((_, nth) => losses[nth % losses.length]?.[0] === how);
  it.each(process.env['EVERY_SERVER'] ? Object.keys(lines) : dealt)(
    '%s is found and reported as done',
    async (name) => {
      count += 1;
      const line = (await lines[name]?.()) ?? '';
      const route = writeOf(name);
      const before = bellows.forge.requests.of(route).length;
      bellows.forge.faults.add({ on: route, trouble });
      const { text } = await type('ada', line);
      expect(text).not.toMatch(/Could not|unknown|confirm|Nothing/);
      expect(bellows.forge.requests.of(route)).toHaveLength(before + 1);
      expect(await lastRow(name)).toMatchObject({ outcome: 'done' });
    },
  );
});

describe('a comment', () => {
  const route = writeOf('issue comment');

  it.each([
    ['cut off', { cut: 0.5 }],
    ['no JSON', { text: '{"id":', done: true }],
    ['a page of a proxy', { text: '<!DOCTYPE html><title>502</title>', status: 502, done: true }],
  ] as const)('whose answer is %s is found and reported as done', async (_how, trouble) => {
    count += 1;
    bellows.forge.faults.add({ on: route, trouble });
    const { text } = await type('ada', `issue comment ${repo}#2 Said ${count}`);
    expect(text).toContain('Commented on');
    expect(await lastRow('issue comment')).toMatchObject({ outcome: 'done' });
  });

  it('that the forge does only after the first look is found by the next', async () => {
    bellows.forge.faults.add({ on: route, trouble: { drop: 'before' } });
    let looks = 0;
    const bend = (body: unknown) => {
      looks += 1;
      if (looks === 1) bellows.forge.world.comment({ as: 'ada', repo, index: 2, body: 'A moment later' });
      return body;
    };
    bellows.forge.faults.add({ on: 'GET /repos/{owner}/{repo}/issues/{index}/comments', times: 9, trouble: { bend } });
    const { text } = await type('ada', `issue comment ${repo}#2 A moment later`);
    expect(text).toContain('Commented on');
    expect(looks).toBe(2);
    expect(await lastRow('issue comment')).toMatchObject({ outcome: 'done' });
  });

  it('that the forge failed at is reported as not done, once it was checked', async () => {
    bellows.forge.faults.add({ on: route, trouble: { status: 500 } });
    const { text } = await type('ada', `issue comment ${repo}#2 Never there`);
    expect(text).toContain('Bellows checked: nothing was changed.');
    expect(await lastRow('issue comment')).toMatchObject({ outcome: 'failed' });
  });

  it('whose outcome the forge cannot show is reported as neither, with where to check', async () => {
    const ada = bellows.slack.as('ada');
    bellows.forge.faults.add({ on: route, trouble: { drop: 'before' } });
    await ada.command('engine', '/forge', `issue comment ${repo}#2 Perhaps there`);
    const notice = await bellows.slack.until(() =>
      ada.sees(ada.dm).find(({ text }) => text.includes('did not confirm')),
    );
    expect(JSON.stringify(notice.blocks)).toContain(`/${repo}/issues/2|${repo}#2>`);
    expect(await lastRow('issue comment')).toMatchObject({ outcome: 'unknown' });

    // found after all: the new answer replaces the old one, and nothing else is posted
    bellows.forge.faults.clear();
    bellows.forge.world.comment({ as: 'ada', repo, index: 2, body: 'Perhaps there' });
    await lookNow(bellows, 'answers');
    const there = () => [...ada.sees('engine'), ...ada.sees(ada.dm)].filter(({ ts }) => ts >= notice.ts);
    await bellows.slack.until(() => there().some(({ text }) => text.includes('Commented')));
    expect(there()).toEqual([expect.objectContaining({ ts: notice.ts, text: expect.stringContaining('Commented') })]);
  });

  it('with the same text as an older one is not mistaken for it', async () => {
    bellows.forge.world.comment({ as: 'ada', repo, index: 2, body: 'Said before' });
    const { comments } = bellows.forge.world.issue(repo, 2) ?? { comments: [] };
    const older = comments.at(-1);
    if (older) Object.assign(older, { created: older.created - 60 });
    bellows.forge.faults.add({ on: route, trouble: { status: 500 } });
    const { text } = await type('ada', `issue comment ${repo}#2 Said before`);
    expect(text).toContain('nothing was changed');
  });
});

describe('a write that may be repeated', () => {
  it.each([
    ['failed', { status: 500 }],
    ['failed after doing it', { status: 500, done: true }],
  ] as const)('is not reported as checked if the forge %s: nobody checked', async (_how, trouble) => {
    count += 1;
    bellows.forge.faults.add({ on: operation('issues.edit').route, trouble });
    const { text } = await type('ada', `issue close ${issue()}`);
    expect(text).toContain('Could not');
    expect(text).not.toContain('Bellows checked');
    expect(text).toContain('It may have worked anyway');
  });
});

describe('what only shows the result', () => {
  it('does not make a rerun fail', async () => {
    count += 1;
    const line = (await lines['run rerun']?.()) ?? '';
    bellows.forge.faults.add({ on: operation('runs.get').route, after: 2, times: 9, trouble: { status: 500 } });
    const { text } = await type('ada', line);
    expect(text).toContain('Rerunning');
    expect(await lastRow('run rerun')).toMatchObject({ outcome: 'done' });
  });
});

describe('what is read before anything is sent', () => {
  it('leaves a rerun free if it fails', async () => {
    count += 1;
    const line = `${(await lines['run rerun']?.()) ?? ''} --failed`;
    bellows.forge.faults.add({ on: operation('runs.listJobs').route, trouble: { status: 500 } });
    expect((await type('ada', line)).text).toContain('Could not');
    const { text } = await type('ada', line);
    expect(text).not.toContain('reran this');
  });

  it('leaves an environment free if it fails', async () => {
    count += 1;
    const line = `deploy lost-${count}`;
    // without the failed checks of earlier runs
    bellows.forge.world.push({ as: 'grace', repo, branch: 'main', commits: [{ message: 'Fresh', files: ['a.go'] }] });
    bellows.forge.faults.add({ on: operation('runs.list').route, times: 9, trouble: { status: 500 } });
    expect((await type('ada', line)).text).toContain('Could not');
    bellows.forge.faults.clear();
    expect((await type('ada', line)).text).not.toContain('Could not');
    expect(await lastRow('deploy')).toMatchObject({ outcome: 'done' });
  });
});
