import { describe, expect, it } from 'vitest';
import { boundOf, difference, isApproved } from '../../../src/chat/approval/bound.js';
import type { AnyCommand } from '../../../src/chat/command.js';
import { type Request, request } from '../../../src/chat/request.js';
import { ApiError } from '../../../src/forge/index.js';
import { useApprovals } from './scene.js';

const scene = useApprovals();
const at = { owner: 'acme', repo: 'engine' };
const repo = 'acme/engine';
const idOf = (name = repo) => scene.forge.world.repo(name).id;

/** What a command that sends these is bound to. */
async function bind(planned: readonly Request[], more: Partial<AnyCommand> = {}, unobserved?: 'allow') {
  const { approval: _, ...vault } = scene.vault('vault open');
  const command = { ...vault, ...more };
  return boundOf(command, {}, await scene.contextOf(), planned, unobserved ?? 'refuse');
}
const valuesOf = async (...planned: readonly Request[]) => (await bind(planned)).values;

function openPull(title: string) {
  const { world } = scene.forge;
  const head = title.toLowerCase().replaceAll(' ', '-');
  const [commit] = world.push({ as: 'ada', repo, branch: head, commits: [title] });
  const { index } = world.openPull({ as: 'ada', repo, title, head });
  return { index, sha: commit?.sha };
}
const close = (index: number) => request('issues.edit', { ...at, index, body: { state: 'closed' } });

describe('an approval is bound to', () => {
  it('the request itself and the issue behind its number', async () => {
    const { index, id } = scene.forge.world.openIssue({ as: 'ada', repo, title: 'Steam' });
    expect(await valuesOf(close(index))).toEqual({
      [`repository ${repo}`]: idOf(),
      [`${repo}#${index}`]: id,
      request: `PATCH /repos/${repo}/issues/${index}`,
      state: 'closed',
    });
  });

  it('a pull request’s head and target', async () => {
    const { index, sha } = openPull('Bound once');
    expect(await valuesOf(close(index))).toMatchObject({ head: sha, base: 'main', [`repository ${repo}`]: idOf() });
  });

  it('each head and request, told apart, if there are several', async () => {
    const [one, two] = [openPull('Bound one'), openPull('Bound two')];
    const values = await valuesOf(close(one.index), close(two.index));
    expect(values).toMatchObject({
      [`head of ${repo}#${one.index}`]: one.sha,
      [`base of ${repo}#${two.index}`]: 'main',
      [`head of ${repo}#${two.index}`]: two.sha,
      'request 1': `PATCH /repos/${repo}/issues/${one.index}`,
      'request 2': `PATCH /repos/${repo}/issues/${two.index}`,
      'state of request 1': 'closed',
    });
    expect(Object.keys(values)).not.toContain('head');
  });

  it('one head without its number, though the repository is named alone too', async () => {
    const { index, sha } = openPull('Bound beside');
    const values = await valuesOf(close(index), request('repos.delete', at));
    expect(values).toMatchObject({ head: sha });
  });

  it('a run’s commit and attempt', async () => {
    const { id } = scene.forge.world.startRun({ as: 'ada', repo, title: 'Stuck' });
    const run = request('runs.forceCancel', { ...at, run: id });
    const found = await (await scene.contextOf()).api.runs.get({ ...at, run: id });
    expect(await valuesOf(run)).toMatchObject({
      [`repository ${repo}`]: idOf(),
      [`commit of run ${id}`]: found.head_sha,
      attempt: found.run_attempt,
    });
  });

  it('no run that the server cannot show, unless that is allowed', async () => {
    const { id } = scene.forge.world.startRun({ as: 'ada', repo, title: 'Unseen' });
    const run = request('runs.forceCancel', { ...at, run: id });
    const missing = { text: '404 page not found\n', status: 404, type: 'text/plain' };
    scene.forge.faults.add({ on: /^GET .*\/actions\/runs\/\d+$/, times: 2, trouble: missing });
    await expect(bind([run])).rejects.toThrow(ApiError);
    const { values, unobserved } = await bind([run], {}, 'allow');
    expect(unobserved).toBe(true);
    expect(values).toMatchObject({ [`repository ${repo}`]: idOf() });
    expect(values).not.toHaveProperty('attempt');
  });

  it('no run that is gone', async () => {
    await expect(bind([request('runs.forceCancel', { ...at, run: 999_999 })])).rejects.toThrow('notFound');
  });

  it('the commit behind a workflow’s branch, or to none', async () => {
    const start = (ref: string) =>
      request('workflows.dispatch', { ...at, workflow_id: 'ci.yml', body: { ref: `refs/heads/${ref}` } });
    const [commit] = scene.forge.world.push({ as: 'ada', repo, branch: 'main', commits: ['Newest'] });
    expect(await valuesOf(start('main'))).toMatchObject({ commit: commit?.sha });
    expect(await valuesOf(start('nowhere'))).toMatchObject({ commit: null });
    expect(await valuesOf(request('repos.delete', at))).not.toHaveProperty('commit');
  });

  it('the accounts behind names', async () => {
    const { index } = scene.forge.world.openIssue({ as: 'ada', repo, title: 'For someone' });
    const assign = request('issues.edit', { ...at, index, body: { assignees: ['grace', 'nobody-here'] } });
    expect(await valuesOf(assign)).toMatchObject({
      'account grace': scene.forge.world.user('grace')?.id,
      'account nobody-here': null,
    });
    const pull = openPull('To review');
    const ask = request('pulls.requestReviewers', { ...at, index: pull.index, body: { reviewers: ['linus'] } });
    expect(await valuesOf(ask)).toMatchObject({ 'account linus': scene.forge.world.user('linus')?.id });
  });

  it('a repository that is not there by its absence', async () => {
    const values = await valuesOf(request('repos.delete', { owner: 'acme', repo: 'no-such' }));
    expect(values).toMatchObject({ 'repository acme/no-such': null });
  });

  it('fields in words where their names on the wire say little', async () => {
    const { index, sha } = openPull('In words');
    const body = { Do: 'squash', head_commit_id: sha, delete_branch_after_merge: true } as const;
    expect(await valuesOf(request('pulls.merge', { ...at, index, body }))).toMatchObject({
      'merge style': 'squash',
      head: sha,
      'delete branch': 'true',
    });
  });

  it('what its command observes, and without that to nothing more', async () => {
    const observe = async () => ({ bound: { state: 'shut' }, shown: [] });
    expect((await bind([], { approval: { observe } })).values).toEqual({ state: 'shut' });
    expect((await bind([], { approval: {} })).observation).toEqual({ bound: {}, shown: [] });
  });

  it('no mixture of a state and what replaced it while it was read', async () => {
    const [commit] = scene.forge.world.push({ as: 'ada', repo, branch: 'main', commits: ['Came meanwhile'] });
    const start = request('workflows.dispatch', { ...at, workflow_id: 'ci.yml', body: { ref: 'refs/heads/main' } });
    const observe = async () => ({ bound: { commit: 'a'.repeat(40) }, shown: [] });
    await expect(bind([start], { approval: { observe } })).rejects.toThrow(
      `It changed while it was being read: commit was aaaaaaaaaa, now ${commit?.sha.slice(0, 10)}. Ask again.`,
    );
  });

  it('less where the server cannot say, if that is allowed', async () => {
    const unsupported = new ApiError({ kind: 'notFound', operation: 'runs.get', unsupported: true });
    const missing = new ApiError({ kind: 'notFound', operation: 'runs.get' });
    const observe = () => Promise.reject(unsupported);
    const broken = () => Promise.reject(new Error('broken'));
    await expect(bind([], { approval: { observe } })).rejects.toBe(unsupported);
    await expect(bind([], { approval: { observe: broken } }, 'allow')).rejects.toThrow('broken');
    await expect(bind([], { approval: { observe: () => Promise.reject(missing) } }, 'allow')).rejects.toBe(missing);
    expect(await bind([], { approval: { observe } }, 'allow')).toMatchObject({
      unobserved: true,
      observation: undefined,
    });
    expect(await bind([], {}, 'allow')).toMatchObject({ unobserved: false });
  });
});

describe('what changed since is said', () => {
  const sha = (digit: string) => digit.repeat(40);

  it.each<[string, Record<string, string | number | null>, Record<string, string | number | null>, string | undefined]>(
    [
      ['nothing', { head: 'a' }, { head: 'a' }, undefined],
      [
        'another repository',
        { 'repository acme/x': 1 },
        { 'repository acme/x': 2 },
        'acme/x is now another repository.',
      ],
      ['another account', { a: 'b', 'account joe': 1 }, { a: 'c', 'account joe': 2 }, 'joe is now another account.'],
      ['a repository that is gone', { 'repository x': 1 }, { 'repository x': null }, 'repository x was 1, now unset'],
      ['a repository that appeared', { 'repository x': null }, { 'repository x': 1 }, 'repository x was unset, now 1'],
      ['another number', { attempt: 1 }, { attempt: 2 }, 'attempt was 1, now 2'],
      ['a name like that of one', { 'my account x': 1 }, { 'my account x': 2 }, 'my account x was 1, now 2'],
      ['a shortened commit', { head: sha('a') }, { head: sha('b') }, 'head was aaaaaaaaaa, now bbbbbbbbbb'],
      ['a text around a commit', { a: `${sha('a')}.` }, { a: `.${sha('a')}` }, `a was ${sha('a')}., now .${sha('a')}`],
      ['short hexadecimals', { a: 'abcdefabcdef' }, { a: 'abcdefabcdee' }, 'a was abcdefabcdef, now abcdefabcdee'],
      ['a long text', { a: 'x'.repeat(80) }, { a: 'x'.repeat(81) }, `a was ${'x'.repeat(80)}, now another text`],
      ['a state', { a: 'in_progress' }, { a: 'completed' }, 'a was in progress, now finished'],
      ['two things', { a: '1' }, { b: '2' }, 'a was 1, now unset; b was unset, now 2'],
    ],
  )('%s', (_, before, now, words) => {
    const said = difference(before, now);
    if (words === undefined) expect(said).toBeUndefined();
    else expect(said).toBe(words.endsWith('.') ? words : `it changed since it was shown: ${words}.`);
  });
});

describe('what is sent was approved', () => {
  const route = 'PATCH /repos/acme/engine/issues/2';
  const sent = (input?: Record<string, string>) => ({ route, input: input && Object.entries(input) });

  it.each<[string, Record<string, string> | undefined, Record<string, string> | undefined, boolean]>([
    ['if it is the same', { state: 'closed' }, { state: 'closed' }, true],
    ['if neither has values', undefined, undefined, true],
    ['unless a value differs', { state: 'open' }, { state: 'closed' }, false],
    ['unless a value was added', { state: 'closed', title: 'New' }, { state: 'closed' }, false],
    ['unless a value is missing', {}, { state: 'closed' }, false],
    ['if a list lacks some', { labels: '[1]' }, { labels: '[1,2]' }, true],
    ['if a list is gone', {}, { labels: '[1,2]' }, true],
    ['unless a list has more', { labels: '[1,3]' }, { labels: '[1,2]' }, false],
    ['unless a list has only others', { labels: '[3]' }, { labels: '[1,2]' }, false],
    ['unless a list is new', { labels: '[1]' }, {}, false],
    ['unless a list became something else', { labels: '1' }, { labels: '[1,2]' }, false],
    ['unless something else became a list', { labels: '[1]' }, { labels: '1' }, false],
    ['unless a text that is none became a list', { labels: '[]' }, { labels: 'none' }, false],
  ])('%s', (_, now, before, expected) => {
    expect(isApproved(sent(now), sent(before))).toBe(expected);
  });

  it('unless it goes elsewhere', () => {
    expect(isApproved({ route: 'DELETE /repos/acme/engine' }, { route })).toBe(false);
  });
});
