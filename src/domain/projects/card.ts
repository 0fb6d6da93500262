import { formButton, runButton } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { Project } from '../../forge/schemas/project.js';
import { projectCard } from '../../view/cards/project.js';
import { type Message, message } from '../../view/message.js';
import type { Mrkdwn } from '../../view/text.js';
import type { ProjectRef } from './reference.js';

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
