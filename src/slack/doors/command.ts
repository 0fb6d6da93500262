import type { ModalView } from '@slack/types';
import { type AnswerTo, type CommandJob, jobIdOf } from '../../chat/act-job.js';
import { actionNames, type Invocation } from '../../chat/actions.js';
import { atLeast, refuseRole } from '../../chat/admit.js';
import type { CommandList } from '../../chat/catalog.js';
import type { AnyCommand } from '../../chat/command.js';
import { commandJob } from '../../chat/command-job.js';
import { explain } from '../../chat/explain.js';
import { needsDefault } from '../../chat/fields.js';
import { type Parsed, parseCommand } from '../../chat/grammar.js';
import { commandHelp, overview, unknownWord } from '../../chat/help.js';
import { fullName, type RepositoryRef } from '../../chat/references.js';
import { fieldsOf, opensForm } from '../../chat/usage.js';
import { within } from '../../deadline.js';
import type { Person } from '../../store/index.js';
import { actions, context, section } from '../../view/blocks.js';
import { choiceMenu, modal } from '../../view/form.js';
import { type Message, say } from '../../view/message.js';
import { code, md } from '../../view/text.js';
import { type DoorDeps, personOf, readingOf, refusalOf } from '../door-deps.js';
import type { SlashCommand } from '../payloads.js';
import { remembering } from '../whereabouts.js';
import { openForm, openView } from './form.js';
import { lacksDefault, ownRepository } from './own-repository.js';

/** The most common commands, in the order people look for them. */
const everyday = [
  'issue create',
  'issue close',
  'issue comment',
  'issue search',
  'pr review',
  'pr approve',
  'pr merge',
  'run list',
  'run rerun',
  'run cancel',
  'subscribe',
  'mute',
  'remind reviews',
  'inbox',
  'todo',
  'settings',
  'signin',
] as const;

/** Takes no input, so there is no form to open. */
const runsAtOnce = new Set(['inbox', 'todo']);

interface Launch {
  readonly slash: string;
  readonly privateMetadata?: string;
  /** The channel's repository, if it has one. */
  readonly own?: RepositoryRef | undefined;
  offers(command: AnyCommand): boolean;
}

/** `/forge` without arguments: what do you want to do? */
function launcher(catalog: Pick<CommandList, 'get'>, { slash, privateMetadata, own, offers }: Launch): ModalView {
  const choices = everyday.flatMap((name) => {
    const command = catalog.get(name);
    if (!command || !offers(command)) return [];
    const call: Invocation = { c: command.name, a: {}, ...(runsAtOnce.has(name) ? {} : { f: 1 as const }) };
    return [{ label: command.summary, value: JSON.stringify(call) }];
  });
  return modal({
    title: 'Forge',
    privateMetadata,
    blocks: [
      section(md`What do you want to do?`),
      actions(choiceMenu({ action: actionNames.more, choices, placeholder: 'Choose an action' })),
      own ? context([md`Default repository: ${fullName(own)}`]) : undefined,
      section(md`You can also type it: ${code(`${slash} issue close #12`)}. See ${code(`${slash} help`)}.`),
    ],
  });
}

/** The slash command without arguments: a small menu, or help if Slack cannot open it. */
async function launch(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  const { catalog, lacks } = deps;
  const { slash } = deps.services;
  const role = deps.services.roles.of(personOf(deps, payload.user_id));
  const offers = (command: AnyCommand) => atLeast(role, command.role) && !lacks(command);
  const own = await ownRepository(deps, payload.channel_id, payload.user_id);
  const view = launcher(catalog, { slash, offers, own, ...remembering(payload.channel_id) });
  try {
    await openView(deps, deps.client.views.open({ trigger_id: payload.trigger_id, view }));
    return undefined;
  } catch {
    return overview(catalog, { slash, role, lacks });
  }
}

/** A slash command: opens the form at once if a field is missing, otherwise answers later. */
export function onCommand(deps: DoorDeps, payload: SlashCommand): Promise<Message | undefined> {
  if (payload.text.trim() === '') return launch(deps, payload);
  const { user_id: user, channel_id: channel, trigger_id: triggerId, response_url: responseUrl } = payload;
  const answer = responseUrl ? { responseUrl } : {};
  return onTyped(deps, {
    user,
    channel,
    source: 'typed',
    answer,
    id: jobIdOf('c', triggerId),
    parse: async () => parseCommand(payload.text, deps.catalog, await readingOf(deps, user)),
    async openForm(command, args, dryRun) {
      const meta = { channel, ...answer, ...(dryRun ? { dryRun: true as const } : {}) };
      await openForm(deps, { command, user, triggerId, args, meta });
      return undefined;
    },
  });
}

interface Typed {
  readonly user: string;
  readonly channel: string;
  readonly source: CommandJob['source'];
  readonly answer: AnswerTo;
  /** The same command delivered again has the same id. */
  readonly id: string;
  parse(): Promise<Parsed>;
  /** If something is missing, or a form is better suited. */
  openForm(command: AnyCommand, args: Readonly<Record<string, unknown>>, dryRun: boolean): Promise<Message | undefined>;
}

/** Turns text into work: parsed and admitted from memory, then stored. Returns the immediate answer, if any. */
export async function onTyped(deps: DoorDeps, typed: Typed): Promise<Message | undefined> {
  const person = personOf(deps, typed.user);
  const role = deps.services.roles.of(person);
  // Slack runs no slash commands in threads
  const slash = typed.source === 'written' && !typed.channel.startsWith('D') ? '@Bellows' : deps.services.slash;
  const reader = { slash, role, lacks: deps.lacks };
  try {
    const parsed = await typed.parse();
    if (parsed.kind === 'help') {
      if (parsed.command) return commandHelp(parsed.command, { slash });
      return overview(deps.catalog, { ...reader, group: parsed.group, linked: await isLinked(deps, person) });
    }
    if (parsed.kind === 'thanks') return say(md`You’re welcome.`);
    if (parsed.kind === 'unknown') return unknownWord(parsed, deps.catalog, reader);
    const { command, args, missing, dryRun } = parsed;
    refuseRole(command, role);
    const unnamed = fieldsOf(command).some(([name, field]) => needsDefault(field, args[name], args));
    const asks = missing.length > 0 || (!dryRun && opensForm(command, args));
    if (asks || (unnamed && (await lacksDefault(deps, typed.channel))))
      return await typed.openForm(command, args, dryRun);
    const { source, channel, answer } = typed;
    const job = commandJob(deps.services, command, { args, dryRun, source, person, channel, answer });
    return refusalOf(await deps.accept(job, typed.id));
  } catch (error) {
    return explain(error, deps.services);
  }
}

/** How long to wait before answering without the hint to link. */
const linkedMs = 300;

async function isLinked({ services }: DoorDeps, person: Person): Promise<boolean> {
  const account = within(linkedMs, services.store.accounts.get(person), 'too slow');
  return account.then((found) => found?.state === 'active').catch(() => true);
}
