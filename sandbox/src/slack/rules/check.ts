import { asList, asObj, isObj, type Json, type Obj } from '../json.js';

export interface Issue {
  pointer: string;
  message: string;
}

export const worded = (issue: Issue): string => `[ERROR] ${issue.message} [json-pointer:${issue.pointer}]`;

/** One place inside a payload; errors are collected with their JSON pointer, as Slack reports them. */
export class Check {
  readonly value: Json | undefined;
  readonly pointer: string;
  readonly issues: Issue[];

  constructor(value: Json | undefined, pointer: string, issues: Issue[]) {
    this.value = value;
    this.pointer = pointer;
    this.issues = issues;
  }

  fail(message: string): void {
    this.issues.push({ pointer: this.pointer, message });
  }

  get object(): Obj {
    return asObj(this.value);
  }

  get type(): string {
    const type = this.object['type'];
    return typeof type === 'string' ? type : '';
  }

  has(name: string): boolean {
    return this.object[name] !== undefined;
  }

  field(name: string): Check {
    const segment = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return new Check(this.object[name], `${this.pointer}/${segment}`, this.issues);
  }

  /** Runs the rule only if the field is present; `keys` handles missing ones. */
  optional(name: string, rule: (at: Check) => void): void {
    if (this.has(name)) rule(this.field(name));
  }

  get items(): Check[] {
    return asList(this.value).map((item, index) => new Check(item, `${this.pointer}/${index}`, this.issues));
  }

  /** False if this is not an object, so that nothing below is checked. */
  keys(required: readonly string[], optional: readonly string[] = []): boolean {
    if (!isObj(this.value)) {
      this.fail('must be an object');
      return false;
    }
    for (const name of required) if (!this.has(name)) this.fail(`missing required field: ${name}`);
    for (const name of Object.keys(this.value)) {
      if (this.has(name) && !required.includes(name) && !optional.includes(name)) {
        this.fail(`invalid additional property: ${name}`);
      }
    }
    return true;
  }

  string(max: number, min = 1): void {
    if (typeof this.value !== 'string') this.fail('must be a string');
    else if (this.value.length > max) this.fail(`must be less than ${max + 1} characters`);
    else if (this.value.length < min) this.fail(`must be more than ${min - 1} characters`);
  }

  match(pattern: RegExp, wanted: string): void {
    if (typeof this.value !== 'string' || !pattern.test(this.value)) this.fail(`must be ${wanted}`);
  }

  list(max: number, min = 1): Check[] {
    if (!Array.isArray(this.value)) {
      this.fail('must be an array');
      return [];
    }
    if (this.value.length > max) this.fail(`no more than ${max} items allowed`);
    if (this.value.length < min) this.fail(`no less than ${min} items allowed`);
    return this.items;
  }

  integer(min: number, max: number): void {
    const value = this.value;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.fail('must be an integer');
    else if (value < min || value > max) this.fail(`must be between ${min} and ${max}`);
  }

  oneOf(values: readonly string[]): void {
    if (typeof this.value !== 'string' || !values.includes(this.value)) {
      this.fail(`must be one of: ${values.join(', ')}`);
    }
  }

  boolean(): void {
    if (typeof this.value !== 'boolean') this.fail('must be a boolean');
  }
}

export const booleans = (at: Check, ...names: string[]): void => {
  for (const name of names) at.optional(name, (field) => field.boolean());
};
