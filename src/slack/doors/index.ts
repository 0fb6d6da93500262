import type { ActJob } from '../../chat/act-job.js';
import { actionNames } from '../../chat/actions.js';
import type { Message } from '../../view/message.js';
import type { Doors } from '../app.js';
import type { DoorDeps } from '../door-deps.js';
import type { BlockActions, Shortcut } from '../payloads.js';
import { homeOf, onAction } from './action.js';
import { onCommand } from './command.js';
import { createEvents, type EventHandlers } from './event.js';
import { createOptions } from './options.js';
import { onShortcut } from './shortcut.js';
import { onSubmission } from './submission.js';

export interface DoorOptions {
  readonly deps: DoorDeps;
  readonly events: EventHandlers;
  /** Says something to the person at once, outside the queue. */
  say(to: Pick<ActJob, 'person' | 'channel' | 'answer'>, message: Message): Promise<void>;
}

export function createDoors({ deps, events, say }: DoorOptions): Doors {
  const back = (payload: BlockActions | Shortcut) => ({
    person: { team: deps.team, user: payload.user.id },
    ...(payload.channel ? { channel: payload.channel.id } : {}),
    answer: {
      ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
      ...('view' in payload ? homeOf(payload) : {}),
      // The next topic takes the place of the one before.
      ...('actions' in payload && payload.actions[0]?.action_id === actionNames.topic ? { replace: true } : {}),
    },
  });
  // The acknowledgement does not wait for words: they need Slack, and on a Home also Redis.
  const sayLater = (payload: BlockActions | Shortcut, message: Message | undefined) => {
    if (!message) return;
    say(back(payload), message).catch((error: unknown) => {
      deps.services.log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'an answer was not given');
    });
  };
  return {
    command: (payload) => onCommand(deps, payload),
    async action(payload) {
      sayLater(payload, await onAction(deps, payload));
    },
    submission: (payload) => onSubmission(deps, payload),
    options: createOptions(deps),
    async shortcut(payload) {
      sayLater(payload, await onShortcut(deps, payload));
    },
    event: createEvents(deps, events),
  };
}
