import { z } from 'zod';
import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import { askingField, choice, type Needed, number, repository } from '../../chat/fields.js';
import {
  fullName,
  isAddress,
  isNumberOnly,
  type RepositoryRef,
  readItem,
  readRepository,
  showWritten,
  type WrittenRepository,
} from '../../chat/references.js';
import { type Request, request } from '../../chat/request.js';
import { UserError } from '../../errors.js';
import { possible } from '../../forge/possible.js';
import type { Project } from '../../forge/schemas.js';
import { projectCard } from '../../view/cards/project.js';
import { type Message, message } from '../../view/message.js';
import type { Mrkdwn } from '../../view/text.js';

interface ProjectRef extends RepositoryRef {
  readonly id: number;
}

type Written = WrittenRepository & { readonly id: number };

const Name = z.string().min(1).max(100).optional();
const place = repository();

/** `https://forge/owner/repo/projects/3` */
function readAddress(text: string, webUrl: string): Written | undefined {
  const at = readRepository(text, webUrl);
  const [, id] = /\/projects\/(\d{1,15})(?:\/|$)/.exec(new URL(text).pathname) ?? [];
  return at && id !== undefined ? { ...at, id: Number(id) } : undefined;
}

function readProjectRef(text: string, webUrl: string): Written | undefined {
  if (isAddress(text)) return URL.canParse(text) ? readAddress(text, webUrl) : undefined;
  const found = readItem(text, webUrl);
  if (!found) return undefined;
  const { index: id, ...at } = found;
  return { ...at, id };
}

/** A project of a repository, by its id. */
export function project(): Needed<Written, ProjectRef> {
  return askingField<Written, ProjectRef>(
    {},
    {
      label: 'Project',
      placeholder: 'owner/repo#3',
      input: { kind: 'text', max: 400 },
      schema: z.object({ owner: Name, repo: Name, id: z.int().min(1) }),
      read: (text, { webUrl }) => {
        const found = readProjectRef(text.trim(), webUrl);
        if (found) return found;
        throw new UserError(
          `“${text.trim().slice(0, 60)}” is not a project. Write owner/repo#3, #3 or its web address.`,
        );
      },
      lacksPlace: isNumberOnly,
      lookUps: (ref) => [
        {
          says: `I can’t find project #${ref.id} in ${fullName(ref)}.`,
          ask: (api) => api.projects.getInRepo(ref),
        },
      ],
      show: (value) => `${showWritten(value)}#${value.id}`,
      resolve: async ({ id, ...at }, context) => ({ ...(await place.resolve(at, context)), id }),
    },
  );
}

/** One of the person's own projects. */
export const ownProject = (placeholder: string): Needed<number> => ({
  ...number({ label: 'Project', hint: 'The number in its web address.', placeholder }),
  lookUps: (id) => [{ says: `You have no project ${id}.`, ask: (api) => api.projects.getMine({ id }) }],
});

export const projectName = (ref: ProjectRef) => `${fullName(ref)}#${ref.id}`;

/** A repository's project after a change. */
export function projectMessage(project: Project, ref: ProjectRef, says: Mrkdwn, { now }: Context): Message {
  const args = { project: { owner: ref.owner, repo: ref.repo, id: project.id } };
  const buttons =
    project.state === 'open'
      ? [
          formButton({ text: 'Add column', command: 'project column-add', args }),
          formButton({ text: 'Edit', command: 'project edit', args }),
          runButton({ text: 'Close', command: 'project close', args }),
        ]
      : [runButton({ text: 'Reopen', command: 'project reopen', args })];
  return message({ blocks: projectCard(project, { now, says, buttons }) });
}

const cardTypes = ['text_only', 'images_and_text'] as const;

export const cards = () => choice(cardTypes, { label: 'Cards show' });

interface Changes {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly cards?: (typeof cardTypes)[number] | undefined;
  readonly state?: 'open' | 'closed' | undefined;
}

export const bodyOf = ({ title, description, cards, state }: Changes) => ({
  title,
  description,
  card_type: cards,
  state,
});

export function refuseEmpty(changes: Changes): void {
  const { title, description, cards, state } = changes;
  if ([title, description, cards, state].some((value) => value !== undefined)) return;
  throw new UserError('What should change? Use --title, --description or --cards.', { field: 'title' });
}

/** The form's initial values. */
export function presentOf({ title, description, card_type }: Project) {
  const shown = cardTypes.find((type) => type === card_type);
  return { title, ...(description === '' ? {} : { description }), ...(shown && { cards: shown }) };
}

type State = 'open' | 'closed';

const edit = (ref: ProjectRef, state: State) => request('projects.editInRepo', { ...ref, body: { state } });

export const planState = (ref: ProjectRef, state: State): readonly Request[] => [edit(ref, state)];

/** Can be undone for a while, if the server can say whether it is still the same. */
export async function changeState(ref: ProjectRef, state: State, context: Context): Promise<Project> {
  const before = await possible(context.api.projects.getInRepo(ref));
  const changed = await context.api.projects.editInRepo({ ...ref, body: { state } });
  if (before && before.state !== state) {
    context.offerUndo({
      says: `${before.state === 'open' ? 'Reopened' : 'Closed'} project ${projectName(ref)} again.`,
      request: edit(ref, before.state),
      guard: { request: request('projects.getInRepo', ref), expect: { id: before.id, state } },
    });
  }
  return changed;
}
