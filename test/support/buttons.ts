import { z } from 'zod';
import { actionNames, Invocation } from '../../src/chat/actions.js';
import { namedIn } from '../../src/chat/repo-ids.js';
import { commands } from '../../src/features/index.js';
import { actionName } from '../../src/view/action.js';

const byName = new Map(commands.map((command) => [command.name, command]));
const calling: ReadonlySet<string> = new Set([
  actionNames.run,
  actionNames.form,
  actionNames.turn,
  actionNames.more,
  actionNames.pick,
]);

const Element = z.object({
  action_id: z.string(),
  text: z.object({ text: z.string() }).optional(),
  value: z.string().optional(),
  options: z.array(z.object({ value: z.string().optional(), url: z.string().optional() })).optional(),
});

/** Errors in the buttons of anything sent to Slack: unknown commands or arguments, refused values, or a name without its id. */
export function wrongButtons(sent: unknown): string[] {
  if (typeof sent === 'string' && /^[[{]/.test(sent)) return wrongButtons(parsed(sent));
  if (Array.isArray(sent)) return sent.flatMap(wrongButtons);
  if (typeof sent !== 'object' || sent === null) return [];
  const element = Element.safeParse(sent).data;
  if (!element || !calling.has(actionName(element.action_id))) return Object.values(sent).flatMap(wrongButtons);
  const values = [
    element.value,
    ...(element.options ?? []).flatMap(({ value, url }) => (url === undefined ? value : [])),
  ];
  return values.flatMap((value) =>
    value === undefined ? [] : wrongCall(value, element.text?.text === 'Open the form'),
  );
}

/** `typed`: it repeats the names that its person has just typed. */
function wrongCall(value: string, typed: boolean): string[] {
  const call = Invocation.safeParse(parsed(value)).data;
  const command = call && byName.get(call.c);
  if (!call || !command) return [`no command: ${value}`];
  const unbound = namedIn(call.a).filter(({ repoId }) => repoId === undefined);
  if (!typed && command.risk !== 'read' && unbound.length > 0)
    return [`${call.c} holds no id of its repository: ${value}`];
  return Object.entries(call.a).flatMap(([name, given]) => {
    const field = command.fields[name];
    if (!field || field.secret) return [`${call.c} takes no ${name} from a button`];
    return field.schema.safeParse(given).success ? [] : [`${call.c}: ${name} cannot be ${JSON.stringify(given)}`];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
