import { formButton } from '../../../chat/actions.js';
import type { Questions } from '../../../chat/command.js';
import type { Context } from '../../../chat/context.js';
import type { Asked } from '../../../chat/form/asked.js';
import { MessageError } from '../../../chat/message-error.js';
import type { RepositoryRef } from '../../../chat/references.js';
import type { Api } from '../../../forge/index.js';
import { failureCard } from '../../../view/cards/outcome.js';
import { message } from '../../../view/message.js';
import { md } from '../../../view/text.js';
import { assignable, existingLabels } from '../names.js';
import { missingIn, questions } from './questions.js';
import { neededTemplates, type Template, templateNamed } from './read.js';
import { type FormAnswers, renderForm } from './render.js';

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
function withQuote(asked: readonly Asked[], text: string | undefined): readonly Asked[] | undefined {
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
export async function filled<F extends Filling>(given: F, context: Context): Promise<F> {
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
