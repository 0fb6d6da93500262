import { z } from 'zod';
import { UserError } from '../errors.js';
import { compilePattern, refuseForeign } from '../pattern.js';
import { Approvers, Role, seconds, slackChannel } from './people.js';

export const ApprovalPolicy = z.strictObject({
  /** Who may request it; the command's own role is checked too. */
  ask: Role.optional(),
  /** A role, or named people, groups and teams. */
  approve: Approvers.optional(),
  count: z.int().min(0).max(10).optional(),
  channel: slackChannel.optional(),
  expires: seconds.optional(),
  requesterCounts: z.boolean().optional(),
  /** Whether an author of the change may approve it; the requester never may approve their own. */
  authorsCount: z.boolean().optional(),
  /** What to do if the state to bind to cannot be read. */
  unobserved: z.enum(['refuse', 'allow']).optional(),
});
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

/** Only what the matcher supports: anything else would be taken literally, and the rule would match nothing. */
const pattern = (form: RegExp, example: string) =>
  z
    .string()
    .max(200)
    .regex(form, `must be a name or a pattern such as ${example}`)
    .superRefine((text, context) => {
      try {
        refuseForeign(text, `“${text}”`);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    });

export const branchPattern = pattern(/^[^\s]+$/, 'release/*');

const ApprovalRule = ApprovalPolicy.extend({
  command: pattern(/^[a-z*?][a-z*? -]*$/, 'pr merge or run *').optional(),
  repository: pattern(/^[^\s/]+\/[^\s/]+$/, 'acme/engine or acme/*').optional(),
  branch: branchPattern.optional(),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

const selectors = ({ command, repository, branch }: ApprovalRule) =>
  [command, repository, branch].map((each) => each?.toLowerCase());

const ApprovalRules = z
  .array(ApprovalRule)
  .max(200)
  .superRefine((rules, context) => {
    const seen = new Map<string, number>();
    for (const [at, rule] of rules.entries()) {
      const chosen = selectors(rule);
      const same = seen.get(JSON.stringify(chosen));
      if (chosen.every((each) => each === undefined)) {
        context.addIssue({ code: 'custom', path: [at], message: 'needs a command, a repository or a branch' });
      }
      if (same !== undefined) {
        const message = `selects the same as rules.${same}; combine them into one rule`;
        context.addIssue({ code: 'custom', path: [at], message });
      }
      seen.set(JSON.stringify(chosen), same ?? at);
    }
  });

export const Approvals = z
  .strictObject({
    risky: ApprovalPolicy.optional(),
    write: ApprovalPolicy.optional(),
    commands: z.record(z.string().min(1), ApprovalPolicy).default({}),
    rules: ApprovalRules.default([]),
  })
  .default({ commands: {}, rules: [] });
type Approvals = z.infer<typeof Approvals>;

/** A command as rules can name it. */
export interface KnownCommand {
  readonly name: string;
  /** Whether it can say which branch it is about. */
  readonly branch: boolean;
  /** Its approvals are set elsewhere, so nothing here would apply to it. */
  readonly separate: boolean;
}

const elsewhere = 'its approvals are set under deployments, so this would have no effect';

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A misspelled command would be left without the intended approval. */
export function wrongCommands({ commands, rules }: Approvals, known: readonly KnownCommand[]): Wrong[] {
  const named = Object.keys(commands).flatMap((name) => {
    const found = known.find((each) => each.name === name);
    const message = found ? found.separate && elsewhere : 'no command has this name';
    return message ? [{ path: ['approvals', 'commands', name], message }] : [];
  });
  const ruled = rules.flatMap(({ command, branch }, at) => {
    const fits = compilePattern(command ?? '*');
    const fitting = known.filter(({ name }) => fits(name));
    const path = ['approvals', 'rules', at];
    if (fitting.length === 0) return [{ path: [...path, 'command'], message: 'no command has this name' }];
    if (fitting.every(({ separate }) => separate)) return [{ path: [...path, 'command'], message: elsewhere }];
    if (branch === undefined || fitting.some((each) => each.branch)) return [];
    return [{ path: [...path, 'branch'], message: `${command} does not involve a branch; leave it out` }];
  });
  return [...named, ...ruled];
}
