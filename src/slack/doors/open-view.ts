import { within } from '../../deadline.js';
import { UserError } from '../../errors.js';
import { errorModal } from '../../view/form.js';
import type { DoorDeps } from '../door-deps.js';

/** Leaves room for the acknowledgement within Slack's three seconds. */
const openMs = 1_800;

export interface Opened {
  readonly view?: { readonly id?: string };
}

/** A trigger is valid for three seconds: what Slack does not open by then, the person asks for again. */
export async function openView<T extends Opened>(
  deps: DoorDeps,
  opening: Promise<T>,
  again = 'Try again.',
): Promise<T> {
  try {
    return await within(openMs, opening, 'too slow');
  } catch (error) {
    deps.services.log.warn({ reason: String(error) }, 'Slack did not open a form');
    void endLate(deps, opening, again);
    throw new UserError(`Slack did not open the form. ${again}`, { cause: error });
  }
}

/** Slack may still open the form, which then leads nowhere: it says so. */
async function endLate({ client }: DoorDeps, opening: Promise<Opened>, again: string): Promise<void> {
  const text = `Slack opened this too late. ${again}`;
  try {
    const id = (await opening).view?.id;
    if (id) await client.views.update({ view_id: id, view: errorModal({ title: 'Forge', text }) });
  } catch {
    // it never opened
  }
}
