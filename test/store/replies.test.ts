import { describe, expect, it } from 'vitest';
import { useStore } from '../support/redis.js';

const at = useStore();
const place = { team: 'T1', channel: 'C1' };
const other = { ...place, channel: 'C2' };
const kept = { comment: 5, owner: 'acme', repo: 'engine', repoId: 1, user: 'U1', login: 'ada' };
const ttl = async (part: string) => {
  const [key = ''] = await at.redis.keys(`*${part}*`);
  return at.redis.ttl(key);
};

describe('a reply that became a comment', () => {
  it('is known by its message for an hour, and its comment for two days, in its channel only', async () => {
    const { replies } = at.store;
    await replies.keep(place, '1.1', kept);
    expect(await replies.get(place, '1.1')).toEqual(kept);
    expect(await replies.isFromHere(place, 5)).toBe(true);
    expect(await ttl(':reply:')).toBeGreaterThan(3_500);
    expect(await ttl(':reply:')).toBeLessThanOrEqual(3_600);
    expect(await ttl(':replied:')).toBeGreaterThan(170_000);
    for (const [where, ts, comment] of [
      [other, '1.1', 5],
      [{ ...place, team: 'T2' }, '1.1', 5],
      [place, '1.2', 6],
    ] as const) {
      expect(await replies.get(where, ts)).toBeUndefined();
      expect(await replies.isFromHere(where, comment)).toBe(false);
    }
  });

  it('counts only where Bellows wrote it', async () => {
    const { replies } = at.store;
    await replies.keep(place, '1.1', kept);
    const [reply = '', replied = ''] = await Promise.all(
      [':reply:', ':replied:'].map(async (part) => (await at.redis.keys(`*${part}*`))[0]),
    );
    expect(await at.redis.copy(reply, reply.replace('1.1', '1.2'))).toBe(1);
    expect(await at.redis.copy(replied, replied.replace(/5$/, '6'))).toBe(1);
    expect(await replies.get(place, '1.2')).toBeUndefined();
    expect(await replies.isFromHere(place, 6)).toBe(false);
  });
});

describe('a comment that is being sent', () => {
  it('is under way for a minute, in its channel and on its item, or until it ended', async () => {
    const { replies } = at.store;
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
    await replies.begin(place, 'i1', 'U1');
    expect(await replies.isUnderWay(place, 'i1')).toBe(true);
    expect(await replies.isUnderWay(place, 'i2')).toBe(false);
    expect(await replies.isUnderWay(other, 'i1')).toBe(false);
    at.pass(59_999);
    expect(await replies.isUnderWay(place, 'i1')).toBe(true);
    at.pass(1);
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
    await replies.begin(place, 'i1', 'U1');
    await replies.end(place, 'i1');
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
  });

  it('is under way as long as its person’s job has not ended, ten minutes at most', async () => {
    const { replies, turns } = at.store;
    await replies.begin(place, 'i1', 'U1', 'j-1');
    at.pass(60_000);
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
    await turns.admit({ person: { team: 'T1', user: 'U2' }, id: 'j-1' });
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
    await turns.admit({ person: { team: 'T1', user: 'U1' }, id: 'j-1' });
    expect(await replies.isUnderWay(place, 'i1')).toBe(true);
    await turns.leave({ person: { team: 'T1', user: 'U1' }, id: 'j-1' });
    expect(await replies.isUnderWay(place, 'i1')).toBe(false);
    expect(await ttl('replying')).toBeGreaterThan(590);
  });
});

describe('what an answer in a thread says', () => {
  it('is known by item, login in any spelling and command, for an hour or until it is unsaid', async () => {
    const { replies } = at.store;
    await replies.say(place, 'i1', 'Ada', 'issue close');
    expect(await replies.saidAt(place, 'i1', 'ada', 'issue close')).toBe(at.now());
    expect(await ttl('said')).toBeGreaterThan(3_500);
    expect(await replies.saidAt(place, 'i1', 'grace', 'issue close')).toBeUndefined();
    expect(await replies.saidAt(place, 'i1', 'ada', 'issue reopen')).toBeUndefined();
    expect(await replies.saidAt(place, 'i2', 'ada', 'issue close')).toBeUndefined();
    expect(await replies.saidAt(other, 'i1', 'ada', 'issue close')).toBeUndefined();
    await replies.unsay(place, 'i1', 'ADA', 'issue close');
    expect(await replies.saidAt(place, 'i1', 'ada', 'issue close')).toBeUndefined();
  });
});
