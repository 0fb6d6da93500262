import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const grace = { user: 'U0GRACE001', login: 'grace' };
const repo = 'acme/engine';

describe('a direct message', () => {
  const services = useFeed({ people: { grace: grace.user }, buttons: true });
  const link = () =>
    services.store.accounts.put(
      { team: services.slack.teamId, user: grace.user },
      { login: grace.login, forgeUserId: 3, verified: true, credential: { kind: 'token', token: 'x' } },
    );
  const all = () =>
    [...services.slack.state.channels.values()]
      .filter(({ kind }) => kind === 'im')
      .flatMap(({ id }) => services.slack.state.messages(id));
  const texts = () => all().map(({ text }) => text);
  const card = () => JSON.stringify(all()[0]?.blocks);
  const api = () => services.forge.account('grace').token();
  const mark = async (to: string) => {
    const threads = await fetch(`${services.forge.url}/api/v1/notifications?all=true`, {
      headers: { authorization: `token ${api()}` },
    });
    const [thread] = (await threads.json()) as { id: number }[];
    await fetch(`${services.forge.url}/api/v1/notifications/threads/${thread?.id}?to-status=${to}`, {
      method: 'PATCH',
      headers: { authorization: `token ${api()}` },
    });
  };
  async function assigned(): Promise<number> {
    await link();
    await services.round();
    services.pass(2_000);
    const { index } = services.forge.world.openIssue({ as: 'ada', repo, title: 'Valve', assignees: ['grace'] });
    await services.round();
    expect(card()).toContain('Mark read');
    expect(card()).toContain('"Close"');
    return index;
  }

  it('loses its buttons when its thread is read on the forge', async () => {
    await assigned();
    services.pass(2_000);
    await mark('read');
    await services.round();
    expect(all()).toHaveLength(1);
    expect(card()).not.toContain('"button"');
  });

  it('shows that its item was closed, and by then has no buttons', async () => {
    const index = await assigned();
    services.pass(2_000);
    services.forge.world.close({ as: 'ada', repo, index });
    await services.round();
    await services.deliver();
    expect(card()).toContain('Closed');
    expect(card()).not.toContain('"button"');
    expect(texts().at(-1)).toContain('Closed:');
  });

  it('says who wrote what, once, and not what was asked before', async () => {
    const index = await assigned();
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'The *gasket* is new.' });
    await services.round();
    await services.round();
    expect(texts()).toEqual([`Assigned to you: #${index} Valve`, `ada commented on #${index} Valve`]);
    expect(JSON.stringify(all()[1]?.blocks)).toContain('gasket');
    services.pass(120_000);
    services.forge.world.comment({ as: 'ada', repo, index, body: 'Over to you, @grace' });
    await services.round();
    expect(texts().at(-1)).toBe(`ada mentioned you in #${index} Valve`);
    expect(texts()).toHaveLength(3);
  });
});
