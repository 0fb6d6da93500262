import { startSandbox } from '@bellows/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/log.js';
import { clientOver, overHttp } from './agent.js';

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, log: createLog({ level: 'silent' }) });
});
afterAll(() => sandbox.stop());

it('can be tried with an agent in the sandbox', async () => {
  const grace = sandbox.slack.as('grace');
  await grace.command('engine', '/forge', 'agents add Visitor --may "issue *"');
  const shown = await sandbox.slack.until(() =>
    grace.sees('engine').find((each) => JSON.stringify(each.blocks).includes('bwa_')),
  );
  const [token = ''] = /bwa_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/.exec(JSON.stringify(shown.blocks)) ?? [];
  const agent = await clientOver(overHttp(sandbox.address, token));
  expect(await agent.call('issue_show', { issue: 'acme/engine#2' })).toMatchObject({ status: 'done' });
  await agent.close();
});
