import { fullName, type RepositoryRef } from '../../../chat/references.js';
import { UserError } from '../../../errors.js';
import { type Api, ApiError } from '../../../forge/index.js';
import { ifAnswered } from '../../../forge/possible.js';
import type { IssueTemplate } from '../../../forge/schemas/issue-template.js';
import { type FormField, formField } from './fields.js';
import { fileNames, folders, templateIn } from './single.js';

export interface Template {
  /** The file's name without its folder. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** For Markdown templates. */
  readonly content: string;
  /** For forms. */
  readonly fields: readonly FormField[];
}

const mostTemplates = 50;
const mostFields = 60;
const longestText = 30_000;
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

const templateOf = (each: IssueTemplate): Template => ({
  file: baseName(each.file_name),
  name: each.name.slice(0, 100) || baseName(each.file_name),
  title: each.title.slice(0, 200),
  labels: some(each.labels, 50),
  assignees: some(each.assignees, 100),
  content: each.content.slice(0, longestText),
  fields: each.body.slice(0, mostFields).flatMap((field) => formField(field) ?? []),
});

/** The repository's issue templates visible to this account: those in folders, or else the single file. */
export async function templatesOf(at: RepositoryRef, api: Api): Promise<readonly Template[]> {
  const listed = await ifThere(api.repos.listIssueTemplates(at));
  if (!listed) return [];
  const found = listed.items.slice(0, mostTemplates).map(templateOf);
  return found.length > 0 ? found : single(at, api);
}

/** One folder after the other, like the servers; within a folder all names at once. */
async function single(at: RepositoryRef, api: Api): Promise<readonly Template[]> {
  for (const folder of folders) {
    const names = fileNames.map((name) => `${folder}${name}`);
    const files = await Promise.all(names.map((filepath) => ifThere(api.repos.getFile({ ...at, filepath }))));
    const found = files.flatMap((file, index) => {
      if (file?.encoding !== 'base64') return [];
      const text = Buffer.from(file.content, 'base64').toString('utf8').slice(0, longestText);
      const read = templateIn(fileNames[index] ?? '', text);
      return read ? [templateOf(read)] : [];
    });
    if (found.length > 0) return found.slice(0, 1);
  }
  return [];
}

/** The templates to choose from; undefined if an issue may be opened without one. */
export async function neededTemplates(at: RepositoryRef, api: Api): Promise<readonly Template[] | undefined> {
  const config = await ifAnswered(api.repos.getIssueConfig(at));
  if (config?.blank_issues_enabled !== false) return undefined;
  const all = await templatesOf(at, api);
  return all.length > 0 ? all : undefined;
}

/** By file, with or without extension, or by name. */
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
  throw new UserError(`${fullName(at)} has no issue template “${word.slice(0, 60)}”. ${there}`, {
    field: 'template',
  });
}
