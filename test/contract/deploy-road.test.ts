import { describe, expect, it } from 'vitest';
import { createForge } from '../../src/forge/index.js';
import { talkTo, words } from '../commands/talk.js';
import { startBellows } from '../support/bellows.js';
import { onServers } from '../support/servers.js';

const policy = `
roles: { admin: { users: [U0ADA00001] } }
deployments:
  staging: { repository: acme/engine, workflow: deploy.yml, refs: ['**'], count: 0, channel: C0ENGINE01 }
  live:
    { repository: acme/engine, workflow: deploy.yml, refs: ['**'], inputs: { version: live }, count: 0, channel: C0ENGINE01 }
  ship:
    repository: acme/engine
    workflow: ship.yml
    refs: [main]
    inputs: { environment: production }
    ungated: [{ environment: staging }]
`;
const dispatches = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
const flavors = onServers(
  ['gitea-1.28', 'gitea-1.26', 'forgejo-11', 'forgejo-15', 'forgejo-16'],
  ['gitea-1.28', 'forgejo-11'],
);

const fileFor = (environment: string) => `on:
  workflow_dispatch:
    inputs:
      environment: { default: ${environment} }
      loud: { type: boolean, default: false }
      note: { default: none }
jobs:
  ship: { runs-on: ubuntu-latest, steps: [{ run: make }] }
`;

describe.each(flavors)('deploying on %s', (flavor) => {
  const start = () => startBellows({ mode: 'http', policy, forge: { flavor }, tempo: { followMs: 100 } });

  it('is gated by what the server will run', async () => {
    const bellows = await start();
    const { world, requests } = bellows.forge;
    try {
      const { type } = talkTo(() => bellows);
      const say = async (line: string) => (await type('ada', `workflow run acme/engine ${line}`, 'general')).text;
      const write = (environment: string) => {
        const content = Buffer.from(fileFor(environment)).toString('base64');
        const path = `${bellows.forge.url}/api/v1/repos/acme/engine/contents/.gitea/workflows/ship.yml`;
        const authorization = `token ${bellows.forge.account('ada').token()}`;
        const headers = { authorization, 'content-type': 'application/json' };
        return fetch(path, { method: 'POST', headers, body: JSON.stringify({ content, branch: 'main' }) });
      };
      const refused = 'ship.yml deploys to ship';
      await bellows.link('ada');
      await write('staging');
      world.tag({ as: 'ada', repo: 'acme/engine', tag: 'main' });
      await write('production');
      // the tag's file says staging, and the server runs the branch
      expect(await say('ship.yml')).toContain(refused);
      expect(await say('ship.yml --input environment=')).toContain(refused);
      expect(await say('ship.yml --input environment=Staging')).toContain(refused);
      expect(requests.of(dispatches)).toEqual([]);
      expect(await say('ship.yml --input environment=staging --input loud=true')).toContain('Started');
      const inputs = () => [...world.state.runs.values()].at(-1)?.inputs;
      expect(inputs()).toEqual({ environment: 'staging', loud: 'true', note: 'none' });
      const cleared = await say('ship.yml --input environment=staging --input loud=false --input note=');
      // sent, Forgejo would run the default
      if (flavor.startsWith('forgejo'))
        expect(cleared).toContain('note can’t be empty: Forgejo would use its default instead.');
      else expect(inputs()).toEqual({ environment: 'staging', loud: 'false', note: '' });
      requests.clear();
      world.plantFile({ repo: 'acme/engine', path: '.forgejo/workflows/ship.yml', text: fileFor('staging') });
      expect(await say('ship.yml')).toContain(refused);
      // Forgejo looks nowhere else once it has a folder of its own
      const none = 'has no workflow `ci.yml`';
      expect(await say('ci.yml')).toContain(flavor.startsWith('forgejo') ? none : 'Started');
      expect(requests.of(dispatches)).toHaveLength(flavor.startsWith('forgejo') ? 0 : 1);
      expect(bellows.slack.failures.all).toEqual([]);
    } finally {
      await bellows.close();
    }
  });

  it('runs if the server can start a workflow, and is canceled on another commit where it can cancel', async () => {
    const bellows = await start();
    const forge = createForge({ url: bellows.forge.url });
    try {
      const { type } = talkTo(() => bellows);
      const say = (line: string) => type('ada', line, 'general');
      const ada = bellows.slack.as('ada');
      await ada.command('general', '/forge', 'signin other');
      await ada.fill({ login: 'ada', token: bellows.forge.account('ada').token() });
      await ada.submit();
      await bellows.slack.until(() => ada.sees('general').find(({ text }) => text.includes('linked as')));
      const able = await forge.capabilities.has('workflows.dispatch');
      const { world, faults, requests } = bellows.forge;
      const answer = await say('deploy staging');
      expect(bellows.forge.requests.of(dispatches), answer.text).toHaveLength(able ? 1 : 0);
      if (able) {
        // Forgejo reports the deployment as a check of its own commit
        world.finishRun({ run: [...world.state.runs.keys()].at(-1) ?? 0, conclusion: 'failure' });
        const over = /Deployment failed|Outcome unknown/;
        await bellows.slack.until(() => ada.sees('engine').find((shown) => over.test(words(shown))));
        expect(words(await say('deploy staging --dry-run'))).toMatch(/none reported|✅ passed/);
      }
      if (!able) expect(words(answer)).toMatch(/Gitea|Forgejo/);
      expect((await say('deploy freeze staging 1h')).text).toContain('Froze staging');
      expect(words(await say('deploy status'))).toContain('frozen');
      expect((await say('deploy unfreeze staging')).text).toContain('Unfroze staging');
      expect((await say('deploy history')).text).toMatch(able ? /Deployments/ : /No deployments/);
      expect(bellows.slack.failures.all).toEqual([]);
      if (!able) return;
      requests.clear();
      const before = world.state.runs.size;
      faults.add({ on: dispatches, trouble: { delay: 500 } });
      const sending = requests.next(/^POST .*\/dispatches$/);
      await ada.command('general', '/forge', 'deploy live');
      await sending;
      const [commit] = world.push({ as: 'ada', repo: 'acme/engine', branch: 'main', commits: ['Too late'] });
      const isLive = (text: string) => /\blive\b/.test(text);
      const says = (part: string) =>
        bellows.slack.until(() =>
          ada
            .sees('engine')
            .map(words)
            .find((text) => isLive(text) && text.includes(part)),
        );
      const canceled = flavor === 'gitea-1.28' || flavor === 'forgejo-16';
      const isBlind = flavor === 'forgejo-11';
      const card = await says(
        isBlind
          ? 'Outcome unknown'
          : canceled
            ? 'Deployment canceled'
            : 'Bellows can’t cancel runs on this server. Cancel it',
      );
      if (!isBlind) expect(card).toContain(commit?.sha.slice(0, 10));
      expect(world.state.runs.size).toBe(before + 1);
      const stops = requests.all.filter(({ path }) => path.endsWith('cancel'));
      expect(stops.map(({ path }) => path.replace(/.*\//, ''))).toEqual(canceled ? ['cancel'] : []);
      if (!canceled && !isBlind) {
        expect((await say('deploy live')).text).toContain('right now');
        world.finishRun({ run: [...world.state.runs.keys()].at(-1) ?? 0, conclusion: 'failure' });
        await says('Deployment failed');
      }
      // free again
      expect(words(await say('deploy live'))).toMatch(/Deploying/);
      expect(bellows.slack.failures.all).toEqual([]);
    } finally {
      await forge.close();
      await bellows.close();
    }
  });
});
