import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Menu } from './buttons.js';
import { act, change, current, toast, useApp } from './store.js';
import { type Suggestion, suggest } from './suggestions.js';

interface ComposerProps {
  readonly channel: string;
  readonly thread?: string;
  readonly placeholder: string;
}

const draftKey = (channel: string, thread: string | undefined) => `${channel} ${thread ?? ''}`;

export function setDraft(channel: string, thread: string | undefined, text: string): void {
  change({ drafts: { ...current().drafts, [draftKey(channel, thread)]: text } });
}

/** False: it was not sent. */
async function send(channel: string, thread: string | undefined, text: string): Promise<boolean> {
  if (!text.startsWith('/')) return (await act({ kind: 'say', channel, text, thread })).ok;
  // Slack has no slash commands inside threads either.
  if (thread === undefined) return (await act({ kind: 'command', channel, text })).ok;
  toast('Slash commands do not work in threads. Type it in the channel.');
  return false;
}

/** Restores unsent text, unless something else was typed since. */
async function sendOrKeep(channel: string, thread: string | undefined, text: string): Promise<void> {
  const sent = await send(channel, thread, text.trim());
  if (!sent && (current().drafts[draftKey(channel, thread)] ?? '') === '') setDraft(channel, thread, text);
}

export function Composer({ channel, thread, placeholder }: ComposerProps) {
  const { drafts, team } = useApp();
  const text = drafts[draftKey(channel, thread)] ?? '';
  const [active, setActive] = useState(0);
  const [hidden, hide] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const offers = hidden || thread !== undefined ? [] : suggest(text, team);
  const chosen = offers[Math.min(active, offers.length - 1)];
  useLayoutEffect(() => {
    const shown = field.current;
    if (!shown) return;
    shown.style.height = 'auto';
    shown.style.height = `${Math.min(shown.scrollHeight, 200)}px`;
    if (text.startsWith('/')) shown.focus();
  }, [text]);
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, list]);
  const write = (next: string) => {
    setDraft(channel, thread, next);
    setActive(0);
    hide(false);
  };
  const take = (suggestion: Suggestion) => {
    write(suggestion.text);
    field.current?.focus();
  };
  const post = () => {
    if (text.trim() === '') return;
    write('');
    void sendOrKeep(channel, thread, text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && offers.length > 1) {
      event.preventDefault();
      setActive((active + step + offers.length) % offers.length);
    } else if (event.key === 'Tab' && !event.shiftKey && chosen !== undefined && chosen.text !== text) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === 'Escape' && offers.length > 0) {
      event.stopPropagation();
      hide(true);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (chosen !== undefined && chosen.text.trim() !== text.trim()) take(chosen);
      else post();
    }
  };
  return (
    <div class="composer">
      {offers.length > 0 ? (
        <div class="suggestions" id={list} role="listbox" aria-label="Suggestions">
          {offers.map((offer, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are read by the field, which keeps the focus
            <div
              key={offer.label}
              id={`${list}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={offer === chosen}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(offer)}
            >
              <b>{offer.label}</b>
              <span>{offer.detail}</span>
            </div>
          ))}
        </div>
      ) : null}
      <div class="box">
        {thread === undefined ? <Shortcuts /> : null}
        <textarea
          ref={field}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          aria-autocomplete="list"
          aria-controls={offers.length > 0 ? list : undefined}
          aria-activedescendant={chosen ? `${list}-${offers.indexOf(chosen)}` : undefined}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="button primary full"
          aria-label="Send"
          disabled={text.trim() === ''}
          onClick={post}
        >
          Send
        </button>
      </div>
    </div>
  );
}

function Shortcuts() {
  const { team } = useApp();
  const global = team?.shortcuts.filter(({ type }) => type === 'global') ?? [];
  return (
    <Menu label="Shortcuts" sign="+">
      {global.map(({ id, name }) => (
        <button key={id} type="button" role="menuitem" onClick={() => act({ kind: 'shortcut', id })}>
          {name}
        </button>
      ))}
    </Menu>
  );
}
