import type { ModalView } from '@slack/types';
import { actions, context, section } from '../view/blocks.js';
import { modal } from '../view/form.js';
import { choiceMenu } from '../view/inputs.js';
import { code, md } from '../view/text.js';
import { actionNames, type Invocation } from './actions.js';
import type { CommandList } from './catalog.js';
import type { AnyCommand } from './command.js';
import { fullName, type RepositoryRef } from './references.js';

/** The most common commands, in the order people look for them. */
const everyday = [
  'issue create',
  'issue close',
  'issue comment',
  'issue search',
  'pr review',
  'pr approve',
  'pr merge',
  'run list',
  'run rerun',
  'run cancel',
  'subscribe',
  'mute',
  'remind reviews',
  'inbox',
  'todo',
  'settings',
  'signin',
] as const;

/** Takes no input, so there is no form to open. */
const runsAtOnce = new Set(['inbox', 'todo']);

interface Launch {
  readonly slash: string;
  readonly privateMetadata?: string;
  /** The channel's repository, if it has one. */
  readonly own?: RepositoryRef | undefined;
  offers(command: AnyCommand): boolean;
}

/** `/forge` without arguments: what do you want to do? */
export function launcher(
  catalog: Pick<CommandList, 'get'>,
  { slash, privateMetadata, own, offers }: Launch,
): ModalView {
  const choices = everyday.flatMap((name) => {
    const command = catalog.get(name);
    if (!command || !offers(command)) return [];
    const call: Invocation = { c: command.name, a: {}, ...(runsAtOnce.has(name) ? {} : { f: 1 as const }) };
    return [{ label: command.summary, value: JSON.stringify(call) }];
  });
  return modal({
    title: 'Forge',
    privateMetadata,
    blocks: [
      section(md`What do you want to do?`),
      actions(choiceMenu({ action: actionNames.more, choices, placeholder: 'Choose an action' })),
      own ? context([md`Default repository: ${fullName(own)}`]) : undefined,
      section(md`You can also type it: ${code(`${slash} issue close #12`)}. See ${code(`${slash} help`)}.`),
    ],
  });
}
