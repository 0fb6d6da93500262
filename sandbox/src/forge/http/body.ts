import { invalid } from './answer.js';

/** `clone_addr` is CloneAddr in the forge's errors. */
const fieldName = (key: string): string =>
  key
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mismatch(key: string, value: unknown, wanted: string): Error {
  const given = Array.isArray(value) ? 'array' : typeof value;
  return invalid(`[]: json: cannot unmarshal ${given} into Go struct field .${key} of type ${wanted}`);
}

/** A JSON body, validated as strictly as by the forge. Absent and null are the same. */
export class Body {
  readonly #values: Record<string, unknown>;

  constructor(values: Record<string, unknown>) {
    this.#values = values;
  }

  static read(contentType: string | undefined, raw: string, method: string): Body {
    if (contentType === undefined || contentType === '') {
      if (method === 'DELETE' || method === 'GET') return new Body({});
      throw invalid('[]: Empty Content-Type');
    }
    if (!contentType.includes('json')) throw invalid('[]: Unsupported Content-Type');
    if (raw.trim() === '') throw invalid('[]: EOF');
    let parsed: unknown;
    try {
      parsed = JSON.parse(raw);
    } catch {
      throw invalid('[]: unexpected EOF');
    }
    if (!isObject(parsed)) throw mismatch('', parsed, 'struct');
    return new Body(parsed);
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined && this.#values[key] !== null;
  }

  text(key: string): string | undefined {
    return this.#typed(key, 'string', (value) => (typeof value === 'string' ? value : undefined));
  }

  number(key: string): number | undefined {
    return this.#typed(key, 'int64', (value) => (Number.isInteger(value) ? Number(value) : undefined));
  }

  flag(key: string): boolean | undefined {
    return this.#typed(key, 'bool', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  texts(key: string): string[] | undefined {
    return this.#typed(key, '[]string', (value) =>
      Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined,
    );
  }

  numbers(key: string): number[] | undefined {
    return this.#typed(key, '[]int64', (value) =>
      Array.isArray(value) && value.every(Number.isInteger) ? value : undefined,
    );
  }

  list(key: string): unknown[] | undefined {
    return this.#typed(key, '[]any', (value) => (Array.isArray(value) ? value : undefined));
  }

  /** String to string. */
  map(key: string): Record<string, string> | undefined {
    return this.#typed(key, 'map[string]string', (value) =>
      isObject(value)
        ? Object.fromEntries(
            Object.entries(value).flatMap(([name, each]) => (typeof each === 'string' ? [[name, each]] : [])),
          )
        : undefined,
    );
  }

  requiredText(key: string): string {
    const value = this.text(key);
    if (value === undefined || value === '') throw invalid(`[${fieldName(key)}]: Required`);
    return value;
  }

  requiredNumber(key: string): number {
    const value = this.number(key);
    if (value === undefined || value === 0) throw invalid(`[${fieldName(key)}]: Required`);
    return value;
  }

  requiredFlag(key: string): boolean {
    const value = this.flag(key);
    if (value === undefined) throw invalid(`[${fieldName(key)}]: Required`);
    return value;
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.text(key);
    if (value === undefined || value === '') return undefined;
    const found = allowed.find((each) => each === value);
    if (found === undefined) throw invalid(`[${fieldName(key)}]: In`);
    return found;
  }

  /** For the request log. */
  raw(): unknown {
    return this.#values;
  }

  #typed<T>(key: string, type: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#values[key];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) throw mismatch(key, value, type);
    return result;
  }
}
