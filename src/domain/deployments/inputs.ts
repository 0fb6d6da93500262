import { formButtonIfFits } from '../../chat/actions.js';
import type { Context } from '../../chat/context.js';
import type { Asked as Question } from '../../chat/form/asked.js';
import type { MessageError } from '../../chat/message-error.js';
import { asCode, UserError } from '../../errors.js';
import { fittedInputs, missingOf, questionsOf, wiredInputs } from '../workflows/input-values.js';
import { missingInputs } from '../workflows/missing-inputs.js';
import { declaredAt, type Head, headOf, wholeRef } from '../workflows/source.js';
import { type Configured, configuredAs } from './environment.js';

export interface Asked {
  readonly environment: string;
  readonly ref?: string | undefined;
  readonly input?: Readonly<Record<string, string>> | undefined;
  readonly reason?: string | undefined;
  readonly breakGlass?: boolean | undefined;
}

/** Undefined: the default branch. */
export const usualRef = ({ deployment }: Configured): string | undefined =>
  deployment.refs.find((each) => !/[*?]/.test(each));

/** The inputs left to the requester, as the workflow file describes them. */
export async function questions(given: Partial<Asked>, context: Context): Promise<{ asked: readonly Question[] }> {
  if (given.environment === undefined) return { asked: [] };
  const configured = configuredAs(given.environment, context);
  const { at, deployment } = configured;
  if (deployment.askFor.length === 0) return { asked: [] };
  const ref = await wholeRef(at, given.ref ?? usualRef(configured), context);
  const declared = await declaredAt(at, deployment.workflow, { ref, sha: await headOf(at, ref, context) }, context);
  return { asked: questionsOf(declared, given.input ?? {}, (name) => deployment.askFor.includes(name)) };
}

/** A refusal that offers the form for the missing inputs. */
function missing(asked: Asked, workflow: string, names: readonly string[]): MessageError {
  const { environment, ref, input, reason, breakGlass } = asked;
  const args = {
    environment,
    ...(ref !== undefined && { ref }),
    ...(input && { input }),
    ...(reason !== undefined && { reason }),
    ...(breakGlass && { breakGlass }),
  };
  const fill = formButtonIfFits({ text: 'Fill in inputs', command: 'deploy', args, style: 'primary' });
  return missingInputs(workflow, names, fill);
}

/** Exactly what is sent. */
export async function inputsFor(asked: Asked, { name, at, deployment }: Configured, head: Head, context: Context) {
  const given = asked.input ?? {};
  const other = Object.keys(given).find((each) => !deployment.askFor.includes(each));
  if (other !== undefined)
    throw new UserError(
      `${asCode(other)} can’t be set here. Inputs to give: ${asCode(...deployment.askFor) || 'none'}.`,
      {
        field: 'input',
      },
    );
  const all = { ...given, ...deployment.inputs };
  const declared = await declaredAt(at, deployment.workflow, head, context);
  const open = missingOf(declared, all).map((input) => input.name);
  if (open.length === 0) return wiredInputs(declared, fittedInputs(declared, all), context);
  if (open.every((each) => deployment.askFor.includes(each))) throw missing(asked, deployment.workflow, open);
  throw new UserError(
    `${asCode(deployment.workflow)} needs a value for ${asCode(...open)}. An admin adds it to ${asCode(`deployments.${name}`)} in bellows.yaml.`,
  );
}
