import type { Flavor } from '@bellows/sandbox/forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';
import { bothKinds } from '../support/servers.js';
import { talkTo, words } from './talk.js';

const repo = 'acme/engine';
const pulls = 'GET /repos/{owner}/{repo}/pulls/{index}';
const merges = 'POST /repos/{owner}/{repo}/pulls/{index}/merge';

/** The servers beside each other: half of it is waiting. */
describe.concurrent.each(bothKinds)('a merge refused by %s', (flavor) => {
  describe.sequential('is explained', () => explained(flavor));
});

/** It is looked at for ten seconds, so beside the others. */
describe.concurrent('a merge whose conflict stays', () => {
  it('is refused once the forge had time to check it', async ({ expect }) => {
    const bellows = await startBellows({ forge: { flavor: 'forgejo-15' } });
    await bellows.link('grace');
    const { world } = bellows.forge;
    world.push({ as: 'grace', repo, branch: 'stuck', commits: ['In conflict'] });
    const { index } = world.openPull({ as: 'grace', repo, title: 'In conflict', head: 'stuck' });
    world.setConflicts({ repo, index, conflicts: true });
    const shown = words(await talkTo(() => bellows).type('grace', `pr merge ${repo}#${index}`));
    expect(shown).toContain('it conflicts with `main`');
    await bellows.close();
  });
});

function explained(flavor: Flavor): void {
  let bellows: Bellows;
  const { type, click } = talkTo(() => bellows);
  let branches = 0;
  const world = () => bellows.forge.world;

  beforeAll(async () => {
    bellows = await startBellows({ forge: { flavor } });
    await bellows.link('ada');
    await bellows.link('grace');
    await bellows.link('alan', 'linus');
  });
  afterAll(() => bellows.close());

  function open(title: string, { as = 'grace', base = 'main' } = {}) {
    branches += 1;
    const head = `branch-${branches}`;
    world().push({ as, repo, branch: head, commits: [{ message: title, files: [`src/${head}.go`] }] });
    const { index, pull } = world().openPull({ as, repo, title, head, base });
    return { index, head, sha: pull?.headSha ?? '', name: `${repo}#${index}` };
  }

  /** Into a branch of its own, with these rules. */
  function guarded(title: string, rules: NonNullable<Parameters<Bellows['forge']['world']['protect']>[0]['rules']>) {
    branches += 1;
    const base = `base-${branches}`;
    world().push({ as: 'ada', repo, branch: base, commits: ['Start'] });
    world().protect({ repo, branch: base, rules });
    return { ...open(title, { base }), base };
  }
  const merge = async (name: string, flags = '', channel = 'engine') =>
    words(await type('grace', `pr merge ${name} ${flags}`, channel));

  it.each([
    ['checks', { statusChecks: ['ci/*'] }, 'not all required checks have passed'],
    ['approvals', { requiredApprovals: 1 }, 'it doesn’t have enough approvals'],
    ['files', { protectedFiles: 'src/**' }, 'it changes files that `base-'],
    ['signatures', { requireSigned: true }, 'only accepts signed commits'],
  ] as const)('names the rule: %s', async (title, rules, says) => {
    const { name } = guarded(title, rules);
    const shown = await merge(name);
    expect(shown).toContain(says);
    expect(shown).not.toContain('write access');
  });

  it('names requested changes, missing reviews and a branch that is behind', async () => {
    const rejected = guarded('Rejected', { blockOnRejected: true });
    world().review({ as: 'ada', repo, index: rejected.index, verdict: 'reject', body: 'No.' });
    expect(await merge(rejected.name, '--yes')).toContain('a reviewer requested changes');
    const asked = guarded('Asked', { blockOnRequests: true });
    world().requestReview({ as: 'grace', repo, index: asked.index, from: ['ada'] });
    expect(await merge(asked.name)).toContain('a requested review is still missing');
    const behind = guarded('Behind', { blockOnOutdated: true });
    world().push({ as: 'ada', repo, branch: behind.base, commits: ['Meanwhile'] });
    expect(await merge(behind.name)).toContain(`its branch is behind \`${behind.base}\``);
  });

  it('tells a missing permission from a list of people who may merge', async () => {
    const { name } = guarded('For few', { mergeList: ['ada'] });
    expect(await merge(name)).toContain('you’re not on the list of people who may merge into base-');
    const plain = open('For writers');
    expect(words(await type('alan', `pr merge ${plain.name}`))).toContain('that needs write access to main');
    expect(bellows.forge.requests.of(merges).filter(({ who }) => who === 'linus')).toEqual([]);
  });

  it('offers nothing to someone who may not merge, whatever the reviews say', async () => {
    const { name, index } = open('Not theirs');
    world().review({ as: 'ada', repo, index, verdict: 'reject', body: 'No.' });
    const shown = words(await type('alan', `pr merge ${name}`));
    expect(shown).toContain('that needs write access to main');
    expect(shown).not.toContain('Merge anyway');
  });

  it('names the open issues it depends on, though the server only says 500', async () => {
    const { name } = open('Depends on something');
    const blocker = world().openIssue({ as: 'ada', repo, title: 'Comes first' });
    await type('ada', `issue block ${repo}#${blocker.index} ${name}`);
    const shown = words(await type('ada', `pr merge ${name}`));
    expect(shown).toContain('cannot be merged while these are open');
    expect(shown).toContain('Comes first');
    expect(shown).not.toContain('in trouble');
  });

  it('names a style that is turned off', async () => {
    world().setMerging({ repo, stylesOff: ['squash'] });
    expect(await merge(open('Squashed').name, '--style squash')).toContain('does not allow `squash`');
    world().setMerging({ repo, stylesOff: [] });
  });

  it('waits while the forge checks for conflicts', async () => {
    const checked = open('Being checked');
    world().check({ repo, index: checked.index, forMs: 1_200 });
    expect(await merge(checked.name)).toContain('Merged');
  });

  it('names a conflict that only rebasing has, and a branch that cannot be fast-forwarded', async () => {
    const rebased = open('Rebased');
    world().setRebaseConflicts({ repo, index: rebased.index });
    const behind = open('Fast-forwarded');
    world().push({ as: 'ada', repo, branch: 'main', commits: ['Meanwhile'] });
    const [conflict, shown] = await Promise.all([
      merge(rebased.name, '--style rebase'),
      merge(behind.name, '--style fast-forward-only', 'general'),
    ]);
    expect(conflict).toContain('its commits conflict with `main` one by one');
    expect(shown).toContain('can’t be fast-forwarded: its branch is behind `main`');
    expect(shown).not.toContain('unavailable');
  });

  it('tries once more when another merge was under way', async () => {
    const [once, twice] = [open('Raced'), open('Raced twice')];
    const message = "PushRejected with remote message: cannot lock ref 'refs/heads/main': is at a but expected b";
    const race = ({ index }: typeof once, times: number) =>
      bellows.forge.faults.add({
        on: new RegExp(`^POST .*/pulls/${index}/merge$`),
        times,
        trouble: { status: 409, message },
      });
    race(once, 1);
    race(twice, 2);
    const [merged, refused] = await Promise.all([merge(once.name), merge(twice.name, '', 'general')]);
    expect(merged).toContain('Merged');
    expect(refused).toContain('another merge into `main` was under way');
  });

  /** Forgejo wraps what Gitea says plainly. */
  const because = (reason: string) =>
    flavor.startsWith('forgejo') ? `not allowed to merge [reason: ${reason}]` : reason;

  it.each([
    ['code owners', 405, 'There are missing code owner reviews', 'it still needs a code owner’s approval'],
    ['a draft since', 405, 'Work in progress PRs cannot be merged', 'it is a draft'],
    ['a head it no longer has', 409, 'head out of date', 'new commits arrived since you saw it'],
    [
      'a hook',
      409,
      'PushRejected with remote message: no merges on Friday',
      'a rule or hook of the forge rejected the push',
    ],
    ['a conflict git found', 409, '', 'it conflicts with `main`'],
  ])('tells %s from the rest', async (title, status, words, says) => {
    const { name } = open(`Refused by ${title}`);
    const body = words === '' ? { Style: 'merge', StdOut: '', StdErr: 'CONFLICT', Err: {} } : undefined;
    const message = status === 405 ? because(words) : words;
    const text = JSON.stringify(body ?? { message });
    bellows.forge.faults.add({ on: merges, times: 1, trouble: { status, text, type: 'application/json' } });
    const shown = await merge(name);
    expect(shown).toContain(says);
    expect(shown).not.toMatch(/write access|unavailable|scope/);
  });

  it('waits for the other one of two merges at once', async () => {
    const { name, index } = open('Twice at once');
    const lost = flavor === 'forgejo-15' ? { ID: 1, IssueID: 2 } : { message: '' };
    const trouble = {
      status: flavor === 'forgejo-15' ? 409 : 500,
      text: JSON.stringify(lost),
      type: 'application/json',
    };
    bellows.forge.faults.add({ on: merges, times: 1, trouble });
    let isMerged = false;
    const bend = (body: unknown) => {
      const refused = bellows.forge.requests.of(merges).some(({ path }) => path.includes(`/${index}/`));
      if (refused && !isMerged) {
        isMerged = true;
        world().merge({ as: 'ada', repo, index });
      }
      return body;
    };
    const stop = bellows.forge.faults.add({ on: pulls, times: 50, trouble: { bend } });
    expect(await merge(name)).toContain('was just merged by ada');
    stop();
  });

  it('names a branch that was deleted, and an archived repository', async () => {
    const gone = open('Without a branch');
    world().deleteBranch({ as: 'grace', repo, branch: gone.head });
    expect(await merge(gone.name)).toContain('its branch was deleted');
    world().createRepo({ as: 'grace', owner: 'grace', name: 'attic' });
    world().push({ as: 'grace', repo: 'grace/attic', branch: 'late', commits: ['Late'] });
    const { index } = world().openPull({ as: 'grace', repo: 'grace/attic', title: 'Late', head: 'late' });
    world().archive({ repo: 'grace/attic' });
    expect(await merge(`grace/attic#${index}`)).toContain('the repository is archived');
  });

  it('says who merged it just before', async () => {
    const { name } = open('Two at once');
    const message = flavor.startsWith('forgejo') ? '' : 'The PR is already merged';
    const ada = { id: 1, login: 'ada' };
    const byAda = (body: unknown) => (Object(body).merged ? { ...Object(body), merged_by: ada } : body);
    bellows.forge.faults.add({ on: merges, trouble: { status: 405, message, done: true } });
    // however often a card reads it meanwhile
    const stop = bellows.forge.faults.add({ on: pulls, times: 50, trouble: { bend: byAda } });
    expect(await merge(name)).toContain('was just merged by ada');
    stop();
  });

  it('does not take a merge of other commits for its own', async () => {
    const { name } = open('Pushed in between');
    const moved = (body: unknown) => {
      const { merged, head } = Object(body) as { merged?: boolean; head?: object };
      return merged ? { ...Object(body), head: { ...head, sha: '0'.repeat(40) } } : body;
    };
    bellows.forge.faults.add({ on: merges, trouble: { status: 405, message: '', done: true } });
    const stop = bellows.forge.faults.add({ on: pulls, times: 50, trouble: { bend: moved } });
    expect(await merge(name)).toContain('was just merged by grace');
    stop();
  });

  it('keeps the branch unless asked, whatever the repository’s default, and says what became of a fork’s', async () => {
    world().setMerging({ repo, deletesBranch: true });
    const kept = open('Kept');
    expect(await merge(kept.name)).toContain(`Kept the branch \`${kept.head}\`.`);
    expect(bellows.forge.requests.of(merges).at(-1)?.body).toMatchObject({ delete_branch_after_merge: false });
    world().setMerging({ repo, deletesBranch: false });
    const deleted = open('Deleted');
    expect(await merge(deleted.name, '--delete-branch')).toContain(`Deleted the branch \`${deleted.head}\`.`);
    world().forkRepo({ as: 'linus', repo });
    world().push({ as: 'linus', repo: 'linus/engine', branch: 'theirs', commits: ['From a fork'] });
    const { index } = world().openPull({ as: 'linus', repo, title: 'Fork', head: 'theirs', from: 'linus/engine' });
    const shown = await merge(`${repo}#${index}`, '--delete-branch');
    expect(shown).toContain('Merged');
    expect(shown).toMatch(/The branch `theirs` was not deleted/);
  });

  it('says that a draft, a closed and a merged one cannot be merged', async () => {
    expect(await merge(open('WIP: not yet').name)).toContain('is a draft');
    const closed = open('Closed');
    world().close({ as: 'ada', repo, index: closed.index });
    expect(await merge(closed.name)).toContain('is closed: it cannot be merged');
    const merged = open('Merged');
    world().merge({ as: 'ada', repo, index: merged.index });
    expect(await merge(merged.name)).toContain('is already merged');
  });

  it('publishes the line comments of an unfinished review only after saying so', async () => {
    const { name, index } = open('Half reviewed');
    world().review({ as: 'ada', repo, index, verdict: 'draft', comments: ['Not done thinking', 'Nor here'] });
    const warned = await type('ada', `pr approve ${name}`);
    expect(words(warned)).toContain('your unfinished review with 2 comments');
    expect(words(await click('ada', warned, 'Approve and publish'))).toContain('Approved');
  });

  it('says why someone cannot be asked to review', async () => {
    const { name } = open('For reviewers');
    const ask = async (who: string, by = 'ada') => words(await type(by, `pr review ${name} ${who}`));
    expect(await ask('nosuch')).toContain('nosuch: not found on the forge');
    expect(await ask('--teams nosuch')).toContain('acme has no team named nosuch.');
    expect(await ask('acme')).toContain('acme: is an organization');
    expect(await ask('grace')).toContain('grace opened this pull request and can’t review it');
    expect(await ask('ada', 'alan')).toContain('You cannot request reviews on');
    world().push({ as: 'ada', repo: 'acme/vault', branch: `asked-${branches}`, commits: ['Hidden'] });
    const hidden = world().openPull({ as: 'ada', repo: 'acme/vault', title: 'Hidden', head: `asked-${branches}` });
    const shown = words(await type('ada', `pr review acme/vault#${hidden.index} linus`));
    expect(shown).toContain('linus: can’t see this repository');
    expect(shown).not.toMatch(/user_id|not exist/);
  });

  it('refuses a review of one closed a moment ago, and says what arrived in that moment', async () => {
    // a card may read it too: whatever the command read is out of date
    const afterReading = (act: () => void) => {
      const bend = (body: unknown) => {
        act();
        return body;
      };
      return bellows.forge.faults.add({ on: pulls, times: 50, trouble: { bend } });
    };
    const moving = open('Moving');
    const stay = afterReading(() => world().push({ as: 'grace', repo, branch: moving.head, commits: ['More'] }));
    expect(words(await type('ada', `pr approve ${moving.name}`))).toContain('New commits arrived meanwhile');
    stay();
    // Forgejo takes it
    if (flavor.startsWith('forgejo')) return;
    const { name, index } = open('Closed meanwhile');
    const stop = afterReading(() => world().close({ as: 'grace', repo, index }));
    expect(words(await type('ada', `pr approve ${name}`))).toContain('is closed: it cannot be reviewed');
    stop();
  });

  it('does not call a draft a review', async () => {
    const { name } = open('Misunderstood');
    const on = 'POST /repos/{owner}/{repo}/pulls/{index}/reviews';
    const bend = (body: unknown) => ({ ...Object(body), state: 'PENDING' });
    bellows.forge.faults.add({ on, times: 1, trouble: { bend } });
    expect(words(await type('ada', `pr approve ${name}`))).toContain('The forge kept your review of');
  });

  it('says what helps if a team alone cannot be asked', async () => {
    const { name } = open('For a team');
    const shown = words(await type('ada', `pr review ${name} --teams core`));
    expect(shown).toContain(
      flavor === 'forgejo-15' ? 'Name a person along with the team' : 'Requested a review from team core',
    );
  });
}
