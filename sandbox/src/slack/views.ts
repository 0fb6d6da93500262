import type { Changes } from './changes.js';
import { initialValues } from './form-values.js';
import type { Ids } from './ids.js';
import { asObj, asObjects, asText, type Obj } from './json.js';
import type { View } from './model.js';
import { stamp } from './stamp.js';

const optionalText = (view: Obj, name: string): string | undefined =>
  view[name] === undefined ? undefined : asText(asObj(view[name])['text']);

/** Each person's stack of open forms, and their Home. */
export class Views {
  readonly #stacks = new Map<string, View[]>();
  readonly #homes = new Map<string, View>();
  readonly #ids: Ids;
  readonly #changes: Changes;

  constructor(ids: Ids, changes: Changes) {
    this.#ids = ids;
    this.#changes = changes;
  }

  stack(user: string): readonly View[] {
    return this.#stacks.get(user) ?? [];
  }

  top(user: string): View | undefined {
    return this.stack(user).at(-1);
  }

  home(user: string): View | undefined {
    return this.#homes.get(user);
  }

  find(wanted: (view: View) => boolean): View | undefined {
    return [...this.#stacks.values()].flat().find(wanted) ?? [...this.#homes.values()].find(wanted);
  }

  open(user: string, payload: Obj): View {
    return this.#set(user, [this.#make(user, payload)]);
  }

  push(user: string, payload: Obj): View {
    const below = this.stack(user);
    const view = this.#make(user, payload);
    const previous = below.at(-1);
    const placed = { ...view, rootId: below[0]?.id ?? view.id, previousId: previous?.id };
    return this.#set(user, [...below, placed]);
  }

  publish(user: string, payload: Obj): View {
    const fresh = this.#make(user, payload);
    const id = this.#homes.get(user)?.id ?? fresh.id;
    const view = { ...fresh, id, rootId: id };
    this.#homes.set(user, view);
    this.#changes.tell({ kind: 'home', user });
    return view;
  }

  /** Typed text stays if block id and action id stay. */
  update(view: View, payload: Obj): View {
    const fresh = this.#make(view.user, payload);
    const values = Object.fromEntries(
      Object.entries(fresh.values).map(([block, actions]) => [
        block,
        Object.fromEntries(
          Object.entries(actions).map(([action, value]) => {
            const typed = view.values[block]?.[action];
            return [action, typed !== undefined && typed['type'] === value['type'] ? typed : value];
          }),
        ),
      ]),
    );
    const { id, rootId, previousId } = view;
    return this.replace({ ...fresh, values, id, rootId, previousId });
  }

  /** Puts a changed view back in its place; a closed one stays closed. */
  replace(view: View): View {
    if (view.type === 'home') {
      this.#homes.set(view.user, view);
      this.#changes.tell({ kind: 'home', user: view.user });
      return view;
    }
    const stack = this.stack(view.user).map((each) => (each.id === view.id ? view : each));
    this.#stacks.set(view.user, stack);
    this.#changes.tell({ kind: 'view', user: view.user });
    return view;
  }

  close(user: string, how: 'top' | 'all'): readonly View[] {
    const stack = this.stack(user);
    const rest = how === 'all' ? [] : stack.slice(0, -1);
    this.#stacks.set(user, rest);
    this.#changes.tell({ kind: 'view', user });
    return stack.slice(rest.length);
  }

  #set(user: string, stack: View[]): View {
    this.#stacks.set(user, stack);
    this.#changes.tell({ kind: 'view', user });
    const top = stack.at(-1);
    if (top === undefined) throw new Error('A form cannot be opened without a view.');
    return top;
  }

  #make(user: string, payload: Obj): View {
    const id = this.#ids.next('V');
    const blocks = stamp(asObjects(payload['blocks']), this.#ids);
    return {
      id,
      user,
      type: payload['type'] === 'home' ? 'home' : 'modal',
      hash: `${this.#ids.next('h')}.${this.#ids.secret().slice(0, 8)}`,
      callbackId: asText(payload['callback_id']),
      privateMetadata: asText(payload['private_metadata']),
      externalId: asText(payload['external_id']),
      title: optionalText(payload, 'title') ?? '',
      submit: optionalText(payload, 'submit'),
      close: optionalText(payload, 'close'),
      clearOnClose: payload['clear_on_close'] === true,
      notifyOnClose: payload['notify_on_close'] === true,
      blocks,
      values: initialValues(blocks),
      errors: {},
      rootId: id,
      previousId: undefined,
    };
  }
}
