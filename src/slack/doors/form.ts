import type { ModalView, View } from '@slack/types';
import { jobIdOf } from '../../chat/act-job.js';
import { refuseUnsupported } from '../../chat/admit.js';
import { openArgs, resolveGiven } from '../../chat/arguments.js';
import type { AnyCommand } from '../../chat/command.js';
import { commandJob } from '../../chat/command-job.js';
import { explanation, findMissing } from '../../chat/explain.js';
import { type Args, type Fields, needsDefault, standIn } from '../../chat/fields.js';
import { fitBlocks } from '../../chat/fitted.js';
import { type Drawn, drawForm } from '../../chat/form/draw.js';
import { type FormMeta, readFormMeta } from '../../chat/form/meta.js';
import { linkFirst } from '../../chat/linking.js';
import { MessageError } from '../../chat/message-error.js';
import { type KnownRepository, knownIn, lookUpIds, namedIn, refuseTakenOver } from '../../chat/repo-ids.js';
import { readOnlySession } from '../../chat/session.js';
import { withoutMentions } from '../../chat/slack-text.js';
import { fieldsOf } from '../../chat/usage.js';
import { within } from '../../deadline.js';
import { reasonOf, UserError } from '../../errors.js';
import { ApiError } from '../../forge/index.js';
import { isUnseen } from '../../forge/possible.js';
import { property } from '../../property.js';
import type { Account, Person, Seal } from '../../store/index.js';
import { actions, section } from '../../view/blocks.js';
import { errorModal, loadingModal, resultModal } from '../../view/form.js';
import { type Mrkdwn, md } from '../../view/text.js';
import { type DoorDeps, personOf, refusalOf } from '../door-deps.js';
import { lacksDefault, ownRepository } from './own-repository.js';

const about = ({ team, user }: Person) => ['form', team, user] as const;
const signedForm = /^(.*),"mac":"([^"]{1,110})"\}$/s;

/** A form's metadata goes through Slack: on return it counts only if unchanged and for the same person. */
export function signForm(view: ModalView, seal: Seal, person: Person): ModalView {
  const meta = view.private_metadata ?? '';
  return { ...view, private_metadata: `${meta.slice(0, -1)},"mac":"${seal.mac(meta, about(person))}"}` };
}

/** Undefined for anything not signed above for this person. */
export function readSigned(text: string, seal: Seal, person: Person): string | undefined {
  const [, inside, mac = ''] = signedForm.exec(text) ?? [];
  if (inside === undefined) return undefined;
  const meta = `${inside}}`;
  return seal.checkMac(mac, meta, about(person)) ? meta : undefined;
}

export function readSignedMeta(text: string, seal: Seal, person: Person): FormMeta | undefined {
  const meta = readSigned(text, seal, person);
  return meta === undefined ? undefined : readFormMeta(meta);
}

/** Leaves room for the acknowledgement within Slack's three seconds. */
const openMs = 1_800;

interface Opened {
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
    deps.services.log.warn({ reason: reasonOf(error) }, 'Slack did not open a form');
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

interface FormRequest {
  readonly command: AnyCommand;
  readonly user: string;
  readonly triggerId: string;
  /** The arguments known so far, as typed. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta: Omit<FormMeta, 'command' | 'preset'>;
  /** Requested inside a form: the new one is pushed on top. */
  readonly over?: boolean;
}

const dryRunNotice = [section(md`🔎 Dry run: nothing will change. You will see what the command would do.`)];

const lackMs = 500;

/** A trigger is valid for three seconds: the form or a loading view opens before any request is made. */
export async function openForm(deps: DoorDeps, request: FormRequest): Promise<void> {
  const { command, meta, triggerId, user } = request;
  const { client } = deps;
  if (deps.lacks(command)) await refuseLacking(deps, command);
  const open = (view: View) => {
    const wanted = { trigger_id: triggerId, view };
    return openView(deps, request.over ? client.views.push(wanted) : client.views.open(wanted));
  };
  const [own, placeless, intro] = await Promise.all([
    ownRepository(deps, meta.channel, user),
    lacksDefault(deps, meta.channel),
    introOf(deps, command, user),
  ]);
  const given = readable(command, request.args);
  const { args, numbered, unnamed } = placeless ? withoutUnnamed(command, given) : { args: given };
  const draw = ({ known, ...filled }: Filled) =>
    signForm(
      drawForm(command, {
        ...filled,
        own,
        meta: {
          ...meta,
          command: command.name,
          ...(known.length > 0 && { known }),
          ...(placeless && { placeless }),
          ...(numbered && { numbered }),
        },
        notice: [...(meta.dryRun ? dryRunNotice : []), ...intro.blocks, ...(filled.notice ?? [])],
        alone: intro.alone,
      }),
      deps.services.store.seal,
      personOf(deps, user),
    );
  if (unnamed || (!command.form?.prefill && !asksNow(command, args))) {
    await open(draw({ values: args, known: knownIn(args) }));
    return;
  }
  const { view } = await open(loadingModal({ title: 'Forge' }));
  const id = view?.id;
  if (id === undefined) return;
  const show = (shown: View) => client.views.update({ view_id: id, view: shown });
  // Not awaited by the ack: the person sees the loading view until then.
  void prefill(deps, command, user, args, meta.channel)
    .then((filled) => show(draw(filled)))
    .catch(async (error: unknown) => {
      if (error instanceof MessageError)
        return show(
          resultModal({
            title: 'Forge',
            blocks: await fitBlocks(error.shown.blocks, deps.catalog, deps.services.forge),
          }),
        );
      const { says, next } = explanation(error, { ...deps.services, command });
      return show(errorModal({ title: 'Forge', text: says, next }));
    })
    .catch((error: unknown) => deps.services.log.warn({ reason: reasonOf(error) }, 'a form could not be filled'));
}

/** Without a default repository `#12` names nothing yet: the form asks for its repository. */
function withoutUnnamed(command: AnyCommand, args: FormRequest['args']) {
  const unnamed = fieldsOf(command).flatMap(([name, field]) => (needsDefault(field, args[name], args) ? [name] : []));
  const numbers = unnamed.flatMap((name) => {
    const number = property(args[name], 'index') ?? property(args[name], 'run') ?? property(args[name], 'id');
    return typeof number === 'number' ? [[name, number] as const] : [];
  });
  return {
    args: Object.fromEntries(Object.entries(args).filter(([name]) => !unnamed.includes(name))),
    ...(numbers.length > 0 && { numbered: Object.fromEntries(numbers) }),
    unnamed: unnamed.length > 0,
  };
}

async function introOf(deps: DoorDeps, command: AnyCommand, user: string) {
  const { roles, forge, store, signIn, slash } = deps.services;
  const person = personOf(deps, user);
  const intro = await command.form?.intro?.({
    role: roles.of(person),
    forge,
    store,
    person,
    slash,
    signInUrl: signIn?.url(person),
  });
  return { blocks: intro ? [section(intro.says), actions(...(intro.buttons ?? []))] : [], alone: intro?.alone };
}

/** An input shows plain text: mentions appear by name. */
function readable(command: AnyCommand, args: FormRequest['args']): FormRequest['args'] {
  const shown = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' && (command.fields[name]?.prose || command.fields[name]?.namesPeople)
      ? withoutMentions(value)
      : value,
  ]);
  return Object.fromEntries(shown);
}

/** Nobody should fill in a form in vain; if the forge does not answer now, the refusal comes after submitting. */
async function refuseLacking(deps: DoorDeps, command: AnyCommand): Promise<void> {
  await within(lackMs, refuseUnsupported(command, deps.services.forge), 'too slow').catch((error: unknown) => {
    if (error instanceof UserError) throw error;
  });
}

type Filled = Pick<Drawn, 'values' | 'asked' | 'hides' | 'notice'> & { readonly known: KnownRepository[] };

/** The questions depend on one field, or on the required ones: without them there is nothing to ask. */
function asksNow({ form, fields }: AnyCommand, args: FormRequest['args']): boolean {
  const asks = form?.asks;
  if (asks?.choice !== undefined) return args[asks.choice] !== undefined;
  return (
    asks !== undefined && Object.entries(fields).every(([name, field]) => !field.required || args[name] !== undefined)
  );
}

/** An empty repository means the channel's own. */
const withStandIns = ({ fields }: AnyCommand, args: FormRequest['args']): FormRequest['args'] => {
  const missing = Object.entries(fields).filter(([name, field]) => field.required && args[name] === undefined);
  const found = missing.map(([name, field]) => [name, standIn(field)] as const);
  return { ...Object.fromEntries(found.filter(([, value]) => value !== undefined)), ...args };
};

/** What the forge adds to a form: current values and its questions. */
export async function prefill(
  deps: DoorDeps,
  command: AnyCommand,
  user: string,
  args: Readonly<Record<string, unknown>>,
  channel: string | undefined,
): Promise<Filled> {
  const account = await deps.services.store.accounts.get(personOf(deps, user));
  return filledFor(deps, command, user, args, channel, account).catch((error: unknown) => {
    // without an account only public items are seen: whether it exists says nothing yet
    const unseen = isUnseen(error) || (error instanceof ApiError && error.kind === 'unauthorized');
    if (!unseen || command.account === 'none' || account?.state === 'active') throw error;
    throw new MessageError(linkFirst(account), error);
  });
}

async function filledFor(
  deps: DoorDeps,
  command: AnyCommand,
  user: string,
  args: Readonly<Record<string, unknown>>,
  channel: string | undefined,
  account: Account | undefined,
): Promise<Filled> {
  const person = personOf(deps, user);
  const context = await readOnlySession(deps.services, {
    person,
    channel,
    account: account?.state === 'active' ? account : undefined,
  });
  const asks = asksNow(command, args) ? command.form?.asks : undefined;
  const known = asks?.choice === undefined ? args : withStandIns(command, args);
  await refuseTakenOver(knownIn(args), context.api);
  const given = await resolveGiven(command, openArgs(command, { args: known, person }, deps.services.store), context);
  const [present, questions] = await read();
  return {
    known: await lookUpIds(namedIn(given), context.repoId),
    values: { ...present, ...args, ...questions?.values },
    asked: questions?.asked,
    hides: questions?.hides,
    ...(questions?.notice && { notice: questions.notice }),
  };

  async function read() {
    try {
      return [await command.form?.prefill?.(given, context), await asks?.of(given, context)] as const;
    } catch (error) {
      // without an account only public items are seen
      throw account?.state === 'active' ? await findMissing(error, { command, args: given, api: context.api }) : error;
    }
  }
}

interface FormSubject {
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
  { command, args, user, channel }: FormSubject,
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
