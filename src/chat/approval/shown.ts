import { createHash } from 'node:crypto';
import { z } from 'zod';
import { code, join, link, type Mrkdwn, md } from '../../view/text.js';
import type { AnyCommand } from '../command.js';

const Pairs = z.array(z.tuple([z.string(), z.string()]));

const Page = z.object({ text: z.string(), url: z.string() });
const ShownFact = z.tuple([z.string(), z.union([z.string(), z.array(z.union([z.string(), Page]))]), Page.optional()]);

/** What the card showed; kept unchanged, never recomputed. */
export const Shown = z.object({
  line: z.string(),
  summary: z.string(),
  requests: z.array(z.object({ route: z.string(), input: Pairs })),
  observed: z.array(ShownFact),
  details: z.array(ShownFact).default([]),
  unobserved: z.boolean(),
  channel: z.string(),
  /** The original line, for the button that asks again. */
  again: z.string().default(''),
  wants: z.object({ says: z.string(), url: z.string().optional(), about: z.string().optional() }).optional(),
  reason: z.string().optional(),
});
export type Shown = z.infer<typeof Shown>;

/** A pending approval is refused if its command has changed shape since. */
export function shapeOf(command: AnyCommand): string {
  const fields = Object.entries(command.fields).map(([name, field]) => [
    name,
    field.typed,
    field.input.kind,
    field.required,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([command.name, fields]))
    .digest('hex')
    .slice(0, 16);
}

/** `force-cancel run 8 · Deploy v0.9 on main`, linked; the typed line if the command has no wording of its own. */
export function wishOf({ wants, line }: Shown): Mrkdwn {
  if (!wants) return md`run ${code(line)}`;
  return join([link(wants.url, wants.says), wants.about], ' · ');
}
