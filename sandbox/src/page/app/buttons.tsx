import type { Button as ButtonElement, ConfirmationDialog, Overflow as OverflowElement } from '@slack/types';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { choose, press, useSurface } from './surface.js';
import { Text } from './text.js';

/** Asks for confirmation if the app wants it. */
function Confirm({ of, onDone }: { of: ConfirmationDialog; onDone: (yes: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="form confirm"
      aria-label={of.title?.text ?? 'Are you sure?'}
      onClose={() => onDone(false)}
    >
      <header>
        <h2>{of.title?.text ?? 'Are you sure?'}</h2>
      </header>
      <div class="body">
        <Text of={of.text} />
      </div>
      <footer>
        <button type="button" class="button" onClick={() => onDone(false)}>
          {of.deny?.text ?? 'No'}
        </button>
        <button
          type="button"
          class={of.style === 'danger' ? 'button danger full' : 'button primary full'}
          onClick={() => onDone(true)}
        >
          {of.confirm?.text ?? 'Yes'}
        </button>
      </footer>
    </dialog>
  );
}

export function Button({ of, block }: { of: ButtonElement; block: string }) {
  const { place } = useSurface();
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const go = async () => {
    ask(false);
    if (of.url) window.open(of.url, '_blank', 'noopener,noreferrer');
    setBusy(true);
    await press(place, { block, action: of.action_id ?? '' });
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class={`button ${of.style ?? ''}`}
        aria-label={of.accessibility_label}
        aria-busy={busy}
        onClick={() => (of.confirm ? ask(true) : go())}
      >
        {of.text.text}
        {of.url ? <span aria-hidden="true"> ↗</span> : null}
      </button>
      {asking && of.confirm ? <Confirm of={of.confirm} onDone={(yes) => (yes ? go() : ask(false))} /> : null}
    </>
  );
}

/** A three-dot menu. */
export function Overflow({ of, block }: { of: OverflowElement; block: string }) {
  const { place } = useSurface();
  const pick = (value: OverflowElement['options'][number]) => {
    if (value.url) window.open(value.url, '_blank', 'noopener,noreferrer');
    return choose(place, { block, action: of.action_id ?? '' }, { ...value });
  };
  return (
    <Menu label="More actions">
      {of.options.map((option) => (
        <button key={option.value} type="button" role="menuitem" onClick={() => pick(option)}>
          {option.text.text}
        </button>
      ))}
    </Menu>
  );
}

interface MenuProps {
  readonly label: string;
  readonly sign?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a list; arrows move, Escape closes. */
export function Menu({ label, sign = '⋯', children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useEffect(() => {
    if (!open) return;
    items()[0]?.focus();
    const away = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', away);
    return () => document.removeEventListener('pointerdown', away);
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = document.activeElement instanceof HTMLElement ? items().indexOf(document.activeElement) : -1;
    if (open && step !== undefined) {
      event.preventDefault();
      items()
        .at((at + step) % items().length)
        ?.focus();
    }
    if (open && event.key === 'Escape') {
      event.stopPropagation();
      setOpen(false);
      root.current?.querySelector('button')?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside arrive here
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button dots"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {sign}
      </button>
      {open ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a click on any item closes; the items are buttons
        <div class="list" role="menu" tabIndex={-1} onClick={() => setOpen(false)}>
          {children}
        </div>
      ) : null}
    </div>
  );
}
