import type { View } from '@bellows/sandbox/slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows();
});
afterAll(() => bellows.close());

const text = (view: View | undefined) => JSON.stringify(view?.blocks ?? []);

/** Opens it and waits for the version this publishes. */
async function homeOf(user: string, says: string): Promise<View> {
  const actor = bellows.slack.as(user);
  const before = actor.home()?.hash;
  await actor.openHome();
  return bellows.slack.until(() => {
    const view = actor.home();
    return view?.hash !== before && text(view).includes(says) ? view : undefined;
  });
}

describe('the App Home', () => {
  it('asks a stranger to link an account', async () => {
    const view = await homeOf('grace', 'Link your forge account');
    expect(text(view)).toContain('signin');
    expect(bellows.slack.failures.all).toEqual([]);
  });

  it('shows the outcome of a form opened from it', async () => {
    const grace = bellows.slack.as('grace');
    await grace.click(await homeOf('grace', 'Link your forge account'), 'form');
    await grace.fill({ token: bellows.forge.users['grace']?.token() ?? '' });
    await grace.submit();
    await bellows.slack.until(() => text(grace.home()).includes('linked as'));
    expect(text(grace.home())).toContain('You are *grace*');
  });

  it('shows notifications, review requests, assigned issues and settings', async () => {
    const view = await homeOf('grace', 'Your settings');
    for (const part of ['Notifications', 'Waiting for your review', 'Assigned to you', 'Alarm 1202', 'No quiet hours'])
      expect(text(view)).toContain(part);
    expect(text(view)).not.toContain('Runners');
    expect(text(view)).toContain('You are *grace* on ');
    expect(text(view)).not.toContain('Your role here');
    expect(text(view)).toContain('Last updated: ');
  });

  it('says which direct messages are on', async () => {
    const usual = text(await homeOf('grace', 'Your settings'));
    expect(usual).toContain('Direct messages: reviews, assignments, mentions, replies, failed runs');
    const grace = bellows.slack.as('grace');
    await grace.command('engine', '/forge', 'settings --messages review_requested,assigned,broke_branch,activity');
    await bellows.slack.until(() => grace.sees('engine').some((shown) => shown.text === 'Your settings'));
    const changed = text(await homeOf('grace', 'Direct messages: reviews, assignments, broken'));
    expect(changed).toContain('Direct messages: reviews, assignments, broken branches, everything else');
  });

  it('signs out only after a confirmation that says what is lost', async () => {
    const shown = text(await homeOf('grace', 'Sign out'));
    expect(shown).toMatch(/"style":"danger","confirm":\{[^}]*Sign out\?/);
    expect(shown).toContain('Your token, settings, agents and pending requests are deleted.');
  });

  it('marks a notification as read at the forge and redraws itself with the answer on top', async () => {
    const grace = bellows.slack.as('grace');
    const before = bellows.forge.world.threadsOf('grace').filter(({ status }) => status === 'unread').length;
    expect(before).toBeGreaterThan(0);
    const view = await homeOf('grace', 'Mark as done');
    await grace.click(view, 'Mark as done');
    await bellows.slack.until(() => text(grace.home()).includes('Marked as done'));
    const after = bellows.forge.world.threadsOf('grace').filter(({ status }) => status === 'unread').length;
    expect(after).toBe(before - 1);
    expect(bellows.slack.as('grace').sees(grace.dm)).toEqual([]);
    const fresh = await homeOf('grace', 'Your settings');
    await bellows.slack.until(() => !text(grace.home()).includes('Marked as done'));
    expect(fresh.hash).not.toBe(view.hash);
  });

  it('shows the runner fleet to admins only', async () => {
    await bellows.link('ada');
    const view = await homeOf('ada', 'Runners');
    expect(text(view)).toContain('. Your role here is admin');
  });

  it('says so if the forge does not answer, and stays', async () => {
    // the feed asks for them too
    const times = Number.POSITIVE_INFINITY;
    const heal = bellows.forge.faults.add({ on: 'GET /notifications', times, trouble: { status: 500 } });
    const view = await homeOf('ada', 'Could not load this');
    heal();
    expect(text(view)).toContain('Assigned to you');
  });

  it('does not overwrite a Home that has been redrawn since', async () => {
    const { slack } = bellows;
    await homeOf('ada', 'Your settings');
    const published = () => slack.calls.of('views.publish').length;
    const event = { type: 'app_home_opened', user: slack.as('ada').id, tab: 'home', view: { hash: 'an older one' } };
    const present = slack.as('ada').home()?.hash;
    const before = published();
    await slack.emit(event);
    await slack.until(() => published() > before);
    expect(slack.calls.of('views.publish').at(-1)?.result).toMatchObject({ error: 'hash_conflict' });
    expect(slack.as('ada').home()?.hash).toBe(present);
  });

  it('breaks none of Slack’s rules', () => {
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
