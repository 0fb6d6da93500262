import { answer } from '../answer.js';
import type { Core } from '../core.js';
import { emit } from '../events.js';
import { isObj, type Json } from '../json.js';
import type { Channel, Message, User, View } from '../model.js';
import { SlackError } from '../slack-error.js';
import { viewWire } from '../wire.js';
import { act } from './act.js';
import { choose, type Fill } from './choose.js';
import { type Found, findControl, findField, type Which } from './controls.js';
import { command, interaction, isMessage, type Target } from './payloads.js';
import { Picks } from './picks.js';
import { post } from './post.js';
import { failed, type Reply, replyOf } from './reply.js';
import { messageShortcut, shortcut } from './shortcuts.js';
import { type Submitted, submit } from './submit.js';
import { type Suggestion, suggest } from './suggest.js';
import { asTyped } from './typed.js';

/** One person at a keyboard. */
export class Actor {
  readonly id: string;
  readonly #core: Core;
  readonly #user: User;
  readonly #picks: Picks;

  constructor(core: Core, user: User) {
    this.#core = core;
    this.#user = user;
    this.#picks = new Picks(core.space.views);
    this.id = user.id;
  }

  /** Types a slash command; the answer inside the acknowledgement is shown, as by Slack. */
  async command(where: string, name: string, text = ''): Promise<Reply> {
    const { app, space, courier } = this.#core;
    if (app.commands !== undefined && !app.commands.includes(name)) return failed('invalid_command');
    const channel = this.#inside(where);
    const payload = command(this.#core, this.#user, channel, name, asTyped(space, text, 'command'));
    const reply = replyOf(await courier.deliver('slash_commands', payload));
    const body = typeof reply.ack === 'string' ? { text: reply.ack } : reply.ack;
    if (!reply.ok || !isObj(body)) return reply;
    try {
      answer(this.#core, { channel: channel.id, user: this.id, threadTs: undefined, original: undefined }, body);
      return reply;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      this.#core.failures.note('protocol', `a command acknowledged with an unusable message: ${error.error}`);
      return failed(error.error, reply.ack);
    }
  }

  /** Presses a button, or picks from an overflow menu. */
  async click(target: Target, which: Which, value?: string): Promise<Reply> {
    const found = findControl(target.blocks, which);
    if (found.control['type'] === 'overflow') return this.select(target, which, value ?? null);
    return act(
      this.#core,
      this.#user,
      this.#visible(target),
      found,
      value === undefined ? {} : { value },
      this.#picks.of(target),
    );
  }

  /** Chooses in any other control of a message, a form or Home. */
  async select(target: Target, which: Which, wanted: Fill): Promise<Reply> {
    const found = findControl(target.blocks, which);
    const option = await this.#choose(target, found, wanted);
    const placed = this.#picks.keep(this.#visible(target), found, option);
    return act(this.#core, this.#user, placed, found, { option }, this.#picks.of(placed));
  }

  suggest(target: Target, which: Which, query: string): Promise<Suggestion> {
    return suggest(this.#core, this.#user, this.#visible(target), findControl(target.blocks, which), query);
  }

  openView(): View | undefined {
    return this.#core.space.views.top(this.id);
  }

  get views(): readonly View[] {
    return this.#core.space.views.stack(this.id);
  }

  /** Fills fields of the open form, each by block id, action id or label. */
  async fill(values: Readonly<Record<string, Fill>>): Promise<void> {
    for (const [name, wanted] of Object.entries(values)) {
      const view = this.#form();
      const found = findField(view.blocks, name);
      const option = await this.#choose(view, found, wanted);
      const filled = this.#picks.keep(this.#form(), found, option);
      if (found.block['dispatch_action'] === true) await act(this.#core, this.#user, filled, found, { option }, {});
    }
  }

  submit(): Promise<Submitted> {
    return submit(this.#core, this.#user, this.#form());
  }

  /** Closes the form on top; all of them when the form says so. */
  async close(): Promise<void> {
    const top = this.#form();
    const closed = this.#core.space.views.close(this.id, top.clearOnClose ? 'all' : 'top');
    for (const view of closed.filter((each) => each.notifyOnClose)) {
      const payload = { view: viewWire(view, this.#core.space), is_cleared: top.clearOnClose };
      const base = interaction(this.#core, this.#user, 'view_closed');
      await this.#core.courier.deliver('interactive', { ...base, ...payload }, false);
    }
  }

  shortcut(callbackId: string): Promise<Reply> {
    return shortcut(this.#core, this.#user, callbackId);
  }

  messageShortcut(callbackId: string, message: Message): Promise<Reply> {
    return messageShortcut(this.#core, this.#user, callbackId, this.#visible(message));
  }

  async openHome(): Promise<Reply> {
    const { space } = this.#core;
    const view = space.views.home(this.id);
    const event = { type: 'app_home_opened', user: this.id, channel: space.dm(this.id).id, tab: 'home' };
    return replyOf(await emit(this.#core, view === undefined ? event : { ...event, view: viewWire(view, space) }));
  }

  home(): View | undefined {
    return this.#core.space.views.home(this.id);
  }

  post(where: string, text: string, threadTs?: string): Promise<Message> {
    return post(this.#core, this.#user, this.#inside(where), text, threadTs);
  }

  /** The id of this person's direct messages with the bot. */
  get dm(): string {
    return this.#core.space.dm(this.id).id;
  }

  /** Everything this person can read there, in order, with what only they were shown. */
  sees(where: string): Message[] {
    const { id } = this.#inside(where);
    const { timeline } = this.#core.space;
    const own = timeline.onlyFor(this.id).filter((message) => message.channel === id);
    return [...timeline.in(id), ...own].sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  #form(): View {
    const view = this.openView();
    if (view === undefined) throw new Error(`${this.#user.name} has no form open.`);
    return view;
  }

  #inside(where: string): Channel {
    const channel = this.#core.space.channel(where);
    if (channel.kind === 'public' || channel.members.has(this.id)) return channel;
    throw new Error(`${this.#user.name} is not in ${channel.name}.`);
  }

  #visible<T extends Target>(target: T): T {
    const hidden = isMessage(target)
      ? target.onlyFor !== undefined && target.onlyFor !== this.id
      : target.user !== this.id;
    if (hidden) throw new Error(`${this.#user.name} does not see that.`);
    if (isMessage(target)) this.#inside(target.channel);
    return target;
  }

  #choose(target: Target, found: Found, wanted: Fill): Promise<Json> {
    const ask = async (query: string) => {
      const { ok, error, options } = await suggest(this.#core, this.#user, target, found, query);
      if (!ok) throw new Error(`The options for "${query}" did not come: ${error}.`);
      return options;
    };
    return choose(this.#core.space, found.control, wanted, ask);
  }
}
