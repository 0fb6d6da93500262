import { isObj, type Json, type Obj, parseJson } from './json.js';
import { SlackError } from './slack-error.js';

/** A call's arguments, in either form: form fields are all text, JSON bodies keep their types. */
export class Args {
  readonly raw: Obj;

  constructor(raw: Obj) {
    this.raw = raw;
  }

  has(name: string): boolean {
    const value = this.raw[name];
    return value !== undefined && value !== null;
  }

  text(name: string): string | undefined {
    const value = this.raw[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
  }

  /** The error names the missing argument like Slack does. */
  required(name: string, error = 'invalid_arguments'): string {
    const value = this.text(name);
    if (value !== undefined && value !== '') return value;
    const messages = [`[ERROR] missing required field: ${name}`];
    throw new SlackError(error, error === 'invalid_arguments' ? { response_metadata: { messages } } : {});
  }

  flag(name: string): boolean {
    const value = this.raw[name];
    return value === true || value === 'true' || value === '1';
  }

  number(name: string, fallback: number): number {
    const value = Number(this.raw[name] ?? fallback);
    return Number.isFinite(value) ? value : fallback;
  }

  json(name: string, error: string): Json | undefined {
    const value = this.raw[name];
    if (typeof value !== 'string') return value;
    if (value === '') return undefined;
    const parsed = parseJson(value);
    if (parsed === undefined) throw new SlackError(error);
    return parsed;
  }

  object(name: string, error: string): Obj | undefined {
    const value = this.json(name, error);
    if (value === undefined || value === null) return undefined;
    if (!isObj(value)) throw new SlackError(error);
    return value;
  }
}
