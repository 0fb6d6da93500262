import type { View } from '@slack/types';
import { refuseUnsupported } from '../../chat/admit.js';
import { openArgs, resolveGiven } from '../../chat/arguments.js';
import type { AnyCommand } from '../../chat/command.js';
import { explanation } from '../../chat/explain.js';
import type { Asked } from '../../chat/form/asked.js';
import { drawForm, type FormMeta } from '../../chat/form.js';
import { readOnlySession } from '../../chat/session.js';
import { withoutMentions } from '../../chat/slack-text.js';
import { within } from '../../deadline.js';
import { UserError } from '../../errors.js';
import { section } from '../../view/blocks.js';
import { errorModal, loadingModal } from '../../view/form.js';
import { md } from '../../view/text.js';
import { type DoorDeps, personOf } from '../door-deps.js';
import { signForm } from '../form-meta.js';

export interface FormRequest {
  readonly command: AnyCommand;
  readonly user: string;
  readonly triggerId: string;
  /** Typed arguments known so far. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Omit<FormMeta, 'command' | 'preset'>;
  /** Asked for inside a form: the new one is laid over it. */
  readonly over?: boolean;
}

const rehearsal = [section(md`🔎 Rehearsal: nothing is sent, you are shown what would be.`)];

/** Leaves room for the acknowledgement inside Slack's three seconds. */
export const openMs = 1_800;
const lackMs = 500;

/** A trigger lives three seconds: the form, or a loading view in its place, opens before anyone is asked anything. */
export async function openForm(deps: DoorDeps, request: FormRequest): Promise<void> {
  const { command, meta, triggerId, user } = request;
  const args = readable(command, request.args);
  const { client } = deps;
  if (deps.lacks(command)) await refuseLacking(deps, command);
  const open = (view: View) => {
    const opening = request.over
      ? client.views.push({ trigger_id: triggerId, view })
      : client.views.open({ trigger_id: triggerId, view });
    return within(openMs, opening, 'too slow').catch((error: unknown) => {
      deps.services.log.warn({ command: command.name, reason: String(error) }, 'Slack did not open a form');
      throw new UserError('Slack did not open the form. Ask again.', { cause: error });
    });
  };
  const draw = (values: Readonly<Record<string, unknown>>, asked?: Filled['asked']) =>
    signForm(
      drawForm(command, {
        values,
        asked,
        meta: { ...meta, command: command.name },
        notice: [...(meta.dryRun ? rehearsal : []), ...introOf(deps, command, user)],
      }),
      deps.services.store.seal,
      personOf(deps, user),
    );
  if (!command.prefill && !asksNow(command, args)) {
    await open(draw(args));
    return;
  }
  const { view } = await open(loadingModal({ title: 'Forge' }));
  const id = view?.id;
  if (id === undefined) return;
  const show = (shown: View) => client.views.update({ view_id: id, view: shown });
  // Not awaited by the ack: the person sees the loading view meanwhile.
  void prefilled(deps, command, user, args, meta.channel)
    .then(({ values, asked }) => show(draw({ ...values, ...args }, asked)))
    .catch((error: unknown) => {
      const { says, next } = explanation(error, { command, slash: deps.slash, log: deps.services.log });
      return show(errorModal({ title: 'Forge', text: says, next }));
    })
    .catch((error: unknown) => deps.services.log.warn({ reason: String(error) }, 'a form could not be filled'));
}

function introOf(deps: DoorDeps, command: AnyCommand, user: string) {
  const { roles, forge } = deps.services;
  const says = command.intro?.({ role: roles.of(personOf(deps, user)), forge });
  return says ? [section(says)] : [];
}

/** An input shows text as it is: whom it mentions stands there by name. */
function readable(command: AnyCommand, args: FormRequest['args']): FormRequest['args'] {
  const shown = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' && command.fields[name]?.prose ? withoutMentions(value) : value,
  ]);
  return Object.fromEntries(shown);
}

/** Nobody fills in a form for nothing; where the forge does not answer now, the refusal comes after sending. */
async function refuseLacking(deps: DoorDeps, command: AnyCommand): Promise<void> {
  await within(lackMs, refuseUnsupported(command, deps.services.forge), 'too slow').catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
}

interface Filled {
  readonly values: Readonly<Record<string, unknown>>;
  readonly asked: readonly Asked[] | undefined;
}

/** What is asked depends on the required fields: without them there is nothing to ask about. */
const asksNow = ({ asks, fields }: AnyCommand, args: FormRequest['args']) =>
  asks !== undefined && Object.entries(fields).every(([name, field]) => !field.required || args[name] !== undefined);

async function prefilled(
  deps: DoorDeps,
  command: AnyCommand,
  user: string,
  args: Readonly<Record<string, unknown>>,
  channel: string | undefined,
): Promise<Filled> {
  const person = personOf(deps, user);
  const account = await deps.services.store.accounts.get(person);
  const context = await readOnlySession(deps.services, {
    person,
    channel,
    account: account?.state === 'active' ? account : undefined,
  });
  const given = await resolveGiven(command, openArgs(command, { args, person }, deps.services.store), context);
  return {
    values: (await command.prefill?.(given, context)) ?? {},
    asked: asksNow(command, args) ? await command.asks?.of(given, context) : undefined,
  };
}
