import { z } from 'zod';
import { type ActJob, type Address, jobIdOf } from '../../chat/act-job.js';
import { actionNames, Carried, Invocation } from '../../chat/actions.js';
import { refuseRole } from '../../chat/admit.js';
import type { AnyCommand } from '../../chat/command.js';
import { commandJob } from '../../chat/command-job.js';
import { explain, explanation } from '../../chat/explain.js';
import { fitBlocks } from '../../chat/fitted.js';
import { drawForm, drawingAt } from '../../chat/form/draw.js';
import { optionSourceOf } from '../../chat/form/questions.js';
import { readDraft, readForm } from '../../chat/form/read.js';
import { overview, topicNamed } from '../../chat/help.js';
import { MessageError } from '../../chat/message-error.js';
import { reasonOf, UserError } from '../../errors.js';
import { actionName, encodeValue, readValue } from '../../view/action.js';
import { context } from '../../view/blocks.js';
import { linkAction } from '../../view/elements.js';
import { errorModal } from '../../view/form.js';
import type { Message } from '../../view/message.js';
import { codeText, md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf, refusalOf } from '../door-deps.js';
import type { BlockActions } from '../payloads.js';
import { platformError } from '../platform-error.js';
import { channelOf } from '../whereabouts.js';
import { openDeny } from './deny.js';
import { openForm, openView, prefill, readSignedMeta, runInView, signForm } from './form.js';

const Page = z.record(z.string().max(40), z.int());

/** A choice that decides the form's other questions, or another page of them: redraws the open form with what was typed. */
async function onChoice(deps: DoorDeps, { view, user }: BlockActions, clicked: Clicked): Promise<undefined> {
  const { seal } = deps.services.store;
  const person = personOf(deps, user.id);
  const meta = readSignedMeta(view?.private_metadata ?? '', seal, person);
  const command = meta && deps.catalog.get(meta.command);
  if (!view || !meta || !command?.form?.asks?.choice) return undefined;
  refuseRole(command, deps.services.roles.of(person));
  const { preset, asked: _, patterns: __, ...rest } = meta;
  const page = actionName(clicked.action_id) === actionNames.page ? readValue(Page, clicked.value) : undefined;
  const typed = readDraft(command, view.state?.values ?? {}, await readingOf(deps, user.id), meta);
  const draft = { ...typed, ...page };
  const show = (filled: Parameters<typeof drawForm>[1]) =>
    deps.client.views.update({
      view_id: view.id,
      ...(view.hash && { hash: view.hash }),
      view: signForm(drawForm(command, { ...filled, drawing: drawingAt(deps.services.now()) }), seal, person),
    });
  // Not awaited by the acknowledgement: the form stays unchanged until then.
  void prefill(deps, command, user.id, draft, meta.channel)
    .then((filled) => show({ ...filled, meta: rest }))
    .catch(async (error: unknown) => {
      const values = page
        ? typed
        : Object.fromEntries(Object.entries(draft).filter(([name]) => name !== command.form?.asks?.choice));
      const notice =
        error instanceof MessageError
          ? await fitBlocks(error.shown.blocks, deps.catalog, deps.services.forge)
          : [context([md`⚠️ ${codeText(explanation(error, { ...deps.services, command }).says)}`])];
      return show({ values, meta: rest, notice });
    })
    .catch((error: unknown) => deps.services.log.warn({ reason: reasonOf(error) }, 'a form could not be drawn again'));
  return undefined;
}

/** Previews a form with its current values: the result is pushed on top of it. */
async function onPreview(deps: DoorDeps, payload: BlockActions): Promise<undefined> {
  const { view, trigger_id } = payload;
  const person = personOf(deps, payload.user.id);
  const meta = view && readSignedMeta(view.private_metadata, deps.services.store.seal, person);
  const command = meta && deps.catalog.get(meta.command);
  if (!view || !meta || !command?.form?.previews || !trigger_id)
    throw new UserError('This form is out of date. Open it again.');
  refuseRole(command, deps.services.roles.of(person));
  const title = 'Preview';
  const read = readForm(command, view.state?.values ?? {}, await readingOf(deps, payload.user.id), meta);
  if ('errors' in read) {
    const text = Object.values(read.errors).join('\n');
    await openView(deps, deps.client.views.push({ trigger_id, view: errorModal({ title, text }) }));
    return;
  }
  const args = { ...read.args, [command.form.previews]: true };
  await runInView(
    deps,
    { command, args, user: payload.user.id, channel: meta.channel },
    { title, text: md`⏳ Reading what happened…` },
    (loading) => deps.client.views.push({ trigger_id, view: loading }),
  );
}

type Clicked = BlockActions['actions'][number];
type Handler = (deps: DoorDeps, payload: BlockActions, clicked: Clicked) => Promise<Message | undefined>;

/** One handler per action name; an unknown one is refused and logged. */
const handlers: Readonly<Record<string, Handler>> = {
  [actionNames.run]: (deps, payload, clicked) => invoke(deps, payload, clicked, 'run'),
  [actionNames.turn]: (deps, payload, clicked) => invoke(deps, payload, clicked, 'turn'),
  [actionNames.form]: (deps, payload, clicked) => invoke(deps, payload, clicked, 'form'),
  [actionNames.more]: async (deps, payload, clicked) =>
    isLink(clicked) ? undefined : invoke(deps, payload, clicked, 'run'),
  [actionNames.pick]: (deps, payload, clicked) => invoke(deps, payload, clicked, 'run'),
  [actionNames.preview]: onPreview,
  [actionNames.page]: onChoice,
  [actionNames.topic]: async (deps, payload, clicked) => {
    const role = deps.services.roles.of(personOf(deps, payload.user.id));
    const group = topicNamed(clicked.selected_option?.value ?? '', deps.catalog);
    return overview(deps.catalog, { slash: deps.services.slash, role, lacks: deps.lacks, group });
  },
  [actionNames.undo]: (deps, payload, clicked) => {
    const { id, by } = readValue(Carried, clicked.value);
    const undo = { v: 1, kind: 'undo', undo: id, ...(by === undefined ? {} : { by }) } as const;
    return accept(deps, payload, clicked, { ...undo, ...addressOf(deps, payload, true) });
  },
  [actionNames.approve]: (deps, payload, clicked) => decide(deps, payload, clicked, 'approve'),
  [actionNames.deny]: deny,
  [actionNames.withdraw]: (deps, payload, clicked) => decide(deps, payload, clicked, 'withdraw'),
  [actionNames.remove]: remove,
  [linkAction]: async () => undefined,
};

export async function onAction(deps: DoorDeps, payload: BlockActions): Promise<Message | undefined> {
  const [clicked] = payload.actions;
  const name = actionName(clicked?.action_id ?? '');
  const chooses = payload.view?.type === 'modal' && optionSourceOf(name);
  const handle = chooses ? onChoice : Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (!clicked || !handle) {
    deps.services.log.warn({ action: clicked?.action_id.slice(0, 80) }, 'refused an unknown action');
    return undefined;
  }
  try {
    return await handle(deps, payload, clicked);
  } catch (error) {
    return explain(error, deps.services);
  }
}

async function invoke(deps: DoorDeps, payload: BlockActions, clicked: Clicked, how: 'run' | 'turn' | 'form') {
  const carried = readValue(Invocation, clicked.value ?? clicked.selected_option?.value);
  const command = findCommand(deps, carried.c);
  refuseCarried(command, carried.a);
  refuseRole(command, deps.services.roles.of(personOf(deps, payload.user.id)));
  if (how === 'form' || carried.f === 1 || command.form?.opens === 'only') {
    if (!payload.trigger_id) throw new UserError('Slack did not open the form. Click again.');
    const channel = channelOf(payload);
    const meta = {
      ...(channel === undefined ? {} : { channel }),
      ...responseUrl(payload),
      ...(payload.view?.type === 'home' ? { home: true as const } : {}),
      ...(carried.t === 1 ? { replace: true as const } : {}),
      ...(carried.d === 1 ? { dryRun: true as const } : {}),
    };
    const over = payload.view?.type === 'modal';
    await openForm(deps, {
      command,
      user: payload.user.id,
      triggerId: payload.trigger_id,
      args: carried.a,
      meta,
      over,
    });
    return undefined;
  }
  const to = addressOf(deps, payload, how === 'turn' || carried.t === 1);
  return accept(
    deps,
    payload,
    clicked,
    commandJob(deps.services, command, { args: carried.a, dryRun: carried.d === 1, source: 'button', ...to }),
  );
}

/** Slack opens the page itself. */
const isLink = ({ selected_option }: Clicked) => selected_option?.value === encodeValue(linkAction);

/** Secrets are typed into a form by their owner; form-only fields never come from a button. */
function refuseCarried(command: AnyCommand, args: Invocation['a']): void {
  const wrong = Object.keys(args).find((name) => {
    const field = command.fields[name];
    return field === undefined || field.secret === true || command.form?.opens === 'only';
  });
  if (wrong === undefined) return;
  throw new UserError('This button is out of date. Run the command again and use the new one.');
}

function findCommand(deps: DoorDeps, name: string): AnyCommand {
  const command = deps.catalog.get(name);
  if (command) return command;
  throw new UserError(`This button’s command, ${name}, no longer exists. See ${deps.services.slash} help.`);
}

function decide(deps: DoorDeps, payload: BlockActions, clicked: Clicked, verdict: 'approve' | 'withdraw') {
  const decision = { v: 1, kind: 'decision', approval: readValue(Carried, clicked.value).id, verdict } as const;
  return accept(deps, payload, clicked, { ...decision, ...addressOf(deps, payload, false) });
}

/** Only in direct messages: nobody else reads them. */
async function remove({ client }: DoorDeps, payload: BlockActions): Promise<undefined> {
  const channel = channelOf(payload);
  const ts = payload.message?.ts ?? payload.container?.message_ts;
  if (!channel?.startsWith('D') || ts === undefined) throw new UserError('Only a direct message can be deleted here.');
  await client.chat.delete({ channel, ts }).catch((error: unknown) => {
    if (platformError(error) !== 'message_not_found')
      throw new UserError('Slack did not delete the message. Click again.', { cause: error });
  });
}

async function deny(deps: DoorDeps, payload: BlockActions, clicked: Clicked): Promise<Message | undefined> {
  if (!payload.trigger_id) throw new UserError('Slack did not open the form. Click again.');
  const channel = channelOf(payload);
  await openDeny(deps, payload.user.id, payload.trigger_id, {
    approval: readValue(Carried, clicked.value).id,
    ...(channel === undefined ? {} : { channel }),
    ...responseUrl(payload),
  });
  return undefined;
}

function addressOf(deps: DoorDeps, payload: BlockActions, replace: boolean): Address {
  const threadTs = payload.message?.thread_ts ?? payload.container?.thread_ts;
  const channel = channelOf(payload);
  return {
    person: personOf(deps, payload.user.id),
    ...(channel === undefined ? {} : { channel }),
    answer: {
      replace,
      ...responseUrl(payload),
      ...homeOf(payload),
      ...(payload.view?.type === 'modal' ? { viewId: payload.view.id } : {}),
      ...(threadTs === undefined ? {} : { threadTs }),
    },
    acceptedAt: deps.services.now().getTime(),
  };
}

async function accept(deps: DoorDeps, payload: BlockActions, clicked: Clicked, job: ActJob) {
  const where = payload.message?.ts ?? payload.container?.message_ts ?? payload.view?.id ?? '';
  const id = jobIdOf('b', where, clicked.action_ts ?? '', payload.user.id);
  return refusalOf(await deps.accept(job, id));
}

/** Clicked on the App Home: which version was seen. */
export const homeOf = ({ view }: Pick<BlockActions, 'view'>) =>
  view?.type === 'home' ? { home: view.hash ?? '' } : {};

const responseUrl = (payload: BlockActions) => (payload.response_url ? { responseUrl: payload.response_url } : {});
