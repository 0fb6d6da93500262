import { jobIdOf } from '../../chat/act-job.js';
import { refuseRole } from '../../chat/admit.js';
import { commandJob } from '../../chat/command-job.js';
import { readForm } from '../../chat/form/read.js';
import { UserError } from '../../errors.js';
import { errorModal, loadingModal } from '../../view/form.js';
import { md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf, refusalOf } from '../door-deps.js';
import { readSignedMeta } from '../form-meta.js';
import type { BlockActions } from '../payloads.js';
import { openView } from './open-view.js';

/** Previews a form with its current values: the result is pushed on top of it. */
export async function onPreview(deps: DoorDeps, payload: BlockActions): Promise<undefined> {
  const { view, trigger_id } = payload;
  const person = personOf(deps, payload.user.id);
  const meta = view && readSignedMeta(view.private_metadata, deps.services.store.seal, person);
  const command = meta && deps.catalog.get(meta.command);
  if (!view || !meta || !command?.previews || !trigger_id)
    throw new UserError('This form is out of date. Open it again.');
  refuseRole(command, deps.services.roles.of(person));
  const title = 'Preview';
  const read = readForm(command, view.state?.values ?? {}, await readingOf(deps, payload.user.id), meta);
  if ('errors' in read) {
    const text = Object.values(read.errors).join('\n');
    await openView(deps, deps.client.views.push({ trigger_id, view: errorModal({ title, text }) }));
    return;
  }
  const loading = loadingModal({ title, text: md`⏳ Reading what happened…` });
  const { view: pushed } = await openView(deps, deps.client.views.push({ trigger_id, view: loading }));
  if (!pushed?.id) return;
  const args = { ...read.args, [command.previews]: true };
  const to = { person, channel: meta.channel, answer: { viewId: pushed.id } };
  const job = commandJob(deps.services, command, { args, source: 'button', ...to });
  const refused = refusalOf(await deps.accept(job, jobIdOf('t', pushed.id)));
  if (refused) await deps.client.views.update({ view_id: pushed.id, view: errorModal({ title, text: refused.text }) });
}
