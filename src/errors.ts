/** A sentence for the person, shown unchanged. `field` names the form field it belongs to. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly field: string | undefined;

  constructor(message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.field = options.field;
  }
}

/** For a name, ref or pattern in such a sentence: shown as code. */
export const asCode = (...texts: readonly string[]): string =>
  texts.map((text) => `\`${text.replaceAll('`', 'ˋ')}\``).join(', ');

/** Wrong or missing settings: every problem at once, each with its fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  /** 2 for a mistake on the command line, 1 for settings. */
  readonly exitCode: 1 | 2;

  constructor(problems: readonly string[], exitCode: 1 | 2 = 1) {
    super(problems.join('\n'));
    this.problems = problems;
    this.exitCode = exitCode;
  }
}

/** For logs and operators: what an error says; things other than errors may be thrown too. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
