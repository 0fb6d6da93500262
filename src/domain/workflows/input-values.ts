import type { Context } from '../../chat/context.js';
import type { Asked } from '../../chat/form/asked.js';
import { UserError } from '../../errors.js';
import type { Declared, DeclaredInput } from './declared.js';
import type { Inputs } from './fields.js';

const byHandOnly = () => new UserError('This workflow can’t be started by hand: it has no workflow_dispatch.');
const wrong = (name: string, what: string) => new UserError(`${name} ${what}`, { field: 'input' });

function checked(input: DeclaredInput, value: string): string {
  const { name, type, options } = input;
  if (type === 'choice' && !options.includes(value))
    throw wrong(name, `can’t be “${value.slice(0, 40)}”. Choose one of: ${options.slice(0, 20).join(', ')}.`);
  if (type === 'number' && (value.trim() === '' || !Number.isFinite(Number(value))))
    throw wrong(name, 'must be a number.');
  if (type !== 'boolean') return value;
  if (/^(true|yes|on)$/i.test(value)) return 'true';
  if (/^(false|no|off)$/i.test(value)) return 'false';
  throw wrong(name, 'must be true or false.');
}

/** What a form can remember. */
const mostAsked = 25;
const mostNamed = 20;

/** As many inputs as fit, as form questions prefilled with what was typed: that and the required ones come first. */
export function questionsOf(declared: Declared, typed: Inputs, isWanted = (_name: string) => true): readonly Asked[] {
  if (declared === 'none') throw byHandOnly();
  if (declared === 'unreadable')
    throw new UserError('This workflow file is too large or not valid, so its inputs can’t be shown.');
  const wanted = declared.filter(({ name }) => isWanted(name));
  const rank = ({ name, required }: DeclaredInput) => (typed[name] !== undefined ? 0 : required ? 1 : 2);
  const asked = new Set([...wanted].sort((one, other) => rank(one) - rank(other)).slice(0, mostAsked));
  return wanted
    .filter((each) => asked.has(each))
    .map(({ name, type, description, required, default: usual, options }) => ({
      name,
      label: name,
      hint: description === '' ? undefined : description,
      kind: type === 'boolean' || type === 'choice' ? type : 'text',
      choices: options,
      required,
      initial: typed[name] ?? usual,
    }));
}

/** Required inputs without a value. */
export function missingOf(declared: Declared, given: Inputs): readonly DeclaredInput[] {
  if (typeof declared === 'string') return [];
  return declared.filter(
    ({ name, required, default: usual }) => required && !usual && (given[name] === undefined || given[name] === ''),
  );
}

/** The values to send, in the types the file wants. Throws for inputs the workflow does not have. */
export function fittedInputs(declared: Declared, given: Inputs): Inputs {
  if (declared === 'none') throw byHandOnly();
  if (declared === 'unreadable') return given;
  const byName = new Map(declared.map((input) => [input.name, input]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const input = byName.get(name);
      if (input) return [name, checked(input, value)];
      const names = [...byName.keys()].slice(0, mostNamed).join(', ');
      throw wrong(
        name,
        names === '' ? 'is not an input: this workflow has none.' : `is not an input. It has: ${names}.`,
      );
    }),
  );
}

/** As the server takes them. */
export async function wiredInputs(declared: Declared, fitted: Inputs, { forge }: Context): Promise<Inputs> {
  const { yes } = await forge.capabilities.workflows();
  if (typeof declared === 'string') return fitted;
  const switches = new Set(declared.filter(({ type }) => type === 'boolean').map(({ name }) => name));
  const wired = (name: string, value: string) => (value === 'true' && switches.has(name) ? yes : value);
  return Object.fromEntries(Object.entries(fitted).map(([name, value]) => [name, wired(name, value)]));
}
