import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const grace = { user: 'U0GRACE001', login: 'grace' };
const repo = 'acme/engine';
const people = { grace: grace.user, ada: 'U0ADA00001' };

/** Grace's direct messages, and other people's items that concern her. */
function useInbox(options: Parameters<typeof useFeed>[0] = {}) {
  const services = useFeed({ people, ...options });
  const person = () => ({ team: services.slack.teamId, user: grace.user });
  const all = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.slack.state.messages(id));
  return {
    services,
    person,
    all,
    texts: () => all().map(({ text }) => text),
    card: () => JSON.stringify(all()[0]?.blocks),
    choose: (kinds: Record<string, boolean>) => services.store.settings.put(person(), { kinds, quiet: null }),
    /** What follows happens long after. */
    async later(act: () => unknown) {
      services.pass(120_000);
      act();
      await services.round();
    },
    async linked() {
      const link = { login: grace.login, forgeUserId: 3, verified: true } as const;
      await services.store.accounts.put(person(), { ...link, credential: { kind: 'token', token: 'x' } });
      await services.round();
      services.pass(2_000);
    },
    issue: (title: string) => services.forge.world.openIssue({ as: 'ada', repo, title }).index,
    pull(title: string) {
      const head = title.toLowerCase();
      services.forge.world.push({ as: 'ada', repo, branch: head, commits: [title] });
      return services.forge.world.openPull({ as: 'ada', repo, title, head }).index;
    },
    asked: () => services.forge.requests.all.filter(({ path }) => path.endsWith('/timeline')).length,
  };
}

describe('a direct message names who', () => {
  const { services, all, texts, card, choose, later, linked, issue, pull, asked } = useInbox();

  it('assigned you, long after someone else opened the issue', async () => {
    await linked();
    const index = issue('Valve');
    await later(() => services.forge.world.assign({ as: 'linus', repo, index, assignees: ['grace'] }));
    expect(texts()).toEqual([`linus assigned you to #${index} Valve`]);
    expect(card()).toContain('"Close issue"');
    expect(asked()).toBe(1);
  });

  it('requested your review, with the buttons of a reviewer', async () => {
    await linked();
    const index = pull('Belt');
    await later(() => services.forge.world.requestReview({ as: 'linus', repo, index, from: ['grace'] }));
    expect(texts()).toEqual([`linus requested your review on #${index} Belt`]);
    expect(card()).toMatch(/"Approve".*"Review".*"Open on the forge".*"Mark as done"/);
  });

  it('requested it a moment after they wrote a comment', async () => {
    await linked();
    const index = pull('Belt');
    services.forge.world.comment({ as: 'grace', repo, index, body: 'What is this?' });
    await later(() => {
      services.forge.world.comment({ as: 'linus', repo, index, body: 'A new belt.' });
      services.pass(5_000);
      services.forge.world.requestReview({ as: 'linus', repo, index, from: ['grace'] });
    });
    expect(texts()).toEqual([`linus requested your review on #${index} Belt`]);
  });

  it('requested it, once: a push does not repeat it', async () => {
    await linked();
    const index = pull('Belt');
    services.forge.world.comment({ as: 'grace', repo, index, body: 'I follow this.' });
    await later(() => services.forge.world.requestReview({ as: 'ada', repo, index, from: ['grace'] }));
    await later(() => services.forge.world.push({ as: 'ada', repo, branch: 'belt', commits: ['Tighter'] }));
    expect(texts()).toEqual([`ada requested your review on #${index} Belt`]);
    await choose({ activity: true });
    await later(() => services.forge.world.push({ as: 'ada', repo, branch: 'belt', commits: ['Tighter still'] }));
    expect(texts().slice(1)).toEqual([`ada pushed to #${index} Belt`]);
  });

  it('requested it again', async () => {
    await linked();
    const index = pull('Belt');
    const request = (as: string) => services.forge.world.requestReview({ as, repo, index, from: ['grace'] });
    await later(() => request('ada'));
    services.forge.world.review({ as: 'grace', repo, index, verdict: 'reject', body: 'Too loose' });
    await later(() => services.forge.world.comment({ as: 'ada', repo, index, body: 'Better, @grace?' }));
    expect(card()).not.toContain('"Approve"');
    await later(() => request('linus'));
    expect(card()).toContain('"Approve"');
    expect(texts()).toEqual([
      `ada requested your review on #${index} Belt`,
      `ada mentioned you in #${index} Belt`,
      `linus requested your review on #${index} Belt`,
    ]);
  });

  it('mentioned you first and requested your review later: the card gets the buttons of a reviewer', async () => {
    await linked();
    const index = pull('Belt');
    await later(() => services.forge.world.comment({ as: 'ada', repo, index, body: 'Look, @grace' }));
    expect(card()).not.toContain('"Approve"');
    await later(() => services.forge.world.requestReview({ as: 'linus', repo, index, from: ['grace'] }));
    expect(all()).toHaveLength(2);
    expect(all()[1]?.threadTs).toBe(all()[0]?.ts);
    expect(card()).toMatch(/"Approve".*"Review".*"Open on the forge".*"Mark as done"/);
  });

  it('opened, closed, reopened and merged what you follow, if you chose that', async () => {
    await linked();
    await choose({ activity: true });
    const index = pull('Belt');
    services.forge.world.comment({ as: 'grace', repo, index, body: 'I follow this.' });
    await later(() => services.forge.world.close({ as: 'linus', repo, index }));
    await later(() => services.forge.world.reopen({ as: 'ada', repo, index }));
    await later(() => services.forge.world.merge({ as: 'linus', repo, index }));
    expect(texts()).toEqual([
      `linus closed #${index} Belt`,
      `ada reopened #${index} Belt`,
      `linus merged #${index} Belt`,
    ]);
  });

  it('mentioned you in what they opened, and is not named again for what comes later', async () => {
    await linked();
    await later(() => services.forge.world.openIssue({ as: 'linus', repo, title: 'Valve', body: 'For @grace' }));
    const said = texts();
    expect(said).toEqual([expect.stringMatching(/^linus mentioned you in #\d+ Valve$/)]);
    const index = Number(/#(\d+)/.exec(said[0] ?? '')?.[1]);
    services.forge.world.comment({ as: 'grace', repo, index, body: 'Seen.' });
    await later(() => services.forge.world.close({ as: 'linus', repo, index }));
    await later(() => services.forge.world.reopen({ as: 'linus', repo, index }));
    expect(texts()).toEqual(said);
  });

  it('says nothing about a withdrawn request, nor about other people’s', async () => {
    await linked();
    const index = issue('Valve');
    services.forge.world.comment({ as: 'grace', repo, index, body: 'I follow this.' });
    await later(() => {
      services.forge.world.assign({ as: 'linus', repo, index, assignees: ['grace'] });
      services.forge.world.assign({ as: 'linus', repo, index, assignees: ['ada'] });
    });
    expect(texts()).toEqual([]);
  });

  it('leaves the name out if the forge does not say', async () => {
    await linked();
    const index = issue('Valve');
    services.forge.faults.add({
      on: 'GET /repos/{owner}/{repo}/issues/{index}/timeline',
      times: 9,
      trouble: { status: 500 },
    });
    await later(() => services.forge.world.assign({ as: 'linus', repo, index, assignees: ['grace'] }));
    expect(texts()).toEqual([`You were assigned to #${index} Valve`]);
  });
});

describe.each(['gitea-1.26', 'forgejo-15'] as const)('a direct message on %s', (flavor) => {
  const { services, texts, choose, later, linked } = useInbox({ flavor });

  it('says nothing about a private item that its reader can no longer see', async () => {
    const { world } = services.forge;
    world.createRepo({ as: 'ada', owner: 'ada', name: 'plans', private: true });
    world.setCollaborator({ repo: 'ada/plans', login: 'grace', level: 'write' });
    await linked();
    await later(() => world.openIssue({ as: 'ada', repo: 'ada/plans', title: 'First', assignees: ['grace'] }));
    expect(texts()).toEqual([expect.stringContaining('First')]);
    await later(() => {
      world.openIssue({ as: 'ada', repo: 'ada/plans', title: 'Takeover', assignees: ['grace'] });
      world.setCollaborator({ repo: 'ada/plans', login: 'grace', level: 'none' });
    });
    expect(texts()).toHaveLength(1);
  });

  it('says nothing about an issue to a reader who sees only the wiki by now', async () => {
    const { world } = services.forge;
    world.createOrg({ as: 'ada', login: 'guild' });
    world.createRepo({ as: 'ada', owner: 'guild', name: 'plans', private: true });
    world.createTeam({ org: 'guild', name: 'scribes', allRepos: true, units: { wiki: 'read' }, members: ['grace'] });
    world.setCollaborator({ repo: 'guild/plans', login: 'grace', level: 'write' });
    await linked();
    await choose({ activity: true });
    await later(() => {
      world.openIssue({ as: 'ada', repo: 'guild/plans', title: 'Takeover', assignees: ['grace'] });
      world.setCollaborator({ repo: 'guild/plans', login: 'grace', level: 'none' });
    });
    expect(texts()).toEqual([]);
  });

  it('says nothing about it to those who want to hear of everything either', async () => {
    const { world } = services.forge;
    world.createRepo({ as: 'ada', owner: 'ada', name: 'plans', private: true });
    world.setCollaborator({ repo: 'ada/plans', login: 'grace', level: 'write' });
    await linked();
    await choose({ activity: true });
    await later(() => {
      world.openIssue({ as: 'ada', repo: 'ada/plans', title: 'Takeover', assignees: ['grace'] });
      world.setCollaborator({ repo: 'ada/plans', login: 'grace', level: 'none' });
    });
    expect(texts()).toEqual([]);
  });
});
