import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useDrop } from './drop.js';

export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

export interface ComboboxProps {
  readonly label: string;
  readonly placeholder?: string | undefined;
  readonly many: boolean;
  readonly chosen: readonly Choice[];
  readonly invalid?: boolean;
  readonly describedBy?: string | undefined;
  /** What to offer for the text so far. */
  find(query: string): Promise<readonly Choice[]> | readonly Choice[];
  onChange(chosen: readonly Choice[]): void;
}

const waitMs = 150;

/** A text field with a list to choose from: all kinds of selects but the simplest. */
export function Combobox(props: ComboboxProps) {
  const { many, chosen } = props;
  const [query, setQuery] = useState<string>();
  const [offers, setFound] = useState<readonly Choice[]>();
  const left = (all: readonly Choice[]) => all.filter(({ key }) => !many || !chosen.some((each) => each.key === key));
  const found = offers && left(offers);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  /** The query the list on the screen was made for. */
  const answered = useRef<string | undefined>(undefined);
  /** Enter came before the list did. */
  const hasty = useRef(false);
  const list = useId();
  const open = query !== undefined;
  const drop = useDrop(open);
  const close = () => {
    setQuery(undefined);
    setFound(undefined);
    answered.current = undefined;
    hasty.current = false;
  };
  const pick = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    props.onChange(many ? [...chosen, choice] : [choice]);
    if (many) setQuery('');
    else close();
    input.current?.focus();
  };
  useEffect(() => {
    if (query === undefined) return;
    let stale = false;
    const look = async () => {
      const offered = await props.find(query);
      if (stale) return;
      answered.current = query;
      setFound(offered);
      setActive(0);
      if (!hasty.current) return;
      hasty.current = false;
      pick(left(offered)[0]);
    };
    const timer = setTimeout(look, found === undefined ? 0 : waitMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [query, chosen.length]);
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, list]);
  const remove = (key: string) => props.onChange(chosen.filter((each) => each.key !== key));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (open) setActive(Math.max(0, Math.min((found?.length ?? 1) - 1, active + step)));
      else setQuery('');
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      if (answered.current === query) pick(found?.[active]);
      else hasty.current = true;
    } else if (event.key === 'Escape' && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === 'Backspace' && !query && chosen.length > 0) {
      const last = chosen.at(-1);
      if (last) remove(last.key);
    }
  };
  return (
    <div class={props.invalid ? 'combobox invalid' : 'combobox'}>
      <div class="line" ref={drop.field}>
        {many
          ? chosen.map(({ key, label }) => (
              <span key={key} class="chip">
                {label}
                <button type="button" aria-label={`Remove ${label}`} onClick={() => remove(key)}>
                  ×
                </button>
              </span>
            ))
          : null}
        <input
          ref={input}
          role="combobox"
          aria-label={props.label}
          aria-describedby={props.describedBy}
          aria-expanded={open}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={open && found?.[active] ? `${list}-${active}` : undefined}
          aria-invalid={props.invalid}
          autocomplete="off"
          placeholder={chosen.length > 0 ? undefined : props.placeholder}
          value={query ?? (many ? '' : (chosen[0]?.label ?? ''))}
          onFocus={(event) => event.currentTarget.select()}
          onClick={() => (open ? undefined : setQuery(''))}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        {!many && chosen.length > 0 && !open ? (
          <button type="button" class="clear" aria-label={`Clear ${props.label}`} onClick={() => props.onChange([])}>
            ×
          </button>
        ) : null}
      </div>
      {open ? (
        <div class="options" ref={drop.list} id={list} role="listbox" aria-label={props.label}>
          {found === undefined ? <p class="quiet">Searching…</p> : null}
          {found?.length === 0 ? <p class="quiet">Nothing found</p> : null}
          {found?.map((choice, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are read by the field, which keeps the focus
            <div
              key={choice.key}
              id={`${list}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === active}
              class={at === active ? 'active' : ''}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(choice)}
            >
              {choice.label}
              {choice.detail ? <small>{choice.detail}</small> : null}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}
