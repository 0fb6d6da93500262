import type { KnownBlock, StaticSelect } from '@slack/types';
import { actions, context, fields, list, type Pair, section } from '../blocks.js';
import { bold, code, join, type Mrkdwn, md } from '../text.js';

interface HelpEntry {
  readonly usage: string;
  readonly summary: string;
}

interface HelpGroup {
  readonly name: string;
  readonly entries: readonly HelpEntry[];
}

export interface Help {
  /** `/forge` */
  readonly slash: string;
  readonly groups: readonly HelpGroup[];
  /** What is hidden and why, if anything. */
  readonly notes?: readonly (string | Mrkdwn)[];
  readonly menu?: StaticSelect | undefined;
}

export function helpCard(help: Help): KnownBlock[] {
  const groups = help.groups.flatMap((group) =>
    list([
      bold(group.name),
      ...group.entries.map((entry) => md`${code(`${help.slash} ${entry.usage}`)} ${entry.summary}`),
    ]),
  );
  const blocks = [
    ...groups,
    context([
      md`If something is missing, a form opens. ${code(`${help.slash} help issue close`)} explains one command.`,
    ]),
    help.notes && help.notes.length > 0 ? context(help.notes) : undefined,
    actions(help.menu),
  ];
  return blocks.filter((block) => block !== undefined);
}

export interface CommandHelp {
  readonly slash: string;
  readonly name: string;
  readonly summary: string;
  readonly fields: readonly { readonly name: string; readonly hint: string; readonly required: boolean }[];
  readonly examples: readonly string[];
  readonly aliases?: readonly string[];
  readonly facts?: readonly (string | undefined)[];
}

export function commandHelpCard(help: CommandHelp): KnownBlock[] {
  const asked = help.fields.map(
    (field): Pair => [field.name, field.required ? field.hint : `${field.hint} (optional)`],
  );
  const examples = help.examples.map((example) => code(`${help.slash} ${example}`));
  const also = (help.aliases ?? []).map((alias) => code(`${help.slash} ${alias}`));
  const blocks = [
    section(md`${code(`${help.slash} ${help.name}`)} ${help.summary}`),
    ...list(examples.length === 0 ? [] : [bold('Examples'), ...examples]),
    ...fields(asked),
    context([also.length === 0 ? undefined : md`Also: ${join(also, ', ')}`, ...(help.facts ?? [])]),
  ];
  return blocks.filter((block) => block !== undefined);
}
