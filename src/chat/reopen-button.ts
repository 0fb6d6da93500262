import { actions, type Blocks, literal, section } from '../view/blocks.js';
import { type Message, withBlocks } from '../view/message.js';
import { bold, md } from '../view/text.js';
import type { CommandJob } from './act-job.js';
import { formButtonIfFits } from './actions.js';
import type { AnyCommand } from './command.js';
import type { Field } from './fields.js';
import { partsOf } from './form/draw.js';
import { fieldsOf } from './usage.js';

type Written = readonly [name: string, field: Field];

const isLong = ({ input }: Field) => input.kind === 'text' && input.multiline === true;

/** Keeps what was typed into a form that has closed: a button reopens it; text too long for a button is shown. */
export function withReopenButton(said: Message, command: AnyCommand, job: CommandJob): Message {
  if (job.source !== 'form') return said;
  const written = fieldsOf(command).filter(([name, field]) => field.secret !== true && name in job.args);
  const again = (fields: readonly Written[]) =>
    formButtonIfFits({
      text: 'Reopen form',
      again: command,
      dryRun: job.dryRun,
      args: Object.fromEntries(fields.map(([name]) => [name, job.args[name]])),
    });
  const whole = again(written);
  if (whole) return withBlocks(said, [...said.blocks, actions(whole)]);
  const long = written.filter(([name, field]) => isLong(field) && typeof job.args[name] === 'string');
  // Old values with new fingerprints would overwrite other people's changes.
  const rest = again(
    written.filter(([, field]) => !isLong(field) && (field.required || command.form?.prefill === undefined)),
  );
  return withBlocks(said, [
    ...said.blocks,
    ...long.flatMap(([name, field]) => showValue(field, job.args[name])),
    actions(rest),
  ]);
}

function showValue(field: Field, value: unknown): Blocks {
  const parts = partsOf(field.show(value)) ?? [];
  return [section(md`${bold(`${field.label}, as you wrote it`)}`), ...parts.map(({ text }) => literal(text))];
}
