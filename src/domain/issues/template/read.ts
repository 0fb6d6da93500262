import type { RepositoryRef } from '../../../chat/references.js';
import { UserError } from '../../../errors.js';
import { type Api, ApiError } from '../../../forge/index.js';
import { type FormField, formField } from './fields.js';

export interface Template {
  /** The file's name without its folder. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** Of a Markdown template. */
  readonly content: string;
  /** Of a form. */
  readonly fields: readonly FormField[];
}

const mostTemplates = 50;
const mostFields = 60;
const longestText = 30_000;
const singles = ['.gitea', '.forgejo', '.github', ''].flatMap((folder) =>
  ['ISSUE_TEMPLATE.md', 'issue_template.md'].map((file) => (folder === '' ? file : `${folder}/${file}`)),
);

async function ifThere<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const some = (names: readonly string[], longest: number) =>
  names.filter((name) => name !== '' && name.length <= longest).slice(0, 20);

/** The repository's issue templates as this account sees them: those in folders, else the single file. */
export async function templatesOf(at: RepositoryRef, api: Api): Promise<readonly Template[]> {
  const listed = await ifThere(api.repos.listIssueTemplates(at));
  const found = (listed?.items ?? []).slice(0, mostTemplates).map(
    (each): Template => ({
      file: baseName(each.file_name),
      name: each.name.slice(0, 100) || baseName(each.file_name),
      title: each.title.slice(0, 200),
      labels: some(each.labels, 50),
      assignees: some(each.assignees, 100),
      content: each.content.slice(0, longestText),
      fields: each.body.slice(0, mostFields).flatMap((field) => formField(field) ?? []),
    }),
  );
  return found.length > 0 ? found : single(at, api);
}

async function single(at: RepositoryRef, api: Api): Promise<readonly Template[]> {
  for (const filepath of singles) {
    const found = await ifThere(api.repos.getFile({ ...at, filepath }));
    if (found?.encoding !== 'base64') continue;
    const text = Buffer.from(found.content, 'base64').toString('utf8').slice(0, longestText);
    const content = text.replace(/^---\n[\s\S]*?\n---\n/, '').trim();
    const file = baseName(filepath);
    return [{ file, name: file, title: '', labels: [], assignees: [], content, fields: [] }];
  }
  return [];
}

/** By file, with or without its ending, or by name. */
export async function templateNamed(word: string, at: RepositoryRef, api: Api): Promise<Template> {
  const all = await templatesOf(at, api);
  const wanted = word.trim().toLowerCase();
  const names = ({ file, name }: Template) =>
    [file, file.replace(/\.[^.]+$/, ''), name].map((each) => each.toLowerCase());
  const found = all.find((each) => names(each).includes(wanted));
  if (found) return found;
  const there =
    all.length > 0
      ? `It has: ${all
          .map(({ file }) => file)
          .slice(0, 10)
          .join(', ')}.`
      : 'It has none.';
  throw new UserError(`${at.owner}/${at.repo} has no issue template “${word.slice(0, 60)}”. ${there}`, {
    field: 'template',
  });
}
