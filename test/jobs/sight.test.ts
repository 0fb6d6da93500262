import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-house.js';

const room = 'C0PRIVATE1';

describe('a pattern in a private channel', () => {
  describe('subscribed by somebody who may see everything', () => {
    const house = useFeed({ people: { ada: 'U0ADA00001' } });

    it('tells of a private repository that came later', async () => {
      await house.subscribe(room, 'acme/*', 'issues');
      await house.round();
      house.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'secret', private: true });
      await house.round();
      await house.round();
      house.pass(1_000);
      house.forge.world.openIssue({ as: 'ada', repo: 'acme/secret', title: 'Hidden' });
      await house.round();
      expect(house.shown(room).join('\n')).toContain('Hidden');
    });
  });

  describe('subscribed by somebody who may not', () => {
    const house = useFeed({ people: { linus: 'U0ADA00001' } });

    it('tells of public repositories, and keeps private ones to itself', async () => {
      await house.subscribe(room, 'acme/*', 'issues');
      await house.round();
      house.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      house.pass(1_000);
      house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await house.round();
      // not even kept for the channel
      const { decisions } = house.store;
      const hidden = house.forge.world.repo('acme/vault').issues.size;
      const about = await decisions.about(`${house.forge.url}/acme/vault/issues/${hidden}`);
      expect(about).toMatchObject([{ kept: false, clause: expect.stringContaining('may not see this repository') }]);
      expect(house.shown(room)).toEqual([expect.stringContaining('Open')]);
    });
  });

  describe('subscribed by somebody who is not linked any more', () => {
    const house = useFeed();

    it('tells of public repositories only', async () => {
      await house.subscribe(room, 'acme/*', 'issues');
      await house.round();
      house.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      house.pass(1_000);
      house.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await house.round();
      expect(house.shown(room)).toEqual([expect.stringContaining('Open')]);
    });
  });
});
