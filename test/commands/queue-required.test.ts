import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servers } from '../support/servers.js';
import {
  ask,
  bellows,
  cardSays,
  isMerged,
  looked,
  merges,
  messaged,
  move,
  open,
  openSteady,
  queue,
  repo,
  report,
  sent,
  start,
  type,
  world,
} from './queue-scene.js';
import { words } from './talk.js';

describe.each(servers)('a branch that only the queue may merge into on %s', (flavor) => {
  beforeAll(() => start(flavor));
  afterAll(() => bellows.close());
  const context = 'bellows/queue';
  const statuses = (sha: string) =>
    world()
      .repo(repo)
      .statuses.filter((each) => each.sha === sha && each.context === context)
      .map(({ state }) => state);
  const contexts = (branch: string) => world().repo(repo).protections.get(branch)?.statusChecks;
  /** A risky command needs a second person. */
  const change = async (line: string) => {
    const card = await ask(`queue require ${repo} ${line}`);
    await bellows.slack.as('grace').click(card, 'Approve');
    return cardSays(card, 'now requires|no longer requires');
  };

  it('is set up by an admin of the repository, and taken back exactly', async () => {
    world().protect({ repo, branch: 'a', rules: { statusChecks: ['ci/*'], requiredApprovals: 0 } });
    world().protect({ repo, branch: 'c', rules: { requiredApprovals: 0 } });
    world().protect({ repo, branch: 'd', rules: { statusChecks: [] } });
    world().protect({ repo, branch: 'e', rules: { statusChecks: ['ci/*', context, 'lint'] } });
    const refused = async (line: string, as: string) => words(await type(as, `queue require ${repo} ${line}`));
    expect(await refused('b', 'ada')).toContain('isn’t protected');
    expect(await refused('d', 'ada')).toContain('requires every check');
    expect(await refused('a', 'grace')).toContain('Only admins of acme/engine');
    expect(contexts('a')).toEqual(['ci/*']);
    await change('a');
    expect(contexts('a')).toEqual(['ci/*', context]);
    await change('c');
    expect(contexts('c')).toEqual([context]);
    await change('c --off');
    expect(contexts('c')).toBeUndefined();
    await change('e --off');
    expect(contexts('e')).toEqual(['ci/*', 'lint']);
    expect(contexts('d')).toEqual([]);
    expect(world().repo(repo).protections.get('a')?.requiredApprovals).toBe(0);
  });

  it('shows its heads as pending, releases one right before its merge, and leaves no other green', async () => {
    const good = open('Released', 'a');
    good.report('pending');
    await queue(good.name);
    expect(statuses(good.sha)[0]).toBe('pending');
    expect(words(await type('ada', `pr merge ${good.name} --yes`))).toContain('not all required checks have passed');
    good.report('success');
    await messaged('ada', `Merged ${good.name}`);
    expect(statuses(good.sha).at(-1)).toBe('success');
    expect(statuses(good.sha).filter((each) => each === 'success')).toHaveLength(1);
    const steady = openSteady('Green for long', 'a');
    await queue(steady.name);
    await messaged('ada', `Merged ${steady.name}`);
    expect(sent(steady.index)).toHaveLength(1);
    const red = open('Turns red', 'a');
    red.report('pending');
    await queue(red.name);
    red.report('failure');
    await messaged('ada', `${red.name} Turns red was taken out`);
    await expect.poll(() => statuses(red.sha).at(-1)).toBe('failure');
    const removed = open('Removed', 'a');
    removed.report('pending');
    await queue(removed.name);
    await type('ada', `queue remove ${removed.name}`);
    expect(statuses(removed.sha).at(-1)).toBe('failure');
    const refused = open('Refused late', 'a');
    refused.report('success');
    bellows.forge.faults.add({
      on: merges,
      times: 1,
      trouble: { status: 405, message: 'There are requested changes' },
    });
    await queue(refused.name);
    await messaged('ada', `${refused.name} can’t be merged`);
    expect(statuses(refused.sha)).toContain('success');
    expect(statuses(refused.sha).at(-1)).toBe('failure');
    expect([red, removed, refused].some(({ index }) => isMerged(index))).toBe(false);
    const held = open('Held back', 'a');
    held.report('success');
    const message = 'Not all required status checks successful';
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { status: 405, message } });
    await queue(held.name);
    await messaged('ada', `Merged ${held.name}`);
    expect(statuses(held.sha).join(' ')).toMatch(/success pending( pending)* success$/);
  });

  it('leaves no head green that was queued before the branch wanted it', async () => {
    world().protect({ repo, branch: 'b', rules: { statusChecks: ['ci/*'] } });
    const { name, index, report, sha } = open('Queued before', 'b');
    report('pending');
    await queue(name);
    await looked(index, 1);
    world().protect({ repo, branch: 'b', rules: { statusChecks: ['ci/*', context] } });
    const message = 'There are requested changes';
    bellows.forge.faults.add({ on: merges, trouble: { status: 405, message } });
    report('success');
    await messaged('ada', `${name} can’t be merged`);
    expect(statuses(sha)).toContain('success');
    expect(statuses(sha).at(-1)).toBe('failure');
    world().protect({ repo, branch: 'b' });
  });

  it('withdraws its green when the queue is paused in the middle of a merge', async () => {
    world().protect({ repo, branch: 'g', rules: { statusChecks: ['ci/*', context] } });
    const { name, index, report, sha } = open('Paused late', 'g');
    report('success');
    const isGreen = () => statuses(sha).at(-1) === 'success';
    const answer = new EventEmitter();
    const hold = async () => (isGreen() ? once(answer, 'go') : undefined);
    bellows.forge.faults.add({ on: /POST .*\/statuses\//, times: 100, trouble: { hold } });
    await queue(name);
    await expect.poll(isGreen).toBe(true);
    await type('ada', `queue pause ${repo} g --reason "Stop"`);
    answer.emit('go');
    await expect.poll(() => statuses(sha).at(-1)).toBe('pending');
    bellows.forge.faults.clear();
    expect(sent(index)).toEqual([]);
    expect(words(await type('ada', `pr merge ${name} --yes`))).toContain('not all required checks have passed');
    expect(isMerged(index)).toBe(false);
    await type('ada', `queue resume ${repo} g`);
    await messaged('ada', `Merged ${name}`);
    world().protect({ repo, branch: 'g' });
  });

  /** On the pull request's page, by “merge when checks succeed”. */
  const onForge = (as: string, index: number, method: 'POST' | 'DELETE') =>
    fetch(`${bellows.forge.url}/api/v1/repos/${repo}/pulls/${index}/merge`, {
      method,
      headers: { authorization: `token ${bellows.forge.account(as).token()}`, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify({ Do: 'merge', merge_when_checks_succeed: true }) }),
    });

  it('queues what people ask the forge to merge, as themselves, until they take it back', async () => {
    world().protect({ repo, branch: 'h', rules: { statusChecks: ['ci/*'] } });
    const early = open('Asked before', 'h');
    await onForge('grace', early.index, 'POST');
    const pushed = open('Pushed since', 'h');
    await onForge('grace', pushed.index, 'POST');
    report(pushed.push('Unseen'), 'pending');
    await change('h');
    const listed = async () => words(await type('ada', `queue list ${repo}`));
    await messaged('grace', `Added ${early.name}`);
    await expect.poll(listed).toMatch(/grace chose “merge when checks succeed” for [^ ]* Pushed since/);
    early.report('success');
    // by the queue or by the forge's own schedule, which its status released
    await messaged('grace', `Merged ${early.name}`);
    const late = open('Asked later', 'h');
    late.report('pending');
    await onForge('grace', late.index, 'POST');
    const stranger = open('Asked by a stranger', 'h');
    world().setCollaborator({ repo, login: 'margaret', level: 'write' });
    stranger.report('pending');
    expect((await onForge('margaret', stranger.index, 'POST')).status).toBe(201);
    await messaged('grace', `Added ${late.name}`);
    const typed = open('Asked in Slack', 'h');
    typed.report('pending');
    await queue(typed.name);
    for (const method of ['POST', 'DELETE'] as const) await onForge('grace', typed.index, method);
    await onForge('grace', late.index, 'DELETE');
    await messaged('grace', `grace canceled .merge when checks succeed. of ${late.name}`);
    expect(isMerged(late.index)).toBe(false);
    // what was asked for in Slack is taken back there
    expect(words(await type('ada', `queue remove ${typed.name}`))).toContain(`Removed ${typed.name}`);
    await expect.poll(listed).toContain('margaret chose “merge when checks succeed”');
    stranger.report('success');
    await queue(stranger.name);
    // the schedule merges as margaret once the queue's status is green: what was tested is what landed
    await messaged('ada', `Merged ${stranger.name}`);
    expect(await listed()).not.toContain('margaret chose');
  });

  it('tells its channel what was merged past it, also while nothing is queued', async () => {
    world().protect({ repo, branch: 'shown', rules: { statusChecks: ['ci/*'] } });
    await change('shown');
    const own = open('By the queue', 'shown');
    own.report('success');
    await queue(own.name);
    await messaged('ada', `Merged ${own.name}`);
    const told = () =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .filter((shown) => words(shown).includes('changed without the queue'));
    const looked = bellows.forge.requests.of('GET /repos/{owner}/{repo}/pulls').length;
    await expect
      .poll(() => bellows.forge.requests.of('GET /repos/{owner}/{repo}/pulls').length)
      .toBeGreaterThan(looked + 1);
    expect(told()).toEqual([]);
    const [past] = move('shown');
    await expect.poll(() => told().map(words).join()).toContain(past?.sha.slice(0, 10));
    world().protect({ repo, branch: 'shown' });
  });

  it('does not act for someone whose login on the forge is another account’s now', async () => {
    world().protect({ repo, branch: 'a', rules: { statusChecks: ['ci/*'] } });
    await change('a');
    world().renameUser({ login: 'grace', to: 'gracie' });
    world().createUser({ login: 'grace' });
    world().setCollaborator({ repo, login: 'grace', level: 'write' });
    const pull = world().openPull({ as: 'ada', repo, title: 'By a newcomer', head: 'f', base: 'a' });
    expect((await onForge('grace', pull.index, 'POST')).status).toBe(201);
    await expect.poll(async () => words(await type('ada', `queue list ${repo}`))).toContain('grace chose');
    expect(world().repo(repo).issues.get(pull.index)?.pull?.merged).toBeUndefined();
    world().protect({ repo, branch: 'a' });
  });

  it('does not count its own status as a check', async () => {
    world().protect({ repo, branch: 'e', rules: { statusChecks: [context] } });
    const { name, index } = open('Only ours', 'e');
    await queue(name);
    await messaged('ada', `No checks were reported for ${name}`);
    expect(isMerged(index)).toBe(false);
  });

  it('says in its channel that someone merged past it', async () => {
    world().protect({ repo, branch: 'shown', rules: { statusChecks: ['ci/*', context] } });
    const { name, index, report } = open('Passed by', 'shown');
    report('pending');
    await queue(name);
    await looked(index, 1);
    move('shown');
    await bellows.slack.until(() =>
      bellows.slack
        .as('ada')
        .sees('engine')
        .find((shown) => words(shown).includes('changed without the queue')),
    );
    expect(isMerged(index)).toBe(false);
  });

  it('leaves a merge past it to the branch’s rules, and its own status out of all checks', async () => {
    world().protect({ repo, branch: 'dev', rules: { statusChecks: ['ci/*', context] } });
    const { name, index, report } = open('Left the queue', 'dev');
    report('success');
    report('failure', context);
    expect(words(await type('ada', `pr show ${name}`))).toContain('Checks passed');
    const refused = words(await type('ada', `pr merge ${name}`));
    expect(refused).toContain('not all required checks have passed');
    expect(refused).toContain('Add to queue');
    expect(isMerged(index)).toBe(false);
    world().protect({ repo, branch: 'dev' });
    expect(words(await type('ada', `pr merge ${name}`))).toContain('Merged');
  });
});
