import { refuseRole } from '../../chat/admit.js';
import { explanation } from '../../chat/explain.js';
import { fitted } from '../../chat/fitted.js';
import { drawForm, drawingAt } from '../../chat/form/draw.js';
import { readDraft } from '../../chat/form/read.js';
import { MessageError } from '../../chat/message-error.js';
import { context } from '../../view/blocks.js';
import { coded, md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf } from '../door-deps.js';
import { readSignedMeta, signForm } from '../form-meta.js';
import type { BlockActions } from '../payloads.js';
import { prefilled } from './open-form.js';

/** A choice that decides the form's other questions: redraws the open form with what was typed. */
export async function onChoice(deps: DoorDeps, { view, user }: BlockActions): Promise<undefined> {
  const { seal } = deps.services.store;
  const person = personOf(deps, user.id);
  const meta = readSignedMeta(view?.private_metadata ?? '', seal, person);
  const command = meta && deps.catalog.get(meta.command);
  if (!view || !meta || !command?.asks?.choice) return undefined;
  refuseRole(command, deps.services.roles.of(person));
  const { preset, asked: _, patterns: __, ...rest } = meta;
  const draft = readDraft(command, view.state?.values ?? {}, await readingOf(deps, user.id), meta);
  const show = (filled: Parameters<typeof drawForm>[1]) =>
    deps.client.views.update({
      view_id: view.id,
      ...(view.hash && { hash: view.hash }),
      view: signForm(drawForm(command, { ...filled, drawing: drawingAt(deps.services.now()) }), seal, person),
    });
  // Not awaited by the acknowledgement: the form stays unchanged until then.
  void prefilled(deps, command, user.id, draft, meta.channel)
    .then((filled) => show({ ...filled, meta: rest }))
    .catch(async (error: unknown) => {
      const values = Object.fromEntries(Object.entries(draft).filter(([name]) => name !== command.asks?.choice));
      const notice =
        error instanceof MessageError
          ? await fitted(error.shown.blocks, deps.catalog, deps.services.forge)
          : [context([md`⚠️ ${coded(explanation(error, { ...deps.services, command }).says)}`])];
      return show({ values, meta: rest, notice });
    })
    .catch((error: unknown) => deps.services.log.warn({ reason: String(error) }, 'a form could not be drawn again'));
  return undefined;
}
