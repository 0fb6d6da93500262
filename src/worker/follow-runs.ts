import type { Catalog } from '../chat/command.js';
import { fitted } from '../chat/fitted.js';
import type { Services } from '../chat/session.js';
import { runBlocks } from '../domain/runs/card.js';
import { isDone } from '../domain/runs/read.js';
import { noticePlace } from '../feed/lanes.js';
import { isAbsent } from '../forge/possible.js';
import type { WorkflowRun } from '../forge/schemas/run.js';
import type { Follow } from '../store/index.js';
import { message, withBlocks } from '../view/message.js';
import type { AsPerson } from './as-person.js';
import { nextLookMs } from './tempo.js';

const holdMs = 30_000;
const longestMs = 24 * 3_600_000;

const stateOf = ({ status, conclusion, run_attempt }: WorkflowRun) => `${run_attempt}-${status}-${conclusion ?? ''}`;

/** Shows a run's progress to the person who started it: one direct message, updated until the run ends. */
export function createFollowRuns(services: Services, catalog: Catalog, as: AsPerson, everyMs: number) {
  const { store, slack, log } = services;

  async function show(id: string, { person, owner, repo }: Follow, run: WorkflowRun): Promise<void> {
    const card = `follow-${id}`;
    const drawn = message({ blocks: runBlocks(run, { owner, repo }, { now: services.now() }) });
    const fit = withBlocks(drawn, await fitted(drawn.blocks, catalog, services.forge));
    const place = noticePlace({ team: person.team, channel: await slack.directMessage(person.user) });
    await store.outbox.append(place, [
      // a state that was there before is a change too
      { id: `${card}:${services.now().getTime()}`, card, body: { type: 'message', card, message: fit } },
    ]);
  }

  async function look(id: string, follow: Follow): Promise<void> {
    const lasted = services.now().getTime() - follow.since;
    const api = await as(follow.person);
    if (!api || lasted > longestMs) return store.follows.drop(id);
    const { owner, repo } = follow;
    const run = await api.runs.get({ owner, repo, run: follow.run });
    const state = stateOf(run);
    if (state !== follow.shown) await show(id, follow, run);
    if (isDone(run)) return store.follows.drop(id);
    return store.follows.put(id, { ...follow, shown: state }, nextLookMs(lasted, everyMs));
  }

  return async (): Promise<void> => {
    const due = await store.follows.due(holdMs);
    await Promise.all(
      due.map(async ({ id, value: follow }) => {
        try {
          await look(id, follow);
        } catch (error) {
          if (isAbsent(error)) await store.follows.drop(id);
          else log.warn({ id, reason: String(error) }, 'a run could not be followed for now');
        }
      }),
    );
  };
}
