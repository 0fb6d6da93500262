import { z } from 'zod';
import type { SandboxForge } from './forge/index.js';
import { isLinked } from './linked.js';
import type { TourOffer, TourStep } from './page/wire.js';
import type { QueuePulls } from './queue-pulls.js';
import { opsChannel } from './seed.js';
import type { SandboxSlack } from './slack/index.js';

export interface Tour {
  /** Checks again; a finished step stays finished. */
  steps(): readonly TourStep[];
}

interface Facts {
  readonly slack: SandboxSlack;
  readonly forge: SandboxForge;
  readonly slash: string;
  readonly queuePulls: Pick<QueuePulls, 'names' | 'isOver'>;
}

type Plan = Omit<TourStep, 'done'> & { happened(): boolean };

const ok = (status: number) => status >= 200 && status < 300;

function plan({ slack, forge, slash, queuePulls }: Facts): readonly Plan[] {
  const sent = (method: string, path: RegExp, body: RegExp = /^/) =>
    forge.requests.all
      .filter((served) => served.method === method && path.test(served.path) && ok(served.status))
      .some((served) => body.test(JSON.stringify(served.body)));
  const offer = (label: string, as: string, channel: string, type?: string): TourOffer => ({
    label,
    as,
    channel,
    ...(type === undefined ? {} : { type }),
  });
  const stuck = [...forge.world.state.runs.values()].find((run) => run.stuck);
  const stuckAt = `${forge.world.state.site.url}/acme/engine/actions/runs/${stuck?.id ?? 1}`;
  const closed = () => forge.world.issue('acme/engine', 6)?.state === 'closed';
  return [
    {
      id: 'link',
      title: 'Link your account',
      text: 'Bellows acts as you. Sign in with the sandbox forge in a new tab, then confirm in your direct messages with the number it shows.',
      offers: [offer(`${slash} signin`, 'ada', 'general', `${slash} signin`)],
      happened: () => isLinked(slack, slack.as('ada').id),
    },
    {
      id: 'close',
      title: 'Close an issue',
      text: 'Type a whole command and it runs at once. Leave something out, and a form asks for it. The answer offers Undo.',
      offers: [offer(`${slash} issue close`, 'ada', 'engine', `${slash} issue close acme/engine#6`)],
      happened: () => closed() || sent('PATCH', /^\/repos\/[^/]+\/[^/]+\/issues\/\d+$/, /"state":"closed"/),
    },
    {
      id: 'review',
      title: 'Request a review',
      text: 'Mention people as you do in Slack: Bellows knows their login on the forge.',
      offers: [offer(`${slash} pr review`, 'ada', 'engine', `${slash} pr review acme/engine#5 @margaret`)],
      happened: () => sent('POST', /\/pulls\/\d+\/requested_reviewers$/),
    },
    {
      id: 'cancel',
      title: 'Force-cancel, with approval',
      text: 'A run is stuck. Force-canceling is risky, so it needs a second person’s approval in #ops: switch to Grace and approve it.',
      offers: [
        // its address: once there are more runs, its number is another one's id
        offer(`${slash} run force-cancel`, 'ada', 'engine', `${slash} run force-cancel ${stuckAt}`),
        offer('Switch to Grace in #ops', 'grace', 'ops'),
      ],
      happened: () => sent('POST', /\/actions\/runs\/\d+\/force-cancel$/),
    },
    {
      id: 'watch',
      title: 'Watch the channel',
      text: 'Subscribe #engine to acme/engine, then make something happen with the Forge panel.',
      offers: [
        offer(
          `${slash} subscribe`,
          'ada',
          'engine',
          `${slash} subscribe acme/engine issues pulls reviews comments commits runs`,
        ),
        { ...offer('Open the Forge panel', 'ada', 'engine'), panel: 'forge' },
      ],
      happened: () => postedEvent(slack),
    },
    {
      id: 'queue',
      title: 'Merge in turn',
      text: 'Two changes pass their checks alone and break together. The queue merges the first, tests the second on top of it, and tells you in a direct message why that one stays out.',
      offers: queuePulls.names.map((name) =>
        offer(`${slash} queue ${name}`, 'ada', 'engine', `${slash} queue ${name}`),
      ),
      happened: () => queuePulls.isOver(),
    },
    {
      id: 'deploy',
      title: 'Deploy, with a second person',
      text: 'The card in #ops shows what would go out. Grace approves exactly that commit, and the card follows the run.',
      offers: [
        offer(`${slash} deploy production`, 'ada', 'engine', `${slash} deploy production`),
        offer('Switch to Grace in #ops', 'grace', 'ops'),
      ],
      happened: () => followedApproved(slack),
    },
  ];
}

const Posted = z.object({
  event_payload: z.object({ id: z.string().regex(/^(?:(?:opened|comment|action):|(?:repo|runs|items)-\d+:)/) }),
});

/** Activity of the forge in #engine: who subscribed or what was deployed is not. */
const postedEvent = (slack: SandboxSlack): boolean =>
  slack.state.messages('engine').some(({ byBot, metadata }) => byBot && Posted.safeParse(metadata).success);

/** An approved deployment whose card shows how its run ended; without approval there is no such card. */
function followedApproved(slack: SandboxSlack): boolean {
  return slack.state
    .messages(opsChannel)
    .filter(({ byBot }) => byBot)
    .map(({ blocks }) => JSON.stringify(blocks))
    .some((card) => card.includes('Approved by') && /Deployed|Deployment (failed|canceled)/.test(card));
}

/** Seven steps, each checked off once its task was done. */
export function createTour(facts: Facts): Tour {
  const done = new Set<string>();
  const planned = plan(facts);
  return {
    steps: () =>
      planned.map(({ happened, ...step }) => {
        if (!done.has(step.id) && happened()) done.add(step.id);
        return { ...step, done: done.has(step.id) };
      }),
  };
}
