import { z } from 'zod';
import { hidden } from '../../../chat/fields/hidden.js';
import { type Needed, plainField } from '../../../chat/fields/make.js';
import type { FormAnswers } from '../../../domain/issues/template/render.js';
import { UserError } from '../../../errors.js';

/** A template of the repository, by file or name. */
export function template(): Needed<string> {
  return plainField(
    { hint: 'Choosing one loads its text or its questions.' },
    {
      label: 'Template',
      placeholder: 'bug.yaml',
      input: { kind: 'external', source: 'templates' },
      schema: z.string().min(1).max(150),
      read: (text) => {
        const name = text.trim();
        if (name !== '' && name.length <= 150) return name;
        throw new UserError('Write the template’s file name, such as bug.yaml.');
      },
      show: (name) => name,
    },
  );
}

const Answers = z.record(z.string().min(1).max(100), z.string().max(3_000));

/** The answers to a template's questions; only its form asks them. */
export const answers = () =>
  hidden(
    plainField<FormAnswers>(
      {},
      {
        label: 'Answers',
        placeholder: '',
        input: { kind: 'text' },
        schema: Answers,
        read: () => {
          throw new UserError('Answer the questions of a template in its form.');
        },
        show: () => '',
      },
    ),
  );
