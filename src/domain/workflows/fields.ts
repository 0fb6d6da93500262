import { z } from 'zod';
import { type Needed, plainField } from '../../chat/fields/make.js';
import { UserError } from '../../errors.js';

const named = /^[^\s/\\\p{Cc}][^/\\\p{Cc}]{0,99}$/u;

/** The file name, optionally with its folder. */
export function workflow(): Needed<string> {
  return plainField(
    {},
    {
      label: 'Workflow',
      placeholder: 'ci.yml',
      input: { kind: 'external', source: 'workflows' },
      schema: z.string().regex(named),
      read: (text) => {
        const file = text.trim().replace(/^\.(?:gitea|forgejo|github)\/workflows\//, '');
        if (named.test(file) && /\.ya?ml$/i.test(file)) return file;
        throw new UserError(`“${file.slice(0, 60)}” is not a workflow file. Write its name, such as ci.yml.`);
      },
      show: (file) => file,
    },
  );
}

const mostInputs = 50;
const longest = 4_000;
const Inputs = z.record(z.string().min(1).max(100), z.string().max(longest));
export type Inputs = z.infer<typeof Inputs>;

function readInput(line: string): readonly [name: string, value: string] {
  const cut = line.indexOf('=');
  const name = line.slice(0, cut).trim();
  if (cut < 1 || name.length > 100 || !/^[\w.-]+$/.test(name))
    throw new UserError(`“${line.slice(0, 60)}” is not an input. Write name=value, such as --input version=1.8.`);
  if (line.length - cut > longest)
    throw new UserError(`The value of ${name} is too long: at most ${longest} characters.`);
  return [name, line.slice(cut + 1).trim()];
}

/** `--input name=value`, repeatable. */
export function inputs(): Needed<Inputs> {
  return {
    ...plainField<Inputs>(
      { hint: 'One per line: name=value.' },
      {
        label: 'Inputs',
        placeholder: 'name=value',
        input: { kind: 'text', multiline: true },
        schema: Inputs,
        read: (text) => {
          const lines = text.split('\n').filter((line) => line.trim() !== '');
          if (lines.length > mostInputs) throw new UserError(`Give at most ${mostInputs} inputs.`);
          return Object.fromEntries(lines.map(readInput));
        },
        show: (value) =>
          Object.entries(value)
            .map((pair) => pair.join('='))
            .join('\n'),
      },
    ),
    repeats: true,
  };
}
