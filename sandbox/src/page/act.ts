import { z } from 'zod';
import { UserError } from '../../../src/errors.js';
import type { Actor, Message, Obj, Reply, SandboxSlack, View } from '../slack/index.js';
import { unfurlBlocks } from './pieces.js';
import type { Act, ActResult, Control, Place } from './wire.js';

const id = z.string().min(1).max(100);
const Fields: z.ZodType<Obj> = z.record(z.string(), z.json());
const Value = z.union([z.string().max(50_000), z.number(), z.null(), Fields, z.array(z.union([z.string(), Fields]))]);
const Values = z.record(z.string(), Value);
const ControlShape = z.object({ block: z.string(), action: z.string() });
const PlaceShape = z.discriminatedUnion('in', [
  z.object({ in: z.literal('message'), channel: id, ts: id, unfurl: z.string().optional() }),
  z.object({ in: z.literal('form') }),
  z.object({ in: z.literal('home') }),
]);
const text = z.string().max(12_000);

export const ActShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('say'), channel: id, text, thread: id.optional() }),
  z.object({ kind: z.literal('command'), channel: id, text }),
  z.object({ kind: z.literal('press'), place: PlaceShape, control: ControlShape }),
  z.object({ kind: z.literal('choose'), place: PlaceShape, control: ControlShape, value: Value }),
  z.object({ kind: z.literal('suggest'), place: PlaceShape, control: ControlShape, query: z.string().max(200) }),
  z.object({ kind: z.literal('fill'), values: Values }),
  z.object({ kind: z.literal('submit'), values: Values }),
  z.object({ kind: z.literal('close') }),
  z.object({ kind: z.literal('home') }),
  z.object({ kind: z.literal('shortcut'), id, message: z.object({ channel: id, ts: id }).optional() }),
]) satisfies z.ZodType<Act>;
type Read = z.infer<typeof ActShape>;

/** As worded by Slack's own client. */
const failures: Readonly<Record<string, string>> = {
  operation_timeout: 'Bellows did not answer within three seconds (operation_timeout). Try again.',
  dispatch_failed: 'Bellows is not connected (dispatch_failed). Is the sandbox still running?',
  http_error: 'Bellows answered with an error (http_error). Look at what the sandbox printed.',
  invalid_command: 'Unknown slash command. Type / to see the one that works here.',
};

const result = ({ ok, error }: Reply): ActResult =>
  ok || error === 'invalid_input' || error === undefined
    ? { ok }
    : { ok, error: failures[error] ?? `Slack answered ${error}.` };

function messageAt(actor: Actor, channel: string, ts: string): Message {
  const found = actor.sees(channel).find((message) => message.ts === ts);
  if (found === undefined) throw new UserError('That message no longer exists.');
  return found;
}

function targetOf(actor: Actor, place: Place): Message | View {
  if (place.in === 'message') {
    const message = messageAt(actor, place.channel, place.ts);
    const unfurl = place.unfurl === undefined ? undefined : message.unfurls[place.unfurl];
    return unfurl === undefined ? message : { ...message, blocks: unfurlBlocks(unfurl) };
  }
  const view = place.in === 'home' ? actor.home() : actor.openView();
  if (view === undefined) throw new UserError('That form is closed.');
  return view;
}

/** Two rows of a list may have the same action id: the block distinguishes them. */
function controlIn(target: Message | View, { block, action }: Control): (control: Obj) => boolean {
  const found = target.blocks.find((each) => each['block_id'] === block);
  if (found === undefined) return (control) => control['action_id'] === action;
  const { elements, accessory, element } = found;
  const inside: readonly unknown[] = [accessory, element, ...(Array.isArray(elements) ? elements : [])];
  return (control) => control['action_id'] === action && inside.includes(control);
}

async function press(actor: Actor, place: Place, control: Control): Promise<ActResult> {
  const target = targetOf(actor, place);
  return result(await actor.click(target, controlIn(target, control)));
}

async function command(actor: Actor, channel: string, typed: string): Promise<ActResult> {
  const [name = '', ...rest] = typed.trim().split(' ');
  return result(await actor.command(channel, name, rest.join(' ')));
}

/** Acts as the person would, with everything Slack does around it. */
export async function perform(slack: SandboxSlack, me: string, act: Read): Promise<ActResult> {
  const actor = slack.as(me);
  switch (act.kind) {
    case 'say':
      await actor.post(act.channel, act.text, act.thread);
      return { ok: true };
    case 'command':
      return command(actor, act.channel, act.text);
    case 'press':
      return press(actor, act.place, act.control);
    case 'choose': {
      const target = targetOf(actor, act.place);
      return result(await actor.select(target, controlIn(target, act.control), act.value));
    }
    case 'suggest': {
      const target = targetOf(actor, act.place);
      const reply = await actor.suggest(target, controlIn(target, act.control), act.query);
      return { ...result(reply), options: reply.options };
    }
    case 'fill':
      await actor.fill(act.values);
      return { ok: true };
    case 'submit':
      await actor.fill(act.values);
      return result(await actor.submit());
    case 'close':
      if (actor.openView() !== undefined) await actor.close();
      return { ok: true };
    case 'home':
      return result(await actor.openHome());
    case 'shortcut':
      return result(
        act.message === undefined
          ? await actor.shortcut(act.id)
          : await actor.messageShortcut(act.id, messageAt(actor, act.message.channel, act.message.ts)),
      );
  }
}
