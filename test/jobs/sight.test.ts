import { describe, expect, it } from 'vitest';
import { useFeed } from './feed-services.js';

const room = 'C0PRIVATE1';

describe('a pattern in a private channel', () => {
  describe('subscribed by someone who may see everything', () => {
    const services = useFeed({ people: { ada: 'U0ADA00001' } });

    it('posts a private repository that was added later', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.createRepo({ as: 'ada', owner: 'acme', name: 'secret', private: true });
      await services.round();
      await services.round();
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/secret', title: 'Hidden' });
      await services.round();
      expect(services.shown(room).join('\n')).toContain('Hidden');
    });
  });

  describe('subscribed by someone who may not', () => {
    const services = useFeed({ people: { linus: 'U0ADA00001' } });

    it('posts public repositories, and no private ones', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await services.round();
      // not even queued for the channel
      const { decisions } = services.store;
      const hidden = services.forge.world.repo('acme/vault').issues.size;
      const about = await decisions.about(`${services.forge.url}/acme/vault/issues/${hidden}`);
      expect(about).toMatchObject([{ kept: false, clause: expect.stringContaining('may not see this repository') }]);
      expect(services.shown(room)).toEqual([expect.stringContaining('Open')]);
    });
  });

  describe('subscribed by someone who is no longer linked', () => {
    const services = useFeed();

    it('posts public repositories only', async () => {
      await services.subscribe(room, 'acme/*', 'issues');
      await services.round();
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/vault', title: 'Hidden' });
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'ada', repo: 'acme/engine', title: 'Open' });
      await services.round();
      expect(services.shown(room)).toEqual([expect.stringContaining('Open')]);
    });
  });
});
