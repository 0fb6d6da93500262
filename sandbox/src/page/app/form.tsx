import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fill, ShownView } from '../wire.js';
import { Blocks } from './blocks.js';
import { act } from './store.js';
import { type Surface, SurfaceContext } from './surface.js';

type Edits = Readonly<Record<string, Fill>>;

/** A modal view. Typed text stays here until it is submitted, and survives an update of the view as in Slack. */
export function Form({ view }: { view: ShownView }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [edits, setEdits] = useState<Edits>({});
  const [sending, setSending] = useState(false);
  const unsent = useRef<Edits>({});
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    const at = (which: string) => dialog.current?.querySelector<HTMLElement>(which);
    (at('.body input, .body textarea') ?? at('.body button, .body a'))?.focus();
    // Where the person was before the form; if that control no longer exists, the composer.
    return () => {
      const back = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : undefined;
      (back ?? document.querySelector<HTMLElement>('.room .composer textarea'))?.focus();
    };
  }, []);
  const take = (): Edits => {
    const values = unsent.current;
    unsent.current = {};
    return values;
  };
  const surface: Surface = {
    place: { in: 'form' },
    values: view.values,
    errors: view.errors,
    edits,
    edit(block, value, tellApp) {
      setEdits((before) => ({ ...before, [block]: value }));
      unsent.current = { ...unsent.current, [block]: value };
      // Menus depend on other fields, so the app must know what was chosen; typed text waits for the end.
      if (tellApp || typeof value === 'object') void act({ kind: 'fill', values: take() });
    },
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    await act({ kind: 'submit', values: take() });
    setSending(false);
  };
  const close = (event: Event) => {
    event.preventDefault();
    void act({ kind: 'close' });
  };
  return (
    <dialog ref={dialog} class="form" aria-label={view.title} onCancel={close}>
      <form onSubmit={submit} noValidate>
        <header>
          <h2>{view.title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={close}>
            ×
          </button>
        </header>
        <div class="body">
          <SurfaceContext.Provider value={surface}>
            <Blocks of={view.blocks} />
          </SurfaceContext.Provider>
        </div>
        <footer>
          <button type="button" class="button" onClick={close}>
            {view.close ?? 'Close'}
          </button>
          {view.submit === undefined ? null : (
            <button type="submit" class="button primary full" aria-busy={sending} disabled={sending}>
              {view.submit}
            </button>
          )}
        </footer>
      </form>
    </dialog>
  );
}
