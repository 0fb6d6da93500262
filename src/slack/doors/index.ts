import type { ActJob } from '../../chat/act-job.js';
import type { Message } from '../../view/message.js';
import type { Doors } from '../app.js';
import type { Hall } from '../hall.js';
import type { BlockActions, Shortcut } from '../payloads.js';
import { homeOf, onAction } from './action.js';
import { onCommand } from './command.js';
import { createEvents, type EventHandlers } from './event.js';
import { createOptions } from './options.js';
import { onShortcut } from './shortcut.js';
import { onSubmission } from './submission.js';

export interface DoorOptions {
  readonly hall: Hall;
  readonly events: EventHandlers;
  /** Says something to the person at once, outside the queue. */
  say(to: Pick<ActJob, 'person' | 'channel' | 'answer'>, message: Message): Promise<void>;
}

export function createDoors({ hall, events, say }: DoorOptions): Doors {
  const back = (payload: BlockActions | Shortcut) => ({
    person: { team: hall.team, user: payload.user.id },
    ...(payload.channel ? { channel: payload.channel.id } : {}),
    answer: {
      ...(payload.response_url ? { responseUrl: payload.response_url } : {}),
      ...('view' in payload ? homeOf(payload) : {}),
    },
  });
  return {
    command: (payload) => onCommand(hall, payload),
    async action(payload) {
      const said = await onAction(hall, payload);
      if (said) await say(back(payload), said);
    },
    submission: (payload) => onSubmission(hall, payload),
    options: createOptions(hall),
    async shortcut(payload) {
      const said = await onShortcut(hall, payload);
      if (said) await say(back(payload), said);
    },
    event: createEvents(hall, events),
  };
}
