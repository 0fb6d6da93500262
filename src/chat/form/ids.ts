import { property } from '../../property.js';
import type { OptionSource } from '../field.js';
import { type RepositoryRef, readRepository } from '../references.js';

/** How a part of a long text joins the previous one. */
export type Joint = '\n' | ' ' | '';
const joints = { n: '\n', s: ' ', h: '' } as const satisfies Record<string, Joint>;
const letterOf = (joint: Joint) => ({ '\n': 'n', ' ': 's', '': 'h' })[joint];
const isLetter = (text: string): text is keyof typeof joints => text in joints;

/** `title`, `body.2n` (second part of a long text), `title~3` (third drawing: Slack keeps what was typed under an old id). */
const blockForm = /^([a-z][A-Za-z0-9]*)(?:\.(\d{1,2})([nsh]))?(?:~\d{1,6})?$/;

export function blockId(name: string, part: number, joint: Joint, drawing: number): string {
  return `${name}${part === 1 ? '' : `.${part}${letterOf(joint)}`}${drawing === 1 ? '' : `~${drawing}`}`;
}

export function readBlockId(
  id: string,
): { readonly name: string; readonly part: number; readonly joint: Joint } | undefined {
  const [, name, part = '1', letter = 'h'] = blockForm.exec(id) ?? [];
  return name === undefined || !isLetter(letter) ? undefined : { name, part: Number(part), joint: joints[letter] };
}

const sources: Readonly<Record<OptionSource, true>> = {
  repositories: true,
  items: true,
  issues: true,
  pulls: true,
  'open-issues': true,
  'open-pulls': true,
  'closed-issues': true,
  'closed-pulls': true,
  runs: true,
  workflows: true,
  subscriptions: true,
  people: true,
  labels: true,
  milestones: true,
  branches: true,
  teams: true,
  templates: true,
};

const isSource = (text: string | undefined): text is OptionSource => text !== undefined && Object.hasOwn(sources, text);

/** A menu's id names its source, so its options need no lookup of the command. */
export function menuId(source: OptionSource, name: string): string {
  return `${source}:${name}`;
}

export function optionSourceOf(actionId: string): OptionSource | undefined {
  const [source, name] = actionId.split(':');
  return name !== undefined && isSource(source) ? source : undefined;
}

/** The repository chosen in an open form, from the state that Slack sends. */
export function chosenRepository(state: unknown, webUrl: string): RepositoryRef | undefined {
  for (const block of valuesOf(state)) {
    for (const [action, element] of entriesOf(block)) {
      if (optionSourceOf(action) !== 'repositories') continue;
      const chosen = property(property(element, 'selected_option'), 'value');
      if (typeof chosen === 'string') return readRepository(chosen, webUrl);
    }
  }
  return undefined;
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const valuesOf = (value: unknown) => entriesOf(value).map(([, entry]) => entry);
