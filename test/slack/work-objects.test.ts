import type { Message } from '@bellows/sandbox/slack';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bellows, startBellows } from '../support/bellows.js';

let bellows: Bellows;
beforeAll(async () => {
  bellows = await startBellows({ policy: 'workObjects: true\n' });
  await bellows.link('ada');
  await bellows.link('grace', 'linus');
});
afterAll(() => bellows.close());
afterEach(() => expect(bellows.slack.failures.all).toEqual([]));

const link = (path: string) => `${bellows.forge.url}/${path}`;
const at = (house: Bellows, { ts }: Message, channel: string) =>
  JSON.stringify(house.slack.state.messages(channel).find((each) => each.ts === ts)?.unfurls ?? {});

async function posted(path: string, channel = 'engine', house = bellows): Promise<string> {
  const message = await house.slack.as('ada').post(channel, `look: ${house.forge.url}/${path}`);
  return house.slack.until(() => (at(house, message, channel) === '{}' ? undefined : at(house, message, channel)));
}

async function details(user: string, path: string): Promise<string> {
  const actor = bellows.slack.as(user);
  await actor.openDetails(link(path));
  return JSON.stringify(await bellows.slack.until(() => actor.details()));
}

describe('a link', () => {
  it.each([
    ['an issue', 'acme/engine/issues/4', ['"Issue"', '#4', 'Alarm 1202', 'Open', 'issue comment']],
    ['a pull request', 'acme/engine/pulls/3', ['"Pull request"', 'Hold the third gear', 'Merged']],
  ])('to %s unfurls as a Work Object with its actions', async (_, path, words) => {
    const shown = await posted(path);
    expect(shown).toContain('"entity"');
    for (const word of words) expect(shown).toContain(word);
    expect(shown).not.toContain('"blocks"');
  });

  it('to a run too, and to a repository as a card', async () => {
    const [run] = [...bellows.forge.world.state.runs.values()];
    const shown = await posted(`acme/engine/actions/runs/${run?.id}`);
    for (const word of ['"Workflow run"', '"run 1"', 'ci.yml']) expect(shown).toContain(word);
    expect(await posted('acme/engine')).toContain('"blocks"');
  });

  it('shows the day an issue is due as the forge means it', async () => {
    const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title: 'Due' });
    const item = bellows.forge.world.issue('acme/engine', index);
    // the end of 1 December in New York
    if (item) item.dueDate = '2026-12-01T23:59:59-05:00';
    expect(await posted(`acme/engine/issues/${index}`)).toContain('"2026-12-01"');
  });

  it('with hostile text stays plain text', async () => {
    const title = `<!channel> *all* ${'x'.repeat(400)}`;
    const { index } = bellows.forge.world.openIssue({ as: 'grace', repo: 'acme/engine', title, body: '<!here>' });
    expect(await posted(`acme/engine/issues/${index}`)).toContain('"entity"');
  });

  it('shows a private one only where the channel may see it', async () => {
    const message = await bellows.slack.as('ada').post('engine', link('acme/vault/issues/1'));
    await posted('acme/engine/issues/4');
    expect(at(bellows, message, 'engine')).toBe('{}');
  });
});

describe('the details pane', () => {
  it('shows fields and actions to people who may see it', async () => {
    const shown = await details('ada', 'acme/vault/issues/1');
    expect(shown).toContain('"entity"');
    expect(shown).toContain('acme/vault');
  });

  it.each([
    ['what they may not see', 'acme/vault/issues/1'],
    ['what does not exist', 'acme/vault/issues/999'],
    ['what is no page of the forge', 'nowhere'],
  ])('says the same to another person of %s', async (_, path) => {
    const shown = await details('grace', path);
    expect(shown).toContain('It doesn’t exist, or you don’t have access to it.');
    expect(shown).not.toContain('"entity"');
  });

  it('asks people who are not linked to link, and shows them what is public', async () => {
    await bellows.slack.happens.hire({ id: 'U0TIM00001', name: 'tim' });
    expect(await details('tim', 'acme/vault/issues/1')).toContain('/forge signin');
    expect(await details('tim', 'acme/engine/issues/4')).toContain('Alarm 1202');
  });
});
