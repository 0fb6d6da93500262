import { possible } from '../forge/possible.js';
import type { AnyCommand } from './command.js';
import type { Context } from './context.js';
import type { Args, Fields } from './field.js';
import { pageIn } from './references.js';

/** The name that rules and agents' limits apply to: `issue close` on a pull request does what `pr close` does. */
export async function judgedAs(command: AnyCommand, args: Args<Fields>, { api }: Context): Promise<string> {
  const page = pageIn(args);
  if (command.forPulls === undefined || page?.kind !== 'issue') return command.name;
  const item = await possible(api.issues.get(page.of));
  return item?.pull_request ? command.forPulls : command.name;
}
