import { parse } from 'yaml';
import { IssueTemplate } from '../../../forge/schemas/issue-template.js';

/** Where servers look for a single template; Forgejo also has its own folder. */
export const folders = ['', '.forgejo/', '.gitea/', '.github/'];
export const fileNames = ['ISSUE_TEMPLATE', 'issue_template'].flatMap((name) =>
  ['md', 'yaml', 'yml'].map((ending) => `${name}.${ending}`),
);

type Loose = Readonly<Record<string, unknown>>;
const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for anything but a map; the file can contain anything. */
function read(source: string): Loose | undefined {
  try {
    const tree: unknown = parse(source);
    return isLoose(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;

/** Like the server's list of those in folders: a form, or Markdown with or without front matter. Undefined if unreadable. */
export function templateIn(file: string, source: string): IssueTemplate | undefined {
  const isForm = !file.endsWith('.md');
  const [, front = '', rest = source] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(isForm ? '' : source) ?? [];
  const head = read(isForm ? source : front);
  if (isForm && !Array.isArray(head?.['body'])) return undefined;
  const fields = Array.isArray(head?.['body']) ? head['body'].filter(isLoose) : [];
  const found = IssueTemplate.safeParse({
    name: textOf(head?.['name']),
    title: textOf(head?.['title']),
    about: textOf(head?.['about']),
    labels: listOf(head?.['labels']) ?? [],
    assignees: listOf(head?.['assignees']) ?? [],
    content: isForm ? '' : rest.trim(),
    file_name: file,
    // a field without an id is identified by its position
    body: isForm ? fields.map((field, at) => ({ ...field, id: textOf(field['id']) || String(at) })) : [],
  });
  return found.success ? found.data : undefined;
}
