import { answer } from '../answer.js';
import type { Core } from '../core.js';
import { emit } from '../events.js';
import { isObj, type Json, type Obj } from '../json.js';
import type { Message, User, View } from '../model.js';
import { SlackError } from '../slack-error.js';
import { viewWire } from '../wire.js';
import { act } from './act.js';
import { choose, type Fill } from './choose.js';
import { blocksOf, type Found, findControl, findField, type Which } from './controls.js';
import { openDetails } from './details.js';
import { edit, remove } from './edit.js';
import { command, interaction, type Target } from './payloads.js';
import { Picks } from './picks.js';
import { post } from './post.js';
import { active, inside, present, presentMessage, visible, writing } from './presence.js';
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

  /** Types a slash command; an answer in the acknowledgement is shown, as in Slack. */
  async command(where: string, name: string, text = ''): Promise<Reply> {
    const { app, space, courier } = this.#core;
    if (app.commands !== undefined && !app.commands.includes(name)) return failed('invalid_command');
    const channel = writing(this.#core, this.#user, where);
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

  /** Presses a button, or picks from an overflow menu, in the message or view as it is now. */
  async click(target: Target, which: Which, value?: string): Promise<Reply> {
    return this.#press(present(this.#core, this.#user, target), which, value);
  }

  /** Presses a control that has since changed or disappeared, on a screen that still shows it. */
  async clickOnOldScreen(target: Target, which: Which, value?: string): Promise<Reply> {
    return this.#press(visible(this.#core, this.#user, target), which, value);
  }

  /** Chooses in any other control of a message, a form or Home. */
  async select(target: Target, which: Which, wanted: Fill): Promise<Reply> {
    return this.#pick(present(this.#core, this.#user, target), which, wanted);
  }

  async suggest(target: Target, which: Which, query: string): Promise<Suggestion> {
    const shown = present(this.#core, this.#user, target);
    return suggest(this.#core, this.#user, shown, findControl(blocksOf(shown), which), query);
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

  async submit(): Promise<Submitted> {
    return submit(this.#core, this.#user, this.#form());
  }

  /** Closes the top form, or all of them if the form says so. */
  async close(): Promise<void> {
    const top = this.#form();
    const closed = this.#core.space.views.close(this.id, top.clearOnClose ? 'all' : 'top');
    for (const view of closed.filter((each) => each.notifyOnClose)) {
      const payload = { view: viewWire(view, this.#core.space), is_cleared: top.clearOnClose };
      const base = interaction(this.#core, this.#user, 'view_closed');
      await this.#core.courier.deliver('interactive', { ...base, ...payload }, false);
    }
  }

  async shortcut(callbackId: string): Promise<Reply> {
    return shortcut(this.#core, active(this.#user), callbackId);
  }

  async messageShortcut(callbackId: string, message: Message): Promise<Reply> {
    const shown = presentMessage(this.#core, this.#user, visible(this.#core, this.#user, message));
    return messageShortcut(this.#core, this.#user, callbackId, shown);
  }

  async openHome(): Promise<Reply> {
    active(this.#user);
    const { space } = this.#core;
    const view = space.views.home(this.id);
    const event = { type: 'app_home_opened', user: this.id, channel: space.dm(this.id).id, tab: 'home' };
    return replyOf(await emit(this.#core, view === undefined ? event : { ...event, view: viewWire(view, space) }));
  }

  home(): View | undefined {
    return this.#core.space.views.home(this.id);
  }

  async post(where: string, text: string, threadTs?: string): Promise<Message> {
    return post(this.#core, this.#user, writing(this.#core, this.#user, where), text, threadTs);
  }

  /** Changes a message of one's own. */
  async edit(message: Message, text: string): Promise<Message> {
    return edit(this.#core, this.#user, message, text);
  }

  async remove(message: Message): Promise<void> {
    await remove(this.#core, this.#user, message);
  }

  /** Opens the details pane of a Work Object; undefined before the app showed anything there. */
  async openDetails(url: string): Promise<Reply> {
    return openDetails(this.#core, active(this.#user), url);
  }

  details(): Obj | undefined {
    return this.#core.details.get(this.id);
  }

  /** The id of this person's direct messages with the bot. */
  get dm(): string {
    return this.#core.space.dm(this.id).id;
  }

  /** The id of this person's direct messages with another person, where no app is. */
  dmWith(other: string): string {
    return this.#core.space.direct([this.id, this.#core.space.user(other).id]).id;
  }

  /** Everything this person can read there, in order, including what only they were shown. */
  sees(where: string): Message[] {
    const { id } = inside(this.#core, this.#user, where);
    const { timeline } = this.#core.space;
    const own = timeline.onlyFor(this.id).filter((message) => message.channel === id);
    return [...timeline.in(id), ...own].sort((a, b) => Number(a.ts) - Number(b.ts));
  }

  #form(): View {
    active(this.#user);
    const view = this.openView();
    if (view === undefined) throw new Error(`${this.#user.name} has no form open.`);
    return view;
  }

  async #press(shown: Target, which: Which, value: string | undefined): Promise<Reply> {
    const found = findControl(blocksOf(shown), which);
    if (found.control['type'] === 'overflow') return this.#pick(shown, which, value ?? null);
    const values = this.#picks.of(shown);
    return act(this.#core, this.#user, shown, found, value === undefined ? {} : { value }, values);
  }

  async #pick(shown: Target, which: Which, wanted: Fill): Promise<Reply> {
    const found = findControl(blocksOf(shown), which);
    const option = await this.#choose(shown, found, wanted);
    const placed = this.#picks.keep(shown, found, option);
    return act(this.#core, this.#user, placed, found, { option }, this.#picks.of(placed));
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
