import { type SandboxSlack, startSlack } from '@bellows/sandbox/slack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/slack/client.js';
import { createChannelFacts } from '../../src/slack/facts.js';
import { useStore } from '../support/redis.js';

const at = useStore();
const ids = Array.from({ length: 200 }, (_, number) => `C0MANY${String(number).padStart(4, '0')}`);
let slack: SandboxSlack;
beforeEach(async () => {
  slack = await startSlack({ seed: { channels: ids.map((id) => ({ id, name: id.toLowerCase() })) } });
});
afterEach(() => slack.close());

function facts() {
  const mode = { kind: 'socket', appToken: '' } as const;
  const client = createClient({ botToken: slack.botToken, apiUrl: slack.apiUrl, mode });
  return createChannelFacts({ client, team: slack.teamId, store: at.store });
}
const calls = (method: string) => slack.calls.of(method).length;
const share = (id: string) => slack.state.channel(id).sharedWith.push('T0OTHER');

describe('what is known about channels', () => {
  it('is asked for one by one where few get messages', async () => {
    const about = facts();
    for (const id of ids.slice(0, 5)) expect(await about(id)).toMatchObject({ kind: 'public', shared: false });
    expect([calls('conversations.info'), calls('users.conversations')]).toEqual([5, 0]);
  });

  it('comes from one list where many do, within what Slack allows', async () => {
    const about = facts();
    for (const id of ids) expect(await about(id)).toMatchObject({ member: true, shared: false, archived: false });
    expect([calls('conversations.info'), calls('users.conversations')]).toEqual([10, 1]);
  });

  it('is never more than a minute old', async () => {
    const about = facts();
    for (const id of ids) await about(id);
    share(ids[150] ?? '');
    at.pass(61_000);
    expect(await about(ids[150] ?? '')).toMatchObject({ shared: true });
  });

  it('is asked for again at once when an event says that a channel changed', async () => {
    const about = facts();
    for (const id of ids) await about(id);
    const changed = ids[150] ?? '';
    share(changed);
    await at.store.channels.forgetFacts({ team: slack.teamId, channel: changed });
    expect(await about(changed)).toMatchObject({ shared: true });
    expect(calls('users.conversations')).toBe(1);
  });

  it('stays what a later look found, whatever an older list says', async () => {
    const place = { team: slack.teamId, channel: ids[0] ?? '' };
    const shared = { kind: 'public', shared: true, member: true, archived: false } as const;
    await at.store.channels.learn(place, shared);
    await at.store.channels.learn(place, { ...shared, shared: false }, at.now() - 1_000);
    expect(await at.store.channels.facts(place, 60_000)).toMatchObject({ shared: true });
  });

  it('is asked for one by one where there is no list', async () => {
    const about = facts();
    for (const id of ids.slice(0, 10)) await about(id);
    slack.faults.next('users.conversations', { kind: 'error', error: 'internal_error' });
    expect(await about(ids[10] ?? '')).toMatchObject({ shared: false });
    expect(calls('conversations.info')).toBe(11);
  });
});
