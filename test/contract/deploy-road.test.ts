import type { Flavor } from '@bellows/sandbox/forge';
import { describe, expect, it } from 'vitest';
import { createForge } from '../../src/forge/index.js';
import { talkTo, words } from '../commands/talk.js';
import { startBellows } from '../support/bellows.js';

const policy = `
roles: { admin: { users: [U0ADA00001] } }
deployments:
  staging: { repository: acme/engine, workflow: deploy.yml, refs: ['**'], count: 0, channel: C0ENGINE01 }
`;
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const flavors: readonly Flavor[] = ['gitea-1.28', 'gitea-1.26', 'forgejo-11', 'forgejo-15', 'forgejo-16'];

describe.each(flavors)('deploying on %s', (flavor) => {
  it('runs if the server can start a workflow, and is refused otherwise', { timeout: 60_000 }, async () => {
    const bellows = await startBellows({ mode: 'http', policy, forge: { flavor } });
    const forge = createForge({ url: bellows.forge.url });
    try {
      const { type } = talkTo(() => bellows, 20_000);
      const say = (line: string) => type('ada', line, 'general');
      const ada = bellows.slack.as('ada');
      await ada.command('general', '/forge', 'signin other');
      await ada.fill({ login: 'ada', token: bellows.forge.account('ada').token() });
      await ada.submit();
      await bellows.slack.until(() => ada.sees('general').find(({ text }) => text.includes('linked as')), 20_000);
      const able = await forge.capabilities.has('workflows.dispatch');
      const answer = await say('deploy staging');
      expect(bellows.forge.requests.of(dispatches), answer.text).toHaveLength(able ? 1 : 0);
      if (!able) expect(words(answer)).toMatch(/Gitea|Forgejo/);
      expect((await say('deploy freeze staging 1h')).text).toContain('Froze staging');
      expect(words(await say('deploy status'))).toContain('frozen');
      expect((await say('deploy unfreeze staging')).text).toContain('Unfroze staging');
      expect((await say('deploy history')).text).toMatch(able ? /Deployments/ : /No deployments/);
      expect(bellows.slack.failures.all).toEqual([]);
    } finally {
      await forge.close();
      await bellows.close();
    }
  });
});
