import { z } from 'zod';
import { inForms, internal, type Phrase, phrases, rules, spelling } from './rules.js';

const Text = z.object({ text: z.string() });
const Row = z.object({ elements: z.array(z.object({ type: z.string() })) });
const Labeled = z.object({ text: Text });
const Modal = z.object({ type: z.literal('modal'), title: Text, submit: Text.nullish() });

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Only read by machines. */
const unread = new Set([
  'value',
  'action_id',
  'block_id',
  'private_metadata',
  'callback_id',
  'type',
  'url',
  'metadata',
]);

/** Text by the forge, by people or code, which is not ours: quotes, code blocks, rich text. */
const foreign = new Set(['rich_text', 'rich_text_preformatted', 'rich_text_quote']);

/** Every text in it that a person reads. */
export function textsOf(drawn: unknown): string[] {
  if (typeof drawn === 'string') return [drawn];
  if (Array.isArray(drawn)) return drawn.flatMap(textsOf);
  if (!isObject(drawn) || foreign.has(String(drawn['type']))) return [];
  return Object.entries(drawn).flatMap(([name, value]) => (unread.has(name) ? [] : textsOf(value)));
}

function all(drawn: unknown): Record<string, unknown>[] {
  if (Array.isArray(drawn)) return drawn.flatMap(all);
  return isObject(drawn) ? [drawn, ...Object.values(drawn).flatMap(all)] : [];
}

/** Our own text: code and quotes may be anyone's. */
const ours = (text: string) => text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|^(>|&gt;).*$/gm, '``');

function said(text: string, list: readonly Phrase[]): string[] {
  const own = ours(text);
  return list
    .filter(({ never }) => never.test(own))
    .map(({ rule, say }) => `${rule} (${say}): ${text.replaceAll('\n', ' ')}`);
}

/** Checks for phrases that must not appear anywhere. */
export const proseIssues = (text: string): string[] => said(text, phrases);
export const commentIssues = (text: string): string[] => said(text, [spelling]);

function isSentenceCase(text: string): boolean {
  const [first = '', ...others] = text
    .replaceAll(/\p{Extended_Pictographic}\uFE0F?/gu, '')
    .trim()
    .split(/\s+/);
  const known: readonly string[] = rules.names;
  const bare = (word: string) => word.replaceAll(/[^\p{L}]/gu, '');
  return !/^\p{Ll}/u.test(first) && others.every((word) => known.includes(bare(word)) || !/^\p{Lu}/u.test(word));
}

function buttonIssues(parts: readonly Record<string, unknown>[]): string[] {
  // most parts are neither, and telling zod so costs more than all other checks
  const are = (type: string) => parts.filter((part) => part['type'] === type);
  const labels = [...are('button'), ...are('header')].map((part) => Labeled.parse(part).text.text);
  const rows = are('actions').flatMap((part) => Row.parse(part).elements.map(({ type }) => type));
  const [buttons, menus] = [rows.filter((type) => type === 'button'), rows.filter((type) => type !== 'button')];
  return [
    ...labels.filter((text) => !isSentenceCase(text)).map((text) => `sentence case: ${text}`),
    ...(buttons.length > rules.buttons ? [`buttons: ${buttons.length} in a row: ${labels.join(', ')}`] : []),
    ...(menus.length > rules.menus ? [`menus: ${menus.length} in a row`] : []),
  ];
}

const everywhere = [...phrases, ...internal];

/** What is wrong with a message or card. */
export function messageIssues(drawn: unknown): string[] {
  const texts = textsOf(drawn);
  const [first = ''] = texts[0]?.split('\n') ?? [];
  const shown = first.replaceAll(/<[^>|]*\|([^>]*)>/g, '$1');
  return [
    ...texts.flatMap((text) => said(text, everywhere)),
    ...(shown.length > rules.firstLine ? [`first line: ${shown.length} letters: ${shown}`] : []),
    ...buttonIssues(all(drawn)),
  ];
}

/** What is wrong with a form; `name` is its command's. */
export function formIssues(drawn: unknown, name: string): string[] {
  const modal = Modal.safeParse(drawn).data;
  const submit = modal?.submit?.text ?? '';
  const last = name.split(/[ -]/).at(-1) ?? name;
  const never = [...rules.submitNever, last].map((word) => word.toLowerCase());
  return [
    ...messageIssues(drawn).filter((issue) => !issue.startsWith('first line')),
    ...textsOf(drawn).flatMap((text) => said(text, inForms)),
    ...(submit === '' && all(drawn).some(({ type }) => type === 'input') ? [`submit: none for ${name}`] : []),
    ...(submit !== '' && never.includes(submit.toLowerCase()) ? [`submit: ${submit} for ${name}`] : []),
    ...[submit, modal?.title.text ?? '']
      .filter((text) => text !== '')
      .filter((text) => !isSentenceCase(text))
      .map((text) => `sentence case: ${text}`),
  ];
}

/** What is wrong with what was sent to Slack, on an app whose command is not /forge; `name` is the command's. */
export function sentIssues(sent: unknown, name: string): string[] {
  const { view, blocks } = { view: undefined, blocks: undefined, ...(isObject(sent) ? sent : {}) };
  const named = textsOf(view ?? sent).filter((text) => /(?<!\w)\/forge\b/.test(text));
  return [...(view === undefined ? messageIssues(blocks) : formIssues(view, name)), ...named];
}
