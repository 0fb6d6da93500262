import type { Button } from '@slack/types';
import { WebClient } from '@slack/web-api';
import { vi } from 'vitest';
import type { CommandJob } from '../../src/chat/act-job.js';
import type { AnyCommand } from '../../src/chat/command.js';
import { withRepoIds } from '../../src/chat/repo-ids.js';
import { createQueue } from '../../src/jobs/queues.js';
import { openJob } from '../../src/jobs/sealed-job.js';
import { close, connect, createSeal, createStore } from '../../src/store/index.js';
import { button } from '../../src/view/elements.js';
import { words } from '../commands/talk.js';
import type { Bellows } from '../support/bellows.js';
import { testKeys } from '../support/redis.js';

/** What a door leads to: accepted work, a form, or an answer. */
export type Reached =
  | { readonly kind: 'job'; readonly job: CommandJob }
  | { readonly kind: 'form'; readonly text: string }
  | { readonly kind: 'words'; readonly text: string };

const patienceMs = 60_000;
const queued = ['wait', 'delayed', 'prioritized', 'active'] as const;

/** Uses the doors of a bot without a worker: what it accepts is taken from the queue and inspected. */
export function doorWalk(bellows: Bellows) {
  const { slack } = bellows;
  const store = createStore({ redis: connect(bellows.redisUrl), forgeId: 'main', seal: createSeal(testKeys) });
  const queue = createQueue('act', { connection: store.redis, forgeId: 'main' });
  const bot = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  const channel = slack.state.channel('engine').id;

  /** Everything queued, removed from the queue and from its person's turns. */
  async function taken(): Promise<CommandJob[]> {
    const jobs = await queue.getJobs([...queued]);
    return Promise.all(
      jobs.map(async (each) => {
        const id = each.id ?? '';
        const read = openJob(store, each.data, id, Date.now());
        if (!('job' in read) || read.job.kind !== 'command') throw new Error(`no command: ${JSON.stringify(read)}`);
        await each.remove();
        await store.turns.leave({ person: read.job.person, id });
        return read.job;
      }),
    );
  }

  /** The only result of it. */
  async function reached(user: string, where: string, act: () => Promise<unknown>): Promise<Reached> {
    const actor = slack.as(user);
    const before = new Set(actor.sees(where).map(({ ts }) => ts));
    await act();
    return vi.waitUntil<Reached | undefined>(
      async () => {
        const [job, ...more] = await taken();
        if (more.length > 0) throw new Error('one door was walked through and several commands came in');
        if (job) return { kind: 'job', job };
        const view = actor.openView();
        if (view && !words(view).includes('⏳')) return { kind: 'form', text: words(view) };
        const said = actor.sees(where).find(({ ts, user: by }) => !before.has(ts) && by === slack.botUserId);
        return said && { kind: 'words', text: `${said.text} ${words(said)}` };
      },
      { timeout: patienceMs, interval: 10 },
    ) as Promise<Reached>;
  }

  /** A message with this button, as Bellows posts them. */
  async function click(user: string, action: 'run' | 'form', command: AnyCommand, args: object): Promise<Reached> {
    const ids = new Map(['acme/engine', 'acme/website'].map((name) => [name, bellows.forge.world.repo(name)?.id]));
    const a = withRepoIds({ ...args }, ({ owner, repo }) => ids.get(`${owner}/${repo}`) ?? 1);
    const drawn: Button = button({ text: 'Go', action, value: { c: command.name, a } });
    const { ts } = await bot.chat.postMessage({
      channel,
      text: 'Go',
      blocks: [{ type: 'actions', elements: [drawn] }],
    });
    const shown = slack
      .as(user)
      .sees('engine')
      .find((each) => each.ts === ts);
    if (!shown) throw new Error('the button is there');
    return reached(user, 'engine', () => slack.as(user).click(shown, 'Go'));
  }

  return {
    store,
    taken,
    reached,
    click,
    async end() {
      await queue.close();
      await close(store.redis);
    },
  };
}
