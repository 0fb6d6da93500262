import { isNode, LineCounter, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { readTarget, refuseForeignTarget } from '../../domain/subscriptions/target.js';
import { ConfigError, UserError } from '../../errors.js';
import { parseFilter } from '../../feed/filter-words.js';

const Entry = z.strictObject({
  channel: z.string().regex(/^[CGD][A-Z0-9]{2,20}$/, 'must be a Slack channel id such as C012AB3CD'),
  follows: z
    .string()
    .superRefine(refusing(refuseForeignTarget))
    .refine((text) => {
      const target = readTarget(text);
      return target !== undefined && target.kind !== 'slack';
    }, 'must be owner/repo, owner/* or @login'),
  filter: z.string().max(1500).superRefine(refusing(parseFilter)).default(''),
  owner: z.string().regex(/^[UW][A-Z0-9]{2,20}$/, 'must be a Slack user id such as U012AB3CD'),
});
/** One subscription as written in a file. */
export type Entry = z.infer<typeof Entry>;

const FileShape = z.strictObject({ version: z.literal(1), subscriptions: z.array(Entry) });

/** What the parser refuses becomes a problem on this line. */
function refusing(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}

/** What one entry is about; a file may name it only once. */
export const keyOf = ({ channel, follows }: Pick<Entry, 'channel' | 'follows'>): string =>
  `${channel} ${follows.toLowerCase()}`;

/** Every problem at once, each with its line. */
export function readEntries(text: string, name: string): Entry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  if (document.errors.length > 0)
    throw new ConfigError(document.errors.map((error) => `${name} line ${lineAt(error.pos[0])}: ${error.message}`));
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true);
      if (isNode(node)) return lineAt(node.range?.[0]);
    }
    return 1;
  };
  const read = FileShape.safeParse(document.toJS());
  if (!read.success)
    throw new ConfigError(
      read.error.issues.map(
        ({ path, message }) => `${name} line ${lineOf(path)}: ${path.join('.') || 'file'}: ${message}`,
      ),
    );
  const entries = read.data.subscriptions;
  const twice = entries.findIndex((entry, at) => entries.findIndex((other) => keyOf(other) === keyOf(entry)) < at);
  if (twice !== -1)
    throw new ConfigError([
      `${name} line ${lineOf(['subscriptions', twice])}: ${entries[twice]?.follows} is listed twice`,
    ]);
  return entries;
}

export interface Noted extends Entry {
  /** A note for readers: the channel's name, a pause. */
  readonly note?: string;
}

/** Sorted, so that two exports of the same subscriptions are identical. */
export function writeEntries(entries: readonly Noted[]): string {
  const sorted = [...entries].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rows = sorted.map(({ note, ...entry }) => {
    const [first = '', ...rest] = stringify(entry, { lineWidth: 0 }).trimEnd().split('\n');
    return [`  - ${first}${note ? ` # ${note.replace(/\s+/g, ' ')}` : ''}`, ...rest.map((line) => `    ${line}`)].join(
      '\n',
    );
  });
  return ['version: 1', rows.length === 0 ? 'subscriptions: []' : 'subscriptions:', ...rows].join('\n');
}
