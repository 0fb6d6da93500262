import { splitList } from '../../../chat/fields/lists.js';
import type { FormField } from './fields.js';

/** By field id; options as comma-separated numbers. */
export type FormAnswers = Readonly<Record<string, string>>;

const blank = '_No response_';

/** Required ticks are asked for one by one, under `id#number`. */
function chosenIn(id: string, answers: FormAnswers): ReadonlySet<number> {
  const said = Object.entries(answers).filter(([name]) => name === id || name.startsWith(`${id}#`));
  return new Set(said.flatMap(([, text]) => splitList(text)).map(Number));
}

/** One backtick more than any line of the text starts with. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,}/gm), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}

function wordsOf(field: FormField, answers: FormAnswers): string {
  const text = (answers[field.id] ?? '').trim();
  switch (field.kind) {
    case 'markdown':
      return field.value;
    case 'input':
      return text || blank;
    case 'textarea': {
      if (text === '' || field.render === '') return text || blank;
      const quotes = fence(text);
      return `${quotes}${field.render}\n${text}\n${quotes}`;
    }
    case 'dropdown': {
      const chosen = chosenIn(field.id, answers);
      const labels = field.options.filter((_, at) => chosen.has(at)).map(({ label }) => label);
      if (labels.length === 0) return blank;
      return field.asList ? labels.map((label) => `- ${label}`).join('\n') : labels.join(', ');
    }
    case 'checkboxes': {
      const chosen = chosenIn(field.id, answers);
      const rows = field.options.map(({ label, inContent }, at) =>
        inContent ? [`- [${chosen.has(at) ? 'x' : ' '}] ${label}`] : [],
      );
      return rows.flat().join('\n');
    }
  }
}

/** The text the forge's own form would make of these answers. */
export const renderForm = (fields: readonly FormField[], answers: FormAnswers): string =>
  fields
    .filter(({ id, inContent }) => id !== '' && inContent)
    .map((field) => `${field.hideLabel ? '' : `### ${field.label}\n\n`}${wordsOf(field, answers)}\n\n`)
    .join('');
