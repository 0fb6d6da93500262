import { refuseRole } from '../../chat/admit.js';
import { readForm } from '../../chat/form/read.js';
import { UserError } from '../../errors.js';
import { errorModal } from '../../view/form.js';
import { md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf } from '../door-deps.js';
import { readSignedMeta } from '../form-meta.js';
import type { BlockActions } from '../payloads.js';
import { openView } from './open-view.js';
import { runInView } from './run-in-view.js';

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
  const args = { ...read.args, [command.previews]: true };
  await runInView(
    deps,
    { command, args, user: payload.user.id, channel: meta.channel },
    { title, text: md`⏳ Reading what happened…` },
    (loading) => deps.client.views.push({ trigger_id, view: loading }),
  );
}
