import { z } from 'zod';
import { isZone } from '../wall-clock.js';
import { ApprovalPolicy, branchPattern } from './approvals.js';
import { Approvers, Members } from './people.js';

const name = /^[a-z0-9][a-z0-9-]{0,30}$/;
/** Words that already follow `deploy`. */
const taken = ['freeze', 'unfreeze', 'status', 'history', 'list'];

const clock = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as "16:00", in quotes');

const zone = z.string().refine(isZone, 'must be a time zone such as Europe/Berlin');

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** On these days from one time to another; a window that ends before it starts ends the next day. */
const FreezeWindow = z.strictObject({
  days: z
    .array(z.enum(weekdays, 'must be mon, tue, wed, thu, fri, sat or sun'))
    .min(1)
    .default([...weekdays]),
  from: clock.default('00:00'),
  to: clock.default('24:00'),
  zone,
  reason: z.string().max(200).optional(),
});
export type FreezeWindow = z.infer<typeof FreezeWindow>;

const inputName = z.string().regex(/^[A-Za-z_][\w-]{0,99}$/, 'must be the name of a workflow input');

const values = z.record(inputName, z.union([z.string(), z.number(), z.boolean()]).transform(String));

const Deployment = ApprovalPolicy.omit({ ask: true, unobserved: true })
  .extend({
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must be owner/repository'),
    workflow: z.string().regex(/^[^/\s]+\.ya?ml$/, 'must be the name of a workflow file such as deploy.yml'),
    /** Branches and tags that may be deployed; the default is the first one without a wildcard, or else the default branch. */
    refs: z
      .array(branchPattern, {
        error: ({ input }) =>
          input === undefined ? 'is missing: list the branches and tags that can be deployed' : undefined,
      })
      .min(1)
      .max(20),
    /** Always sent as written here. */
    inputs: values.default({}),
    /** Provided by the person who runs it. */
    askFor: z.array(inputName).max(20).default([]),
    /** Values with which the workflow may be started by hand: exactly these, after the file's defaults. */
    ungated: z
      .array(values.refine((each) => Object.keys(each).length > 0, 'must name an input'))
      .max(20)
      .default([]),
    ask: Approvers.optional(),
    /** passing: a commit whose checks failed or are still running is refused. */
    checks: z.enum(['passing', 'any']).default('passing'),
    freeze: z.array(FreezeWindow).max(20).default([]),
    breakGlass: Members.optional(),
  })
  .superRefine(({ inputs, askFor, ungated }, context) => {
    for (const [at, each] of ungated.entries())
      if (Object.entries(each).every(([named, value]) => (inputs[named] ?? value) === value && !askFor.includes(named)))
        context.addIssue({
          code: 'custom',
          path: ['ungated', at],
          message: 'must differ from inputs, or it opens the gate',
        });
    for (const [at, each] of askFor.entries())
      if (each in inputs)
        context.addIssue({ code: 'custom', path: ['askFor', at], message: 'inputs already sets it; remove one' });
  });
export type Deployment = z.infer<typeof Deployment>;

export const Deployments = z
  .record(
    z
      .string()
      .regex(name, 'must be lowercase letters, digits and -, for example production')
      .refine((text) => !taken.includes(text), 'this is the name of a deploy command; use another name'),
    Deployment,
  )
  .default({});
