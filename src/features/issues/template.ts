import { parse } from 'yaml';
import { formButton } from '../../chat/actions.js';
import type { Questions } from '../../chat/command.js';
import type { Context } from '../../chat/context.js';
import { splitList } from '../../chat/fields.js';
import type { Question } from '../../chat/form/questions.js';
import { MessageError } from '../../chat/message-error.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { UserError } from '../../errors.js';
import { type Api, ApiError } from '../../forge/index.js';
import { ifAnswered } from '../../forge/possible.js';
import { type IssueFormField, IssueTemplate } from '../../forge/schemas.js';
import { property } from '../../property.js';
import { failureCard } from '../../view/cards/outcome.js';
import { limits } from '../../view/limits.js';
import { message } from '../../view/message.js';
import { md } from '../../view/text.js';
import { assignable, existingLabels } from './values.js';

const kinds = ['markdown', 'input', 'textarea', 'dropdown', 'checkboxes'] as const;

interface FormOption {
  readonly label: string;
  readonly required: boolean;
  readonly inForm: boolean;
  readonly inContent: boolean;
}

/** One field of an issue form; missing properties are empty or false. */
interface FormField {
  readonly kind: (typeof kinds)[number];
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly required: boolean;
  /** For inputs. */
  readonly isNumber: boolean;
  /** The pattern for the whole answer, as in a browser; empty for none. */
  readonly pattern: string;
  readonly multiple: boolean;
  readonly asList: boolean;
  readonly render: string;
  readonly hideLabel: boolean;
  readonly options: readonly FormOption[];
  /** The index of the preselected dropdown option. */
  readonly chosen: number | undefined;
  readonly inForm: boolean;
  readonly inContent: boolean;
}

const mostOptions = 100;
const longest = 3_000;
const idForm = /^[\w-]{1,60}$/;

const boundText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, longest) : '');
const includes = (value: unknown, word: string) => Array.isArray(value) && value.includes(word);

function optionOf(data: unknown): FormOption {
  if (typeof data === 'string') return { label: boundText(data), required: false, inForm: true, inContent: true };
  const visible = property(data, 'visible');
  return {
    label: boundText(property(data, 'label')),
    required: property(data, 'required') === true,
    inForm: !Array.isArray(visible) || includes(visible, 'form'),
    inContent: !Array.isArray(visible) || includes(visible, 'content'),
  };
}

/** As the forge reads it; undefined for a kind that the forge does not know either. */
function formField(field: IssueFormField): FormField | undefined {
  const kind = kinds.find((each) => each === field.type);
  if (!kind || (kind !== 'markdown' && !idForm.test(field.id))) return undefined;
  const { attributes = {}, validations = {}, visible } = field;
  const options = Array.isArray(attributes['options']) ? attributes['options'].slice(0, mostOptions) : [];
  const chosen = attributes['default'];
  return {
    kind,
    id: idForm.test(field.id) ? field.id : '',
    label: boundText(attributes['label']),
    description: boundText(attributes['description']),
    value: boundText(attributes['value']),
    required: validations['required'] === true,
    isNumber: kind === 'input' && validations['is_number'] === true,
    pattern: kind === 'input' ? boundText(validations['regex']) : '',
    multiple: attributes['multiple'] === true,
    asList: attributes['list'] === true,
    render: boundText(attributes['render']),
    hideLabel: kind === 'markdown' || attributes['hide_label'] === true,
    options: options.map(optionOf),
    chosen: typeof chosen === 'number' ? chosen : undefined,
    inForm: visible.length === 0 || visible.includes('form'),
    inContent: visible.length === 0 ? kind !== 'markdown' : visible.includes('content'),
  };
}

const mostShown = 25;

interface Numbered extends FormOption {
  readonly at: number;
}

const choice = ({ label, at }: Numbered) => ({ value: String(at), label });

/** Slack can require one tick per group, the forge requires specific ones: those become groups of their own. */
function ticks({ id, label, description }: FormField, options: readonly Numbered[]): Question[] {
  const needed = options.filter(({ required }) => required);
  const free = options.filter(({ required }) => !required);
  const groups = Array.from({ length: Math.ceil(free.length / limits.checkboxes) }, (_, at) =>
    free.slice(at * limits.checkboxes, (at + 1) * limits.checkboxes),
  );
  const hint = description || undefined;
  return [
    ...groups.map(
      (group, at): Question => ({
        name: at === 0 ? id : `${id}#g${at}`,
        label: label || id,
        hint,
        kind: 'ticks',
        options: group.map(choice),
        required: false,
      }),
    ),
    ...needed.map(
      (option): Question => ({
        name: `${id}#${option.at}`,
        label: label || id,
        hint: option.label.length > limits.option.text ? option.label : hint,
        kind: 'ticks',
        options: [choice(option)],
        required: true,
      }),
    ),
  ];
}

function questionsOf(field: FormField): Question[] {
  const { id, kind, label, description, value, required, multiple, chosen } = field;
  const options = field.options.map((option, at) => ({ ...option, at })).filter(({ inForm, label }) => inForm && label);
  const common = { name: id, label: label || id, hint: description || undefined, required };
  switch (kind) {
    case 'markdown':
      return [{ name: '', label: value, kind: 'note', required: false }];
    case 'input':
      return [
        { ...common, kind: field.isNumber ? 'number' : 'text', initial: value, pattern: field.pattern || undefined },
      ];
    case 'textarea':
      return [{ ...common, kind: 'long', initial: value }];
    case 'dropdown':
      return [
        {
          ...common,
          kind: multiple ? 'several' : 'one',
          options: options.map(choice),
          initial: chosen === undefined ? undefined : String(chosen),
        },
      ];
    case 'checkboxes':
      return ticks(field, options);
  }
}

/** The form as Slack can draw it. */
function questions(fields: readonly FormField[]): readonly Question[] {
  const all = fields.filter(({ inForm }) => inForm).flatMap(questionsOf);
  const answered = all.filter(({ kind }) => kind !== 'note');
  if (answered.length <= mostShown && all.length <= 2 * mostShown) return all;
  throw new UserError(`This template asks ${answered.length} questions, too many for Slack. Open it in your browser.`, {
    field: 'template',
  });
}

/** Required fields without an answer. */
function missingIn(fields: readonly FormField[], answers: Readonly<Record<string, string>>): readonly string[] {
  const all = fields.filter(({ inForm }) => inForm).flatMap(questionsOf);
  return all.flatMap(({ name, label, required, options, kind }) =>
    required && (answers[name] ?? '').trim() === '' ? [kind === 'ticks' ? (options?.[0]?.label ?? label) : label] : [],
  );
}

/** Where servers look for a single template; Forgejo also has its own folder. */
const folders = ['', '.forgejo/', '.gitea/', '.github/'];
const fileNames = ['ISSUE_TEMPLATE', 'issue_template'].flatMap((name) =>
  ['md', 'yaml', 'yml'].map((ending) => `${name}.${ending}`),
);

type Loose = Readonly<Record<string, unknown>>;
const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for anything but a map; the file can contain anything. */
function readTemplate(source: string): Loose | undefined {
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
function templateIn(file: string, source: string): IssueTemplate | undefined {
  const isForm = !file.endsWith('.md');
  const [, front = '', rest = source] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(isForm ? '' : source) ?? [];
  const head = readTemplate(isForm ? source : front);
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

interface Template {
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
async function neededTemplates(at: RepositoryRef, api: Api): Promise<readonly Template[] | undefined> {
  const config = await ifAnswered(api.repos.getIssueConfig(at));
  if (config?.blank_issues_enabled !== false) return undefined;
  const all = await templatesOf(at, api);
  return all.length > 0 ? all : undefined;
}

/** By file, with or without extension, or by name. */
async function templateNamed(word: string, at: RepositoryRef, api: Api): Promise<Template> {
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

/** By field id; options as comma-separated numbers. */
export type FormAnswers = Readonly<Record<string, string>>;

const blank = '_No response_';

/** Required ticks are asked for one by one, under `id#number`. */
function chosenIn(id: string, answers: FormAnswers): ReadonlySet<number> {
  const said = Object.entries(answers).filter(([name]) => name === id || name.startsWith(`${id}#`));
  return new Set(said.flatMap(([, text]) => splitList(text)).map(Number));
}

/** One backtick more than any line of the text starts with. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,}/gm), ([run]) => run.length));
  return '`'.repeat(longest + 1);
}

function wordsOf(field: FormField, answers: FormAnswers): string {
  const text = (answers[field.id] ?? '').trim();
  switch (field.kind) {
    case 'markdown':
      return field.value;
    case 'input':
      return text || blank;
    case 'textarea': {
      if (text === '' || field.render === '') return text || blank;
      const quotes = fence(text);
      return `${quotes}${field.render}\n${text}\n${quotes}`;
    }
    case 'dropdown': {
      const chosen = chosenIn(field.id, answers);
      const labels = field.options.filter((_, at) => chosen.has(at)).map(({ label }) => label);
      if (labels.length === 0) return blank;
      return field.asList ? labels.map((label) => `- ${label}`).join('\n') : labels.join(', ');
    }
    case 'checkboxes': {
      const chosen = chosenIn(field.id, answers);
      const rows = field.options.map(({ label, inContent }, at) =>
        inContent ? [`- [${chosen.has(at) ? 'x' : ' '}] ${label}`] : [],
      );
      return rows.flat().join('\n');
    }
  }
}

/** The text the forge's own form would make of these answers. */
const renderForm = (fields: readonly FormField[], answers: FormAnswers): string =>
  fields
    .filter(({ id, inContent }) => id !== '' && inContent)
    .map((field) => `${field.hideLabel ? '' : `### ${field.label}\n\n`}${wordsOf(field, answers)}\n\n`)
    .join('');

export interface Filling {
  readonly repository: RepositoryRef;
  readonly title: string;
  readonly body?: string | undefined;
  readonly template?: string | undefined;
  readonly answers?: FormAnswers | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly assignees?: readonly string[] | undefined;
}

/** A message that becomes an issue goes into the first empty long answer. */
function withQuote(asked: readonly Question[], text: string | undefined): readonly Question[] | undefined {
  if (text === undefined) return asked;
  const at = asked.findIndex(({ kind, initial = '' }) => kind === 'long' && initial === '');
  return at === -1 ? undefined : asked.map((each, index) => (index === at ? { ...each, initial: text } : each));
}

/** A template may name labels and people that are gone; like the forge's own page, it is used without them. */
async function namesIn({ labels, assignees }: Template, given: Partial<Filling>, at: RepositoryRef, context: Context) {
  const left = {
    labels: given.labels ? [] : await existingLabels(at, labels, context),
    assignees: given.assignees ? [] : await assignable(at, assignees, context),
  };
  return {
    ...(left.labels.length > 0 && { labels: left.labels }),
    ...(left.assignees.length > 0 && { assignees: left.assignees }),
  };
}

/** What the chosen template adds to the form: its questions, or the initial text. */
export async function fromTemplate(given: Partial<Filling>, context: Context): Promise<Questions> {
  const { repository, template, title = '', body } = given;
  if (!repository || template === undefined) return {};
  const found = await templateNamed(template, repository, context.api);
  const { labels, assignees } = await namesIn(found, given, repository, context);
  const values = {
    repository,
    template: found.file,
    ...(title === '' && found.title !== '' && { title: found.title }),
    ...(labels && { labels }),
    ...(assignees && { assignees: assignees.map((login) => ({ login })) }),
  };
  if (found.fields.length === 0) {
    const text =
      body === undefined || body.includes(found.content) ? (body ?? found.content) : `${found.content}\n\n${body}`;
    return { asked: [], values: { ...values, ...(text !== '' && { body: text }) } };
  }
  const asked = questions(found.fields);
  const quoting = withQuote(asked, body);
  return { asked: quoting ?? asked, values, hides: quoting ? ['body'] : [] };
}

/** The issue as its template makes it; if questions are unanswered, the form is offered instead. */
export async function fillFromTemplate<F extends Filling>(given: F, context: Context): Promise<F> {
  const { repository, template, body, answers = {}, title } = given;
  if (template === undefined) {
    await refuseBlank(given, context.api);
    return given;
  }
  const found = await templateNamed(template, repository, context.api);
  const common = { ...given, ...(await namesIn(found, given, repository, context)) };
  if (found.fields.length === 0) return { ...common, body: body ?? found.content };
  const missing = missingIn(found.fields, answers);
  if (missing.length === 0) return { ...common, body: `${renderForm(found.fields, answers)}${body ?? ''}`.trimEnd() };
  const args = { repository: { owner: repository.owner, repo: repository.repo }, title, template: found.file };
  throw new MessageError(
    message({
      blocks: failureCard({
        says: md`The template ${found.name} has questions to answer: ${missing.slice(0, 5).join(', ')}.`,
        buttons: [formButton({ text: 'Answer questions', command: 'issue create', args, style: 'primary' })],
      }),
    }),
  );
}

/** For repositories that require a template: their own pages offer no blank issue either. */
async function refuseBlank({ repository: { owner, repo }, title }: Filling, api: Api): Promise<void> {
  const all = await neededTemplates({ owner, repo }, api);
  if (!all) return;
  const names = all.slice(0, 10).map(({ file }) => file);
  throw new MessageError(
    message({
      blocks: failureCard({
        says: md`${owner}/${repo} does not allow blank issues. Choose a template: ${names.join(', ')}.`,
        buttons: [
          formButton({
            text: 'Choose template',
            command: 'issue create',
            args: { repository: { owner, repo }, title },
            style: 'primary',
          }),
        ],
      }),
    }),
  );
}
