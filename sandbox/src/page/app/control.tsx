import type { PlainTextOption } from '@slack/types';
import { useRef } from 'preact/hooks';
import type { Fill } from '../wire.js';
import { type Choice, Combobox } from './combobox.js';
import { act, useApp } from './store.js';
import { useSurface } from './surface.js';
import { offered, optionsIn, textOf, type ValueElement, wordsIn } from './values.js';

export interface ControlProps {
  readonly of: ValueElement;
  readonly block: string;
  readonly label: string;
  readonly value: Fill | undefined;
  readonly invalid?: boolean;
  readonly describedBy?: string | undefined;
  onChange(value: Fill): void;
}

const asChoice = ({ text, value = '', description }: PlainTextOption): Choice => ({
  key: value,
  label: text.text,
  detail: description?.text,
});

const placeholderOf = (of: ValueElement): string | undefined =>
  'placeholder' in of ? of.placeholder?.text : undefined;

/** Typing asks the app, or filters what it sent along. */
function OptionSelect(props: ControlProps) {
  const { of, value, onChange } = props;
  const { place } = useSurface();
  const many = of.type.startsWith('multi_');
  const external = of.type.endsWith('external_select');
  const known = useRef(new Map<string, PlainTextOption>()).current;
  const remember = (options: readonly PlainTextOption[]) => {
    for (const option of options) known.set(option.value ?? '', option);
    return options.map(asChoice);
  };
  const chosen = remember(optionsIn(value));
  const find = async (query: string) => {
    if (!external) {
      const all = offered(of).filter(({ text }) => text.text.toLowerCase().includes(query.toLowerCase()));
      return remember(all);
    }
    const control = { block: props.block, action: of.action_id ?? '' };
    const { options = [] } = await act({ kind: 'suggest', place, control, query });
    return remember(optionsIn(options));
  };
  const pick = (choices: readonly Choice[]) => {
    const picked = choices.map(({ key }) => known.get(key)).filter((option) => option !== undefined);
    onChange(many ? picked : (picked[0] ?? null));
  };
  return <Combobox {...shared(props)} many={many} chosen={chosen} find={find} onChange={pick} />;
}

/** People or channels, known to the page itself. */
function DirectorySelect(props: ControlProps) {
  const { of, value, onChange } = props;
  const { team } = useApp();
  const many = of.type.startsWith('multi_');
  const rows: Choice[] = of.type.endsWith('users_select')
    ? (team?.people ?? []).map(({ id, realName, name }) => ({ key: id, label: realName, detail: `@${name}` }))
    : (team?.channels ?? [])
        .filter(({ kind }) => kind !== 'im')
        .map(({ id, name }) => ({ key: id, label: `#${name}` }));
  const chosen = wordsIn(value).map((id) => rows.find(({ key }) => key === id) ?? { key: id, label: id });
  const find = (query: string) =>
    rows.filter(({ label, detail = '' }) => `${label} ${detail}`.toLowerCase().includes(query.toLowerCase()));
  const pick = (choices: readonly Choice[]) => {
    const ids = choices.map(({ key }) => key);
    onChange(many ? ids : (ids[0] ?? null));
  };
  return <Combobox {...shared(props)} many={many} chosen={chosen} find={find} onChange={pick} />;
}

const shared = ({ label, invalid, describedBy, of }: ControlProps) => ({
  label,
  describedBy,
  placeholder: placeholderOf(of),
  ...(invalid === undefined ? {} : { invalid }),
});

function Ticks({ of, value, onChange, label, describedBy }: ControlProps) {
  const chosen = optionsIn(value).map((option) => option.value);
  const many = of.type === 'checkboxes';
  const toggle = (option: PlainTextOption, on: boolean) => {
    if (!many) return onChange({ ...option });
    const rest = optionsIn(value).filter((each) => each.value !== option.value);
    return onChange(on ? [...rest, option] : rest);
  };
  return (
    <fieldset class="ticks" aria-label={label} aria-describedby={describedBy}>
      {offered(of).map((option) => (
        <label key={option.value}>
          <input
            type={many ? 'checkbox' : 'radio'}
            name={of.action_id ?? label}
            checked={chosen.includes(option.value)}
            onChange={(event) => toggle(option, event.currentTarget.checked)}
          />
          <span>
            {option.text.text}
            {option.description ? <small>{option.description.text}</small> : null}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const pickers: Readonly<Record<string, 'date' | 'time' | 'datetime-local'>> = {
  datepicker: 'date',
  timepicker: 'time',
  datetimepicker: 'datetime-local',
};

const localTime = (seconds: Fill | undefined): string => {
  if (typeof seconds !== 'number') return '';
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function Typed({ of, value, onChange, label, invalid, describedBy }: ControlProps) {
  const common = {
    class: 'field',
    'aria-label': label,
    'aria-invalid': invalid ?? false,
    'aria-describedby': describedBy,
    placeholder: placeholderOf(of),
    value: of.type === 'datetimepicker' ? localTime(value) : textOf(value),
  };
  const take = (text: string) => {
    if (of.type === 'datetimepicker') return onChange(text === '' ? null : Math.floor(Date.parse(text) / 1000));
    return onChange(text === '' ? null : text);
  };
  const tall = of.type === 'rich_text_input' || (of.type === 'plain_text_input' && of.multiline === true);
  if (tall) return <textarea {...common} rows={6} onInput={(event) => take(event.currentTarget.value)} />;
  const onInput = (event: { currentTarget: HTMLInputElement }) => take(event.currentTarget.value);
  const picker = pickers[of.type];
  if (picker !== undefined) return <input {...common} type={picker} onInput={onInput} />;
  return <input {...common} type="text" autocomplete="off" spellcheck={false} onInput={onInput} />;
}

/** Any control that keeps a value. */
export function Control(props: ControlProps) {
  const { type } = props.of;
  if (/(static|external)_select$/.test(type)) return <OptionSelect {...props} />;
  if (/(users|channels|conversations)_select$/.test(type)) return <DirectorySelect {...props} />;
  if (type === 'checkboxes' || type === 'radio_buttons') return <Ticks {...props} />;
  return <Typed {...props} />;
}
