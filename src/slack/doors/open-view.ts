import { within } from '../../deadline.js';
import { UserError } from '../../errors.js';
import type { DoorDeps } from '../door-deps.js';

/** Leaves room for the acknowledgement within Slack's three seconds. */
const openMs = 1_800;

/** A trigger is valid for three seconds: what Slack does not open by then, the person asks for again. */
export async function openView<T>({ services }: DoorDeps, opening: Promise<T>, again = 'Try again.'): Promise<T> {
  try {
    return await within(openMs, opening, 'too slow');
  } catch (error) {
    services.log.warn({ reason: String(error) }, 'Slack did not open a form');
    throw new UserError(`Slack did not open the form. ${again}`, { cause: error });
  }
}
