import { type Sandbox, startSandbox } from '@bellows/sandbox';
import { createActivity } from '@bellows/sandbox/page/activity.js';
import { piecesFor } from '@bellows/sandbox/page/pieces.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';

describe('the people in the sidebar', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, log: createLog({ level: 'silent' }) });
  });
  afterAll(() => sandbox.stop());

  const about = () => {
    const { slack, forge, tour } = sandbox;
    const activity = createActivity(forge, Date.now);
    const scene = { slack, forge, tour, activity, slash: '/forge', shortcuts: [], redis: '' };
    const team = piecesFor(scene, slack.as('ada').id).find((each) => each.piece === 'team');
    return Object.fromEntries(team?.value.people.map((each) => [each.name, each.about]) ?? []);
  };
  const says = (who: string) => sandbox.slack.until(() => about()[who]?.endsWith(', linked'));
  const linkedByToken = async (who: string, where: string) => {
    const actor = sandbox.slack.as(who);
    await actor.command(where === 'dm' ? actor.dm : where, '/forge', 'signin other');
    await actor.fill({ token: sandbox.forge.account(who).token() });
    await actor.submit();
  };

  it('are linked once they linked their account, wherever they did', async () => {
    expect(about()).toEqual({
      ada: 'admin',
      grace: 'maintainer, linked',
      margaret: 'maintainer, linked',
      linus: 'guest',
    });
    await linkedByToken('ada', 'general');
    await says('ada');
    expect(about()).toMatchObject({ ada: 'admin, linked', linus: 'guest' });
    await linkedByToken('linus', 'dm');
    await says('linus');
  });

  it('are not linked any more after they signed out, until they link again', async () => {
    await sandbox.slack.as('grace').command('engine', '/forge', 'signout');
    await sandbox.slack.until(() => about()['grace'] === 'maintainer');
    await linkedByToken('grace', 'engine');
    await says('grace');
  });
});
