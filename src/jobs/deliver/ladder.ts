import type { Message } from '../../view/message.js';
import { say } from '../../view/message.js';
import { link, md } from '../../view/text.js';
import type { Plan } from './plan.js';

/** How often each form of a message is tried: unchanged, as plain text, only its link. */
const tries = { full: 3, plain: 2, link: 1 } as const;
const longestWaitMs = 60_000;
/** Limits copies that cannot be told from their original. */
export const mostCopies = 3;

/** A digest that Slack refuses in every form is split. */
export const isSeveral = ({ kind, entries }: Plan): boolean => kind === 'digest' && entries.length > 1;

/** Undefined: Slack refuses it in every form. */
export function formOf(plan: Plan, failures: number): Plan | undefined {
  if (failures < tries.full) return plan;
  if (plan.kind === 'update') return undefined;
  if (failures < tries.full + tries.plain) return { ...plan, message: plainly(plan) };
  // one link could not represent all of them
  if (isSeveral(plan)) return undefined;
  const [first] = plan.events;
  if (failures >= tries.full + tries.plain + tries.link || !first) return undefined;
  return { ...plan, message: { ...say(md`New activity: ${link(first.address, first.address)}`), blocks: [] } };
}

/** Slack clearly refused this form, so the next one is tried at once. */
export function nextForm(failures: number): number {
  if (failures < tries.full) return tries.full;
  return failures < tries.full + tries.plain ? tries.full + tries.plain : tries.full + tries.plain + tries.link;
}

export const waitAfter = (failures: number, firstMs: number): number =>
  Math.min(longestWaitMs, firstMs * 2 ** Math.min(16, Math.max(0, failures - 1)));

/** Links are only in the blocks; a digest's title is only in its text. */
function plainly({ kind, message }: Plan): Message {
  const lines = message.blocks.flatMap((block) => (block.type === 'section' && block.text ? [block.text.text] : []));
  const text = kind === 'digest' || lines.length === 0 ? [message.text, ...lines] : lines;
  return { text: text.join('\n'), blocks: [] };
}
