import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OperationName, describe as operation } from '../../src/forge/index.js';
import { talkTo, words } from '../commands/talk.js';
import { beyond, lines } from '../contract/command-lines.js';
import { fresh, freshIssue, freshRepo, sshKey } from '../contract/forge/things.js';
import { type Bellows, startBellows } from '../support/bellows.js';
import { type Heard, overhear } from '../support/overhearing.js';
import { tokenOf } from './support/accounts.js';
import { type LiveForge, nameOf, startLive } from './support/server.js';

const live = await startLive();
const policy = 'roles:\n  admin:\n    users: [U0ADA00001, U0GRACE001]\napprovals:\n  risky:\n    count: 0\n';

function heardOn(heard: readonly Heard[], route: string): readonly Heard[] {
  const [wanted = '', template = ''] = route.split(' ');
  const pattern = new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`);
  return heard.filter(({ method, path }) => method === wanted && pattern.test(path));
}

describe.skipIf(!live)(`every operation by its command on ${nameOf(live)}`, () => {
  let bellows: Bellows;
  let proxy: Awaited<ReturnType<typeof overhear>>;
  /** The typed line, for names only known when the server runs. */
  const typed = new Map<string, string>();
  const { type } = talkTo(() => bellows);
  const server = (): LiveForge => {
    if (!live) throw new Error('there is no server');
    return live;
  };
  const tally = { ran: 0, absent: [] as string[] };

  beforeAll(async () => {
    const { people, ground, org } = server();
    const at = await freshRepo(server());
    const [one, two] = [await freshIssue(server(), at), await freshIssue(server(), at)];
    const pull = await ground.openPull(at, 'alice', fresh('Pull'));
    const runner = await ground.runner(fresh('label'));
    const gone = await ground.runner(fresh('label'));
    if (await server().has('runs.list')) await ground.queueRun(at, fresh('label'));
    /** Failed runs, one for each way to rerun. */
    const red = async () => {
      if (!(await server().has('runs.rerun'))) return 1;
      const label = fresh('label');
      const builder = await ground.runner(label);
      const run = await ground.queueRun(at, label);
      await builder.take();
      await builder.write('Error: no');
      await builder.finish('failure');
      return run;
    };
    const byHand = 'on: workflow_dispatch\njobs:\n  go:\n    runs-on: nobody\n    steps:\n      - run: echo hi\n';
    for (const file of ['ci.yml', 'deploy.yml']) await ground.workflow(at, file, byHand);
    const packaged = fresh('package');
    await ground.package(org, packaged, '0.9');
    await ground.watch(at, 'alice');
    await people.bob.api.issues.comment({ ...one, body: { body: 'On which paper?' } });
    const key = sshKey();
    const own = sshKey();
    const changes: Partial<Record<OperationName, string>> = {
      'admin.getRunner': `runner show ${runner.id}`,
      'admin.editRunner': `runner disable ${runner.id}`,
      'admin.deleteRunner': `runner remove ${gone.id}`,
      'admin.searchEmails': `admin emails ${people.bob.login}`,
      'repos.createInOrg': `repo create ${org}/${fresh('loom')} --private`,
      'repos.migrate': `repo migrate ${server().url}/${org}/${at.repo}.git ${org}/${fresh('old')}`,
      'keys.addDeploy': `key add ${org}/${at.repo} "build server" ${key}`,
      'keys.addMine': `key add-mine laptop ${own}`,
      'pulls.requestReviewers': `pr review ${org}/${at.repo}#${pull} ${people.bob.login}`,
      'admin.createHook': `hook create https://${fresh('ci')}.example.org/hook --events push`,
      'runs.rerun': `run rerun ${org}/${at.repo}#${await red()}`,
      'runs.rerunFailed': `run rerun ${org}/${at.repo}#${await red()} --failed`,
      'runs.jobLog': `run log ${org}/${at.repo}#${await red()}`,
      'runs.rerunJob': `run rerun ${org}/${at.repo}#${await red()} --job build`,
      'activity.userFeed': `feed user ${people.alice.login}`,
      'packages.get': `package show ${org}/generic/${packaged}/0.9`,
      'notifications.markThread': `inbox mark ${org}/${at.repo}#${one.index} read`,
    };
    for (const [name, line] of Object.entries({ ...lines, ...beyond, ...changes })) {
      const placed = line
        .replaceAll('acme/engine#2', `${org}/${at.repo}#${one.index}`)
        .replaceAll('acme/engine#7', `${org}/${at.repo}#${two.index}`)
        .replaceAll('acme/engine#8', `${org}/${at.repo}#${pull}`)
        .replaceAll('acme/engine', `${org}/${at.repo}`);
      typed.set(name, placed);
    }
    proxy = await overhear(server().url);
    bellows = await startBellows({ policy, real: { url: proxy.url, token: await tokenOf(people.root) } });
    await bellows.link('ada', people.root.login, await tokenOf(people.root));
    await bellows.link('grace', people.alice.login, await tokenOf(people.alice));
  }, 180_000);
  afterAll(async () => {
    console.log(
      `by command on ${nameOf(live)}: run ${tally.ran}, absent ${tally.absent.length} (${tally.absent.join(', ')})`,
    );
    await bellows?.close();
    await proxy?.close();
    await live?.close();
  });
  beforeEach(() => {
    proxy.heard.length = 0;
  });

  // Each name is a key of the table that the lines satisfy.
  const names = Object.keys({ ...lines, ...beyond }) as OperationName[];

  it.each(names)('%s', async (name) => {
    const who = name.startsWith('admin.') ? 'ada' : 'grace';
    const answer = await type(who, typed.get(name) ?? '');
    const { route, forgejo } = operation(name);
    const arrived = [route, ...(forgejo?.routes ?? [])].flatMap((each) => heardOn(proxy.heard, each));
    if (!(await server().has(name))) {
      tally.absent.push(name);
      expect(arrived).toEqual([]);
      expect(words(answer)).toMatch(/Gitea|Forgejo/);
      return;
    }
    tally.ran += 1;
    expect(arrived.map(({ status }) => status).filter((status) => status < 300).length, words(answer)).toBeGreaterThan(
      0,
    );
    expect(answer.text).not.toMatch(/^⚠️/);
    expect(bellows.slack.failures.all).toEqual([]);
  });
});
