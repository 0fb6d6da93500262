import { afterEach, describe, expect, it } from 'vitest';
import { readPolicyFile } from '../../src/config/file.js';
import { createRemindJobs } from '../../src/jobs/remind.js';
import { createLog } from '../../src/log.js';
import { type Connection, close, connect } from '../../src/store/index.js';
import { usualTempo } from '../../src/worker/tempo.js';
import { useFeed } from './feed-services.js';

const engine = 'C0ENGINE01';
const repo = 'acme/engine';
const ada = 'U0ADA00001';
const processes = 5;

describe('what keeps stopping its worker', () => {
  const services = useFeed();
  const place = () => ({ team: services.slack.teamId, channel: engine });
  /** Its process died, and its lease expired. */
  const free = async (key: string) => expect(await services.store.redis.del(key)).toBe(1);
  let connection: Connection | undefined;
  afterEach(async () => {
    if (connection) await close(connection);
    connection = undefined;
  });

  it('is one message, and leaves its channel alone', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    for (const title of ['Poison', 'Second', 'Third']) {
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'grace', repo, title });
    }
    await services.poll();
    services.pass(1_000);
    await services.poll();
    const poison = ({ text }: { text?: unknown }) => String(text).includes('Poison');
    services.slack.faults.next('chat.postMessage', { kind: 'silence' }, processes, poison);
    for (let process = 0; process < processes; process += 1) {
      const before = services.slack.calls.of('chat.postMessage').length;
      void services
        .another()
        .steps.deliver(place())
        .catch(() => {});
      await expect.poll(() => services.slack.calls.of('chat.postMessage').length).toBe(before + 1);
      await free(`bellows:{f0:channel:${place().team}:${engine}}:lease`);
    }
    const next = services.another();
    for (let turn = 0; turn < 20 && (await services.store.outbox.view(place())).size > 0; turn += 1)
      services.pass((await next.steps.deliver(place())) ?? 0);
    expect(services.shown(engine).map((text) => text.replace(/^.*#\d+ /, ''))).toEqual(['Second', 'Third']);
    expect(await services.store.outbox.asideIn(place())).toMatchObject([{ code: 'stopped_the_worker' }]);
    expect((await services.store.outbox.view(place())).pause).toBeUndefined();
    // it had nothing to do with it after all
    services.pass(2 * 60_000);
    await next.steps.deliver(place());
    expect(services.shown(engine).at(-1)).toContain('Poison');
    expect(await services.store.outbox.asideIn(place())).toEqual([]);
  });

  it('is no message if each worker died on another one', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const titles = Array.from({ length: processes + 2 }, (_, at) => `Issue ${at}.`);
    for (const title of titles) {
      services.pass(1_000);
      services.forge.world.openIssue({ as: 'grace', repo, title });
    }
    await services.poll();
    services.pass(1_000);
    await services.poll();
    const deaths = `bellows:{f0:channel:${place().team}:${engine}}:deaths`;
    for (const title of titles.slice(0, processes)) {
      const of = ({ text }: { text?: unknown }) => String(text).includes(title);
      services.slack.faults.next('chat.postMessage', { kind: 'silence' }, 1, of);
      const before = services.slack.calls.of('chat.postMessage').length;
      void services
        .another()
        .steps.deliver(place())
        .catch(() => {});
      await expect
        .poll(() =>
          services.slack.calls
            .of('chat.postMessage')
            .slice(before)
            .some(({ args }) => of(args)),
        )
        .toBe(true);
      await free(`bellows:{f0:channel:${place().team}:${engine}}:lease`);
    }
    expect(Number(await services.store.redis.get(deaths))).toBeLessThan(processes);
    const next = services.another();
    for (let turn = 0; turn < 20 && (await services.store.outbox.view(place())).size > 0; turn += 1)
      services.pass((await next.steps.deliver(place())) ?? 0);
    expect(await services.store.outbox.asideIn(place())).toEqual([]);
    expect(services.shown(engine).map((text) => text.replace(/^.*#\d+ /, ''))).toEqual(titles);
  });

  it('is a source: it waits half an hour, and status names it', async () => {
    await services.subscribe(engine, repo, 'issues');
    await services.round();
    const { id } = services.forge.world.repo(repo);
    const source = `repo-${id}`;
    services.forge.faults.add({
      on: 'GET /repos/{owner}/{repo}/activities/feeds',
      times: processes,
      trouble: { delay: 60_000 },
    });
    const due = async () => {
      await services.store.sources.wake(source);
      const [one] = (await services.store.sources.claimDue(10, 60_000)).filter((each) => each.source === source);
      if (!one) throw new Error('not due');
      return one;
    };
    for (let process = 0; process < processes; process += 1) {
      void services
        .another()
        .steps.poll(await due())
        .catch(() => {});
      await expect
        .poll(() => services.store.redis.get(`bellows:{f0:source:${source}}:deaths`))
        .toBe(String(process + 1));
      await free(`bellows:{f0:source:${source}}:lease`);
      // so long another worker leaves it to the one that claimed it
      services.pass(60_000);
    }
    const next = services.another();
    expect(await next.steps.poll(await due())).toBeGreaterThan(25 * 60_000);
    expect((await services.store.sources.get(source))?.error).toContain('stopped the worker');
    services.pass(30 * 60_000);
    await next.steps.poll(await due());
    expect((await services.store.sources.get(source))?.error).toBeUndefined();
  });

  it('is a reminder: it is skipped, and its owner is notified', async () => {
    const reminder = {
      ...place(),
      id: 'r1',
      owner: ada,
      personal: false,
      repositories: [],
      days: ['daily'],
      time: '09:00',
      zone: 'Etc/UTC',
      labels: [],
      without: [],
      drafts: false,
    };
    await services.store.reminders.put(reminder);
    connection = connect(services.url);
    let asked = 0;
    const jobs = createRemindJobs({
      connection,
      store: services.store,
      service: services.service,
      as: async () => {
        asked += 1;
        return undefined;
      },
      people: { slackUserOf: async () => undefined },
      policy: readPolicyFile('', 'bellows.yaml'),
      log: createLog({ level: 'silent' }),
      now: services.now,
    });
    await jobs.queue.add('remind', { id: 'r1', at: services.now() }, { jobId: 'r1-1' });
    // as its third worker left it behind, and another one found it once
    const queue = '{bellows:f0:remind}:remind';
    await services.store.redis.lmove(`${queue}:wait`, `${queue}:active`, 'LEFT', 'RIGHT');
    await services.store.redis.hset(`${queue}:r1-1`, 'stc', 2);
    await services.store.redis.sadd(`${queue}:stalled`, 'r1-1');
    const started = await jobs.start(usualTempo.remindMs);
    await expect.poll(async () => (await services.store.outbox.view(place())).size).toBe(1);
    await started.stop();
    await services.deliver();
    expect(services.shown(engine)).toEqual([expect.stringContaining('failed several times and was skipped')]);
    expect(asked).toBe(0);
  });
});
