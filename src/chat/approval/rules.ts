import type { ApprovalRule } from '../../config.js';
import { UserError } from '../../errors.js';
import { describe } from '../../forge/index.js';
import { compilePattern } from '../../pattern.js';
import type { AnyCommand } from '../command.js';
import { fullName, type RepositoryRef } from '../references.js';

/** What rules are matched against. Repositories and branches are read only if an otherwise matching rule names one. */
export interface Subject {
  readonly command: AnyCommand;
  repositories(): Promise<readonly RepositoryRef[]>;
  /** Undefined: the command is not about a branch. */
  branches(): Promise<readonly (string | undefined)[] | undefined>;
}

export interface Chosen {
  readonly rule: ApprovalRule;
  /** Its index in the file, from 0. */
  readonly at: number;
  /** Other matching rules that are less specific. */
  readonly over: readonly number[];
}

/** A rule without a command covers everything that changes something on the forge. */
function fitsCommand({ command: wanted }: ApprovalRule, command: AnyCommand): boolean {
  if (wanted === undefined) return command.risk !== 'read' && changes(command);
  if (isExact(wanted)) return wanted === command.name;
  return command.risk !== 'read' && compilePattern(wanted)(command.name);
}

const changes = ({ operations }: AnyCommand) => operations.some((name) => describe(name).effect !== 'read');

const isExact = (text: string) => !/[*?]/.test(text);

/** Unset first, then patterns by how much of the name they fix, then the exact name. */
function exactness(selector: string | undefined): number {
  if (selector === undefined) return -1;
  return isExact(selector) ? Number.POSITIVE_INFINITY : selector.replaceAll(/[*?]/g, '').length;
}

/** Compared by repository, then branch, then command; among equals, the first in the file wins. */
const order = ['repository', 'branch', 'command'] as const;

function compare(a: Fitting, b: Fitting): number {
  for (const name of order) {
    const [left, right] = [exactness(a.rule[name]), exactness(b.rule[name])];
    if (left !== right) return left > right ? -1 : 1;
  }
  return a.at - b.at;
}

interface Fitting {
  readonly rule: ApprovalRule;
  readonly at: number;
}

export async function chosenRule(subject: Subject, rules: readonly ApprovalRule[]): Promise<Chosen | undefined> {
  const about = rules.map((rule, at) => ({ rule, at })).filter(({ rule }) => fitsCommand(rule, subject.command));
  const named = about.some(({ rule }) => rule.repository !== undefined) ? await subject.repositories() : [];
  const names = named.map(fullName);
  const near = about.filter(
    ({ rule: { repository } }) => repository === undefined || names.some(compilePattern(repository)),
  );
  const branches = near.some(({ rule }) => rule.branch !== undefined) ? await branchesOf(subject) : [];
  // Git is case-sensitive; rules are not, so that a look-alike branch cannot bypass one.
  const fitting = near.filter(({ rule: { branch } }) => branch === undefined || branches.some(compilePattern(branch)));
  const [first, ...others] = fitting.sort(compare);
  return first && { ...first, over: others.map(({ at }) => at) };
}

/** An unreadable branch must not bypass the rule made for it. */
async function branchesOf({ command, branches }: Subject): Promise<string[]> {
  const all = (await branches()) ?? [];
  const known = all.filter((each) => each !== undefined);
  if (known.length === all.length) return known;
  throw new UserError(
    `This forge cannot tell which branch ${command.name} is about, and an approval rule depends on it.`,
  );
}

/** `approvals.rules.1 (pr merge, acme/*), more specific than rules.0` */
export function ruleWords({ rule, at, over }: Chosen): string {
  const selectors = [rule.command, rule.repository, rule.branch].filter((each) => each !== undefined);
  const others = over.map((each) => `rules.${each}`).join(', ');
  return `approvals.rules.${at} (${selectors.join(', ')})${others === '' ? '' : `, more specific than ${others}`}`;
}
