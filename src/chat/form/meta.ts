import { z } from 'zod';
import { UserError } from '../../errors.js';
import { limits } from '../../view/limits.js';

const Name = z.string().min(1).max(100);

/** What a form remembers between drawing and submitting; it comes back through Slack and is validated like any input. */
const FormMeta = z.strictObject({
  command: z.string().min(1).max(60),
  channel: z.string().min(1).max(30).optional(),
  responseUrl: z.url().max(1000).optional(),
  /** The answer replaces the message with the button that opened it. */
  replace: z.literal(true).optional(),
  /** Opened from a message: the thread that gets the answer. */
  thread: z.string().min(1).max(64).optional(),
  /** Opened from the App Home: the answer goes there. */
  home: z.literal(true).optional(),
  /** Values of fields that the form does not show. */
  preset: z.record(z.string().max(40), z.unknown()).optional(),
  /** The repository whose labels, people and branches the menus offer. */
  about: z.object({ owner: Name, repo: Name }).optional(),
  /** The repositories that its values named when it was drawn. */
  known: z
    .array(z.object({ owner: Name, repo: Name, repoId: z.int() }))
    .max(10)
    .optional(),
  /** The channel has no default repository: one must be chosen. */
  placeless: z.literal(true).optional(),
  /** The numbers of items and runs whose repository the form asks for, by field. */
  numbered: z.record(z.string().max(40), z.int().min(1)).optional(),
  /** Prefilled from the forge: an emptied field then clears the current value. */
  filled: z.literal(true).optional(),
  /** The forge's questions it shows, in order. */
  asked: z.array(z.string().min(2).max(101)).max(25).optional(),
  /** The patterns some answers must match, by block name. */
  patterns: z.record(z.string().max(10), z.string().min(1).max(200)).optional(),
  /** Opened for a dry run: submitting shows what would be sent. */
  dryRun: z.literal(true).optional(),
});
export type FormMeta = z.infer<typeof FormMeta>;

/** Room for the signature, which is added when it is sent. */
const signature = 130;

export function writeFormMeta(meta: FormMeta): string {
  const text = JSON.stringify(meta);
  if (text.length <= limits.view.privateMetadata - signature) return text;
  throw new UserError('This is too long to open in a form. Shorten it, or type the long part into the form.');
}

/** Undefined for anything not written by the function above. */
export function readFormMeta(text: string): FormMeta | undefined {
  if (text.length > limits.view.privateMetadata) return undefined;
  try {
    return FormMeta.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
