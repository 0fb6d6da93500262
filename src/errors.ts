/** A sentence for the person who asked; shown as it stands. `field` names the form field it belongs to. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly field: string | undefined;

  constructor(message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.field = options.field;
  }
}

/** Wrong or missing settings; every problem at once, each with what to write. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}
