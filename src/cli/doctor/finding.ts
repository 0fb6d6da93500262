import { ApiError } from '../../forge/index.js';

export type Area = 'config' | 'redis' | 'forge' | 'slack';
type Level = 'ok' | 'note' | 'warning' | 'failure';

/** One check; all but the good ones say what to do. */
export interface Finding {
  readonly area: Area;
  readonly level: Level;
  readonly says: string;
  readonly remedy?: string;
  /** The details, one row each. */
  readonly rows?: readonly (readonly [what: string, words: string])[];
}

export interface Notebook {
  readonly findings: readonly Finding[];
  ok(says: string): void;
  /** Worth knowing, nothing to fix. */
  note(says: string, remedy?: string, rows?: Finding['rows']): void;
  warning(says: string, remedy: string): void;
  failure(says: string, remedy: string): void;
}

export function notebook(area: Area): Notebook {
  const findings: Finding[] = [];
  const add = (level: Level) => (says: string, remedy?: string, rows?: Finding['rows']) => {
    findings.push({ area, level, says, ...(remedy === undefined ? {} : { remedy }), ...(rows && { rows }) });
  };
  return { findings, ok: add('ok'), note: add('note'), warning: add('warning'), failure: add('failure') };
}

const marks: Readonly<Record<Level, string>> = { ok: '  ok  ', note: ' note ', warning: ' WARN ', failure: ' FAIL ' };

export function report(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, level, says, remedy, rows = [] }) => [
    `[${marks[level]}] ${area.padEnd(6)} ${says}`,
    ...(remedy === undefined ? [] : [`                  → ${remedy}`]),
    ...rows.map(([what, words]) => `                    ${what.padEnd(24)} ${words}`),
  ]);
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  const verdict =
    failures > 0
      ? `Problems to fix: ${failures}. Warnings: ${warnings}.`
      : warnings > 0
        ? `Bellows can run. Warnings: ${warnings}.`
        : 'No problems found.';
  return [...lines, '', verdict].join('\n');
}

/** The forge's failures say what to do; their message names the operation, which tells an operator nothing. */
function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.hint !== undefined)
    return error.code === undefined ? error.hint : error.hint.replace(/\.$/, ` (${error.code}).`);
  return error instanceof Error ? error.message : 'The check failed for an unknown reason.';
}

/** A failing check becomes a finding; the other checks continue. */
export async function examined(
  area: Area,
  remedy: string,
  look: (found: Notebook) => Promise<void>,
): Promise<readonly Finding[]> {
  const found = notebook(area);
  try {
    await look(found);
  } catch (error) {
    const says = wordsOf(error);
    // some errors end with the same advice
    found.failure(says.replace(` ${remedy}`, ''), remedy);
  }
  return found.findings;
}
