import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { actionNames, Invocation } from '../chat/actions.js';
import type { Catalog } from '../chat/command.js';
import { isHidden } from '../chat/fields/make.js';
import type { Answers } from '../chat/runtime.js';
import { fieldsOf } from '../chat/usage.js';
import type { Store } from '../store/index.js';
import { actionName } from '../view/action.js';
import { wholeText } from '../view/plain.js';

/** Answers to agents are stored for them and sent to nobody; all others are delivered. */
export function withCalls(answers: Answers, calls: Store['calls'], catalog: Catalog): Answers {
  return {
    ...answers,
    async answer(to, message, how = {}) {
      const { call } = to.answer;
      if (!call) return answers.answer(to, message, how);
      const state = how.lasting ? 'unknown' : how.failed ? 'failed' : 'done';
      await calls.put(call, { state, text: wholeText(message), next: nextIn(message.blocks, catalog) });
      return undefined;
    },
    progress: async (job, message) => (job.answer.call ? undefined : answers.progress(job, message)),
    wait: async (job, message, line) => (job.answer.call ? undefined : answers.wait(job, message, line)),
  };
}

const Turning = z.object({
  action_id: z.string().refine((id) => actionName(id) === actionNames.turn),
  value: z.string(),
});

/** Where the button below a list would continue. */
function nextIn(blocks: readonly KnownBlock[], catalog: Catalog): Record<string, unknown> | undefined {
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  for (const button of buttons) {
    const turning = Turning.safeParse(button);
    const asked = turning.success ? Invocation.safeParse(JSON.parse(turning.data.value)) : undefined;
    const command = asked?.success ? catalog.get(asked.data.c) : undefined;
    if (!asked?.success || !command) continue;
    const carried = fieldsOf(command).filter(([name, field]) => isHidden(field) && name in asked.data.a);
    if (carried.length > 0) return Object.fromEntries(carried.map(([name]) => [name, asked.data.a[name]]));
  }
  return undefined;
}
