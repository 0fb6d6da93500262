import type { View } from '@slack/types';
import { jobIdOf } from '../../chat/act-job.js';
import type { AnyCommand } from '../../chat/command.js';
import { commandJob } from '../../chat/command-job.js';
import type { Args, Fields } from '../../chat/field.js';
import { errorModal, loadingModal } from '../../view/form.js';
import type { Mrkdwn } from '../../view/text.js';
import { type DoorDeps, personOf, refusalOf } from '../door-deps.js';
import { type Opened, openView } from './open-view.js';

interface Wanted {
  readonly command: AnyCommand;
  readonly args: Args<Fields>;
  readonly user: string;
  readonly channel?: string | undefined;
}

interface Frame {
  readonly title: string;
  readonly text?: Mrkdwn;
}

/** There is nothing to fill in: the command's answer replaces the loading view. */
export async function runInView(
  deps: DoorDeps,
  { command, args, user, channel }: Wanted,
  { title, ...loading }: Frame,
  open: (view: View) => Promise<Opened>,
): Promise<void> {
  const { view } = await openView(deps, open(loadingModal({ title, ...loading })));
  const viewId = view?.id;
  if (viewId === undefined) return;
  const asked = { args, source: 'button', person: personOf(deps, user), channel, answer: { viewId } } as const;
  const refused = refusalOf(await deps.accept(commandJob(deps.services, command, asked), jobIdOf('s', viewId)));
  if (refused) await deps.client.views.update({ view_id: viewId, view: errorModal({ title, text: refused.text }) });
}
